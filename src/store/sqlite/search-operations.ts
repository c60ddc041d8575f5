/**
 * Maintains the index behind `find`: FTS5 with trigrams over folded names. Creates and imports do not pay for it: the
 * next search brings it up to date, from the first id that it does not contain. Changes of indexed animals update the
 * index themselves.
 */
import { fold } from '../records.ts'
import type { Connection } from './connection.ts'

export function searchOperations(connection: Connection) {
  const indexedTo = connection.prepare('SELECT indexed_to FROM pet_search')
  const setIndexedTo = connection.prepare('UPDATE pet_search SET indexed_to = ?')
  // Animals of an unfinished import, and all that follow them, are left out; the next search continues from there.
  const unindexed = connection.prepare(`
    SELECT id, name FROM pets
    WHERE id > ? AND id < coalesce((SELECT min(first_id) FROM unfinished_imports), 9223372036854775807)
    ORDER BY id LIMIT ? + 0`)
  const add = connection.prepare('INSERT INTO pet_names (rowid, name) VALUES (?, ?)')
  const drop = connection.prepare('DELETE FROM pet_names WHERE rowid = ?')
  const end = () => (indexedTo.get() as unknown as [bigint])[0]
  return {
    /** Indexes the next names, at most `limit`; returns their number, 0 if the index is up to date. */
    indexNames(limit: number): number {
      const rows = unindexed.all(end(), limit) as unknown as [bigint, string][]
      for (const [id, name] of rows) add.run(id, fold(name))
      const last = rows.at(-1)
      if (last !== undefined) setIndexedTo.run(last[0])
      return rows.length
    },

    /** Replaces or removes a name that the index may contain. */
    replaceName(id: bigint, name: string | undefined): void {
      if (id > end()) return
      drop.run(id)
      if (name !== undefined) add.run(id, fold(name))
    },
  }
}
