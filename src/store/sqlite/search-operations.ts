/**
 * Maintains the index behind `find`: FTS5 with trigrams over folded names. Creates and imports do not pay for it: the
 * next search brings it up to date, from the first id that it does not contain. Changes of indexed animals update the
 * index themselves.
 */
import { fold } from '../records.ts'
import type { Connection } from './connection.ts'

/** Each step holds the write lock for about 30 ms, also where names are long. */
const NAMES_PER_STEP = 5_000
const LETTERS_PER_STEP = 100_000

export function searchOperations(connection: Connection) {
  const indexedTo = connection.prepare('SELECT indexed_to FROM pet_search')
  const setIndexedTo = connection.prepare('UPDATE pet_search SET indexed_to = ?')
  // Animals of an unfinished import, and all that follow them, are left out; the next search continues from there.
  const unindexed = connection.prepare(`
    SELECT id, name FROM pets
    WHERE id > ? AND id < coalesce((SELECT min(first_id) FROM unfinished_imports), 9223372036854775807)
    ORDER BY id`)
  const add = connection.prepare('INSERT INTO pet_names (rowid, name) VALUES (?, ?)')
  const drop = connection.prepare('DELETE FROM pet_names WHERE rowid = ?')
  const end = () => (indexedTo.get() as unknown as [bigint])[0]
  return {
    /** Indexes the next names, about as many as 30 ms are enough for; returns their number, 0 if there are no more. */
    indexNames(): number {
      let names = 0
      let letters = 0
      let last: bigint | undefined
      for (const row of unindexed.iterate(end())) {
        const [id, name] = row as unknown as [bigint, string]
        add.run(id, fold(name))
        last = id
        names += 1
        letters += name.length
        if (names >= NAMES_PER_STEP || letters >= LETTERS_PER_STEP) break
      }
      if (last !== undefined) setIndexedTo.run(last)
      return names
    },

    /** Replaces or removes a name that the index may contain. */
    replaceName(id: bigint, name: string | undefined): void {
      if (id > end()) return
      drop.run(id)
      if (name !== undefined) add.run(id, fold(name))
    },
  }
}
