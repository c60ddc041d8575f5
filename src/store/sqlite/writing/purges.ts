/** Purges removed animals whose time is over. */
import type { Author } from '../../author.ts'
import type { Connection } from '../file/connection.ts'
import { journalWriter } from './journal.ts'

export function purgeWrites(connection: Connection) {
  const enter = journalWriter(connection)
  return {
    /** Purges at most `limit` of the animals removed before `beforeMs`; returns their number. */
    purgePets(beforeMs: number, limit: number, by: Author): number {
      const overdue = connection.prepare('SELECT id FROM removed_pets WHERE removed_at_ms < ? LIMIT ? + 0')
      const rows = overdue.all(BigInt(beforeMs), limit) as unknown as [bigint][]
      const drop = connection.prepare('DELETE FROM removed_pets WHERE id = ?')
      const forget = connection.prepare('DELETE FROM pet_references WHERE pet_id = ?')
      const unmerge = connection.prepare('DELETE FROM merged_pets WHERE pet_id = ?')
      for (const [petId] of rows) {
        drop.run(petId)
        forget.run(petId)
        unmerge.run(petId)
        enter(by, 'purge', { petId })
      }
      return rows.length
    },
  }
}
