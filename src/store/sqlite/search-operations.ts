/**
 * Upkeep of the index behind `find`: FTS5 with trigrams over folded names. Creates and imports do not pay for it: it is
 * brought up to date by the next search, from the first id that it does not hold. Names that it holds already are kept up by
 * whoever changes them.
 */
import { fold } from '../records.ts'
import type { Connection } from './connection.ts'

export function searchOperations(connection: Connection) {
  const indexedTo = connection.prepare('SELECT indexed_to FROM pet_search')
  const setIndexedTo = connection.prepare('UPDATE pet_search SET indexed_to = ?')
  // The animals of an unfinished import are passed over with all that follow them; the next search goes on from there.
  const unindexed = connection.prepare(`
    SELECT id, name FROM pets
    WHERE id > ? AND id < coalesce((SELECT min(first_id) FROM unfinished_imports), 9223372036854775807)
    ORDER BY id LIMIT ? + 0`)
  const add = connection.prepare('INSERT INTO pet_names (rowid, name) VALUES (?, ?)')
  const drop = connection.prepare('DELETE FROM pet_names WHERE rowid = ?')
  const end = () => (indexedTo.get() as unknown as [bigint])[0]
  return {
    /** Indexes the next names, at most `limit`; returns how many, 0 when the index is up to date. */
    indexNames(limit: number): number {
      const rows = unindexed.all(end(), limit) as unknown as [bigint, string][]
      for (const [id, name] of rows) add.run(id, fold(name))
      const last = rows.at(-1)
      if (last !== undefined) setIndexedTo.run(last[0])
      return rows.length
    },

    /** Puts a new name, or none, in the place of one that the index may hold. */
    replaceName(id: bigint, name: string | undefined): void {
      if (id > end()) return
      drop.run(id)
      if (name !== undefined) add.run(id, fold(name))
    },
  }
}
