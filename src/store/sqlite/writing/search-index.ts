/**
 * Maintains the index of `find`: FTS5 trigrams over folded names. Only searches pay for it: the next one adds the names
 * from the first id that it lacks, and applies what `changed_names` notes below that. The index is derived, so a
 * damaged one is made anew; SQLite's checks of it say nothing about the animals.
 */

import { INT64_MIN } from '../../../contract/int64.ts'
import { fold } from '../../rules/fold.ts'
import type { Connection } from '../file/connection.ts'
import { CREATE_INDEX, emptyIndex } from '../file/empty-index.ts'
import { IS_THERE } from '../rows/pets.ts'

/** Names per step, which holds the write lock for about 30 ms, also if names are long. */
const NAMES_PER_STEP = 5_000
const LETTERS_PER_STEP = 100_000

export function searchWrites(connection: Connection) {
  const indexedTo = connection.prepare('SELECT indexed_to FROM pet_search')
  const setIndexedTo = connection.prepare('UPDATE pet_search SET indexed_to = ?')
  // Leaves out animals of an unfinished import and all after them; the next search continues there.
  const unindexed = connection.prepare(`
    SELECT id, name FROM pets
    WHERE id > ? AND ${IS_THERE} AND id < coalesce((
      SELECT min(first_id) FROM unfinished_imports WHERE first_id NOT IN (SELECT first_id FROM undone_ranges)
    ), 9223372036854775807)
    ORDER BY id`)
  const changed = connection.prepare(`
    SELECT pet_id, pets.name FROM changed_names LEFT JOIN pets ON pets.id = pet_id AND ${IS_THERE} ORDER BY pet_id`)
  const settle = connection.prepare('DELETE FROM changed_names WHERE pet_id <= ?')
  const note = connection.prepare(
    'INSERT OR IGNORE INTO changed_names SELECT ?1 FROM pet_search WHERE ?1 <= indexed_to',
  )
  const end = () => (indexedTo.get() as unknown as [bigint])[0]

  /** The first rows, as many as take about 30 ms, and the last id among them. */
  const some = (rows: Iterable<unknown>) => {
    const step: (readonly [id: bigint, name: string | null])[] = []
    let letters = 0
    for (const row of rows) {
      const [id, name] = row as [bigint, string | null]
      step.push([id, name])
      letters += name?.length ?? 0
      if (step.length >= NAMES_PER_STEP || letters >= LETTERS_PER_STEP) break
    }
    return { step, last: step.at(-1)?.[0] }
  }

  return {
    /**
     * Brings the index up to date with the next names; returns their number, 0 if there are no more. Fails where the
     * index is damaged: it is then replaced.
     */
    indexNames(): number {
      const from = end()
      if (from === INT64_MIN) {
        const isEmpty = connection.prepare('SELECT 1 FROM pet_names_docsize LIMIT 1').get() === undefined
        if (!isEmpty) connection.exec(`DROP TABLE pet_names; ${CREATE_INDEX}; DELETE FROM changed_names`)
      }
      const add = connection.prepare('INSERT INTO pet_names (rowid, name) VALUES (?, ?)')
      const added = some(unindexed.iterate(from))
      for (const [id, name] of added.step) add.run(id, fold(name ?? ''))
      if (added.last !== undefined) setIndexedTo.run(added.last)
      if (added.step.length > 0 || from === INT64_MIN) return added.step.length
      const drop = connection.prepare('DELETE FROM pet_names WHERE rowid = ?')
      const { step, last } = some(changed.iterate())
      for (const [id, name] of step) {
        drop.run(id)
        if (name !== null) add.run(id, fold(name))
      }
      if (last !== undefined) settle.run(last)
      return step.length
    },

    /** Replaces an index that SQLite cannot read by an empty one, which the next searches fill. */
    replaceIndex(): void {
      emptyIndex(connection)
      connection.exec('DELETE FROM changed_names')
    },

    /** Notes that an animal was renamed, restored or removed. */
    noteName(id: bigint): void {
      note.run(id)
    },
  }
}
