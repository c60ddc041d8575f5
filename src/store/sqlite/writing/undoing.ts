/**
 * Undoes an import in one commit, as it was published. The first transaction finds its animals that nobody has changed
 * since, hides them (`unfinished_imports`), subtracts them from the counts, and writes the journal entry; the undo is
 * then visible to everyone. Small steps move them to the removed animals. Steps that were cut off are continued by the
 * next undo, import, restoration or start.
 */

import { PetStatus } from '../../../contract/schemas.ts'
import type { Author } from '../../author.ts'
import type { Undone } from '../../imports.ts'
import { undoneValues } from '../../rules/journal.ts'
import type { Connection } from '../file/connection.ts'
import { journalWriter, sessionAssertion } from './journal.ts'
import { countWriter, SHOW_RANGE } from './pets.ts'

/** The entry of the journal about an import; `act` and the number of the import are bound. */
const ENTRY = `
  FROM journal WHERE act = ?1 AND pet_id IS NULL AND key_id IS NULL
    AND json_extract(coalesce(to_values, from_values), '$.import') = ?2 ORDER BY n DESC LIMIT 1`

/** `undoSync` undoes a sync, whose number is one of the imports', by its entry in the journal. */
export function undoWrites(
  connection: Connection,
  undoSync: (n: bigint, entryN: bigint, animals: bigint, by: Author) => Undone,
) {
  const enter = journalWriter(connection)
  const assertSession = sessionAssertion(connection)

  return {
    /** Starts the undo. Undefined if there is no such import, or its undo is complete. */
    beginUndo(n: bigint, by: Author): Undone | undefined {
      assertSession(by)
      const found = connection.prepare('SELECT animals, undone_at_ms FROM imports WHERE n = ?').get(n)
      const [animals, undoneAtMs] = (found ?? []) as unknown as [bigint?, (bigint | null)?]
      if (animals === undefined) return undefined
      if (typeof undoneAtMs === 'bigint') return begun(connection, n, animals)
      connection.prepare('UPDATE imports SET undone_at_ms = ? WHERE n = ?').run(BigInt(by.atMs), n)
      const [syncN] = (connection.prepare(`SELECT n ${ENTRY}`).get('sync', n) ?? []) as unknown as [bigint?]
      if (syncN !== undefined) return undoSync(n, syncN, animals, by)
      const removed = hideUnchanged(connection, n)
      enter(by, 'undo import', { from: undoneValues(n, removed) })
      return { removed: Number(removed), kept: Number(animals - removed) }
    },

    /** Moves at most `limit` of the hidden animals to the removed ones; false if none are left. */
    undoSome(limit: number): boolean {
      const next = connection.prepare(`
        SELECT first_id, last_id, undone_at_ms FROM undone_ranges
        JOIN unfinished_imports USING (first_id) JOIN imports ON n = import_n LIMIT 1`)
      const top = connection.prepare(
        'SELECT count(*), max(id) FROM (SELECT id FROM pets WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ? + 0)',
      )
      const keep = connection.prepare(
        'INSERT INTO removed_pets SELECT id, name, category_id, status, ?3 FROM pets WHERE id BETWEEN ?1 AND ?2',
      )
      const note = connection.prepare(`
        INSERT OR IGNORE INTO changed_names
        SELECT id FROM pets, pet_search WHERE id BETWEEN ? AND ? AND id <= indexed_to`)
      const remove = connection.prepare('DELETE FROM pets WHERE id BETWEEN ? AND ?')
      const unmark = connection.prepare('DELETE FROM undone_ranges WHERE first_id = ?')
      const show = connection.prepare(SHOW_RANGE)
      for (let left = limit; left > 0; left -= 1) {
        const row = next.get()
        if (row === undefined) return false
        const [first, last, undoneAtMs] = row as unknown as [bigint, bigint, bigint]
        const [count, to] = top.get(first, last, left) as unknown as [bigint, bigint | null]
        if (to !== null) {
          keep.run(first, to, undoneAtMs)
          note.run(first, to)
          remove.run(first, to)
          left -= Number(count)
        }
        if (left > 0) {
          unmark.run(first)
          show.run(first)
        }
      }
      return true
    },
  }
}

/** What the entry of an undo says of it, as long as something is left to be done. */
function begun(connection: Connection, n: bigint, animals: bigint): Undone | undefined {
  const isUnderWay = connection.prepare('SELECT 1 FROM undone_ranges WHERE import_n = ? LIMIT 1').get(n) !== undefined
  if (!isUnderWay) return undefined
  const entry = connection.prepare(`SELECT json_extract(from_values, '$.animals') ${ENTRY}`).get('undo import', n)
  const [removed] = entry as unknown as [bigint]
  return { removed: Number(removed), kept: Number(animals - removed) }
}

/**
 * Hides the animals of an import that nobody has changed since, and takes them out of the counts; returns their number.
 */
function hideUnchanged(connection: Connection, n: bigint): bigint {
  const statuses = [...PetStatus.enum.map((status) => [status, `status = '${status}'`]), ['none', 'status IS NULL']]
  const ranges = unchangedRanges(connection, n)
  const add = (from: string) => {
    const count = connection.prepare(`SELECT count(*) FROM ${from} AND id BETWEEN ? AND ?`)
    return ranges.reduce((sum, range) => sum + (count.get(...range) as unknown as [bigint])[0], 0n)
  }
  const addToCount = countWriter(connection)
  let removed = add('removed_pets WHERE true') // version 1.1.0 left them when its undo was cut off
  for (const [status = '', condition] of statuses) {
    const hidden = add(`pets WHERE ${condition}`)
    addToCount(status, -hidden)
    removed += hidden
  }
  const hide = connection.prepare('INSERT INTO unfinished_imports VALUES (?, ?)')
  const mark = connection.prepare('INSERT INTO undone_ranges VALUES (?, ?)')
  for (const [first, last] of ranges) {
    hide.run(first, last)
    mark.run(first, n)
  }
  return removed
}

/** The ids of an import, without those with an entry in the journal that is younger than the import. */
function unchangedRanges(connection: Connection, n: bigint): readonly (readonly [first: bigint, last: bigint])[] {
  const [since] = (connection.prepare(`SELECT n ${ENTRY}`).get('import', n) ?? [0n]) as unknown as [bigint]
  const ranges = connection.prepare('SELECT first_id, last_id FROM import_ranges WHERE import_n = ?').all(n)
  const changed = connection.prepare(
    'SELECT DISTINCT pet_id FROM journal WHERE pet_id BETWEEN ? AND ? AND n > ? ORDER BY pet_id',
  )
  return (ranges as unknown as [bigint, bigint][]).flatMap(([first, last]) => {
    const unchanged: (readonly [bigint, bigint])[] = []
    let from = first
    for (const [id] of changed.all(first, last, since) as unknown as [bigint][]) {
      if (from < id) unchanged.push([from, id - 1n])
      from = id + 1n
    }
    if (from <= last) unchanged.push([from, last])
    return unchanged
  })
}
