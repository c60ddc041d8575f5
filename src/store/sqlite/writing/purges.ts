/**
 * Purges removed animals, and never on one reading of the clock: a clock that is wrong for a while must not destroy
 * what can still be restored. Each purge notes its day, once, and the animals that it sees removed for the first time.
 * An animal is purged when RESTORABLE_DAYS other days have been noted since and its own time is over as well.
 */

import { DAY_MS } from '../../../common/clock.ts'
import type { Author } from '../../author.ts'
import { RESTORABLE_DAYS } from '../../rules/bounds.ts'
import type { Connection } from '../file/connection.ts'
import { journalWriter } from './journal.ts'

export function purgeWrites(connection: Connection) {
  const enter = journalWriter(connection)
  return {
    /** Notes the day, and at most `limit` removed animals not noted yet; returns their number. */
    notePurgeDay(atMs: number, limit: number): number {
      connection.prepare('INSERT OR IGNORE INTO purge_days (day) VALUES (?)').run(BigInt(Math.floor(atMs / DAY_MS)))
      connection
        .prepare(
          `DELETE FROM purge_marks WHERE pet_id IN (
            SELECT pet_id FROM purge_marks WHERE pet_id NOT IN (SELECT id FROM removed_pets) LIMIT ? + 0)`,
        )
        .run(limit)
      const note = connection.prepare(`
        INSERT INTO purge_marks
        SELECT id, (SELECT max(n) FROM purge_days) FROM removed_pets
        WHERE id NOT IN (SELECT pet_id FROM purge_marks) LIMIT ? + 0`)
      return Number(note.run(limit).changes)
    },

    /** Purges at most `limit` of the animals removed before `beforeMs`; returns their number. */
    purgePets(beforeMs: number, limit: number, by: Author): number {
      const overdue = connection.prepare(`
        SELECT id FROM purge_marks JOIN removed_pets ON id = pet_id
        WHERE seen_n <= (SELECT max(n) FROM purge_days) - ? AND removed_at_ms < ? LIMIT ? + 0`)
      const rows = overdue.all(BigInt(RESTORABLE_DAYS), BigInt(beforeMs), limit) as unknown as [bigint][]
      const drop = connection.prepare('DELETE FROM removed_pets WHERE id = ?')
      const unmark = connection.prepare('DELETE FROM purge_marks WHERE pet_id = ?')
      const forget = connection.prepare('DELETE FROM pet_references WHERE pet_id = ?')
      const unmerge = connection.prepare('DELETE FROM merged_pets WHERE pet_id = ?')
      for (const [petId] of rows) {
        drop.run(petId)
        unmark.run(petId)
        forget.run(petId)
        unmerge.run(petId)
        enter(by, 'purge', { petId })
      }
      return rows.length
    },
  }
}
