/**
 * Undoes a sync in one transaction. What it changed is in the journal, entry by entry, and each animal that nobody has
 * changed since is put back; the others are kept as they are.
 */

import type { Author } from '../../../author.ts'
import type { Undone } from '../../../imports.ts'
import { type JournalAct, UNDOING_ACTS, undoneSyncValues } from '../../../rules/journal.ts'
import { CHANGED_SINCE } from '../../../rules/sync.ts'
import type { PetValues } from '../../../sync.ts'
import type { Connection } from '../../file/connection.ts'
import { journalWriter } from '../journal.ts'
import { petMoves } from '../records.ts'

type EntryRow = [
  petId: bigint,
  act: JournalAct,
  from: string | null,
  to: string,
  name: string | null,
  categoryId: bigint | null,
  saysStatus: bigint,
  status: string | null,
]

/**
 * The entries of a sync, found from its own entry backwards, of animals that nobody has changed since. They are noted
 * before any of them is taken back, since the journal grows meanwhile.
 */
const NOTE_ENTRIES = `
  INSERT INTO temp.sync_entries
  SELECT pet_id, act, from_values, to_values, json_extract(from_values, '$.name'),
    json_extract(from_values, '$.categoryId'), json_type(from_values, '$.status') IS NOT NULL,
    json_extract(from_values, '$.status')
  FROM (
    SELECT * FROM journal
    WHERE n < ?1 AND pet_id IS NOT NULL AND json_extract(to_values, '$.import') = ?2 ORDER BY n DESC LIMIT ?3
  ) AS entry
  WHERE NOT ${CHANGED_SINCE}
  ORDER BY pet_id`

const COLUMNS =
  'pet_id INTEGER, act TEXT, from_values TEXT, to_values TEXT, name TEXT, category_id INTEGER, says_status INTEGER, status TEXT'

const VALUES = 'name, category_id, status'

export function syncUndoing(connection: Connection) {
  const enter = journalWriter(connection)
  const moves = petMoves(connection)
  const live = connection.prepare(`SELECT ${VALUES} FROM pets WHERE id = ?`)
  const removed = connection.prepare(`SELECT ${VALUES} FROM removed_pets WHERE id = ?`)
  const forget = connection.prepare('DELETE FROM pet_references WHERE pet_id = ?')

  /** Takes back what the entry says; false if the animal is not where the sync has left it. */
  const takeBack = ([id, act, , to, ...before]: EntryRow, atMs: number): boolean => {
    const row = (act === 'remove' ? removed : live).get(id) as unknown as [string, bigint, string | null] | undefined
    if (row === undefined) return false
    const now: PetValues = { name: row[0], categoryId: row[1], status: row[2] }
    if (act === 'remove') {
      moves.restore(id, now)
      return true
    }
    const [name, categoryId, saysStatus, status] = before
    const was = { name, categoryId: categoryId ?? now.categoryId, status: saysStatus === 1n ? status : now.status }
    if (act !== 'add') moves.change(id, now.status, was)
    if (act !== 'edit') moves.remove(id, { ...was, name: name ?? now.name }, atMs)
    if (act === 'add' || (JSON.parse(to) as { reference?: string }).reference !== undefined) forget.run(id)
    return true
  }

  return {
    /** `entryN`: the number of the sync's own entry; `animals`: how many animals it changed. */
    undoSync(n: bigint, entryN: bigint, animals: bigint, author: Author): Undone {
      const by = { ...author }
      let [gone, putBack] = [0, 0]
      connection.exec(`CREATE TEMP TABLE sync_entries (${COLUMNS})`)
      connection.prepare(NOTE_ENTRIES).run(entryN, n, animals)
      for (const entry of connection.prepare('SELECT * FROM temp.sync_entries').iterate()) {
        const row = entry as unknown as EntryRow
        const [petId, act, from, to] = row
        const undoing = UNDOING_ACTS[act]
        if (undoing === undefined || !takeBack(row, by.atMs)) continue
        if (act === 'add') gone += 1
        else putBack += 1
        enter(by, undoing, { petId, from: to, ...(from !== null && { to: from }) })
      }
      connection.exec('DROP TABLE temp.sync_entries')
      enter(by, 'undo import', { from: undoneSyncValues(n, gone, putBack) })
      return { removed: gone, putBack, kept: Number(animals) - gone - putBack }
    },
  }
}
