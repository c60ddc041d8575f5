/**
 * Maintains the index behind `find`: FTS5 with trigrams over folded names. Nothing but a search pays for it or depends
 * on it: the next search adds the names from the first id on that it does not contain, and what has changed below that
 * id is noted in `changed_names`. So the index is derived, and one that is damaged is made anew; SQLite's own checks of
 * it say nothing of the animals.
 */

import { INT64_MIN } from '../../../contract/int64.ts'
import { fold } from '../../rules/fold.ts'
import type { Connection } from '../file/connection.ts'
import { CREATE_INDEX, emptyIndex } from '../file/empty-index.ts'
import { IS_THERE } from '../rows/pets.ts'

/** Each step holds the write lock for about 30 ms, also where names are long. */
const NAMES_PER_STEP = 5_000
const LETTERS_PER_STEP = 100_000

export function searchWrites(connection: Connection) {
  const indexedTo = connection.prepare('SELECT indexed_to FROM pet_search')
  const setIndexedTo = connection.prepare('UPDATE pet_search SET indexed_to = ?')
  // Animals of an unfinished import, and all that follow them, are left out; the next search continues from there.
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

  /** The first of the rows, about as many as 30 ms are enough for, and the last id among them. */
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

    /** Puts an empty index in the place of one that SQLite cannot read; the next searches fill it. */
    replaceIndex(): void {
      emptyIndex(connection)
      connection.exec('DELETE FROM changed_names')
    },

    /** Notes that an animal has another name, or is there again, or is no more. */
    noteName(id: bigint): void {
      note.run(id)
    },
  }
}
