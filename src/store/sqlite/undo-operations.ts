/** Undoes an import, step by step: its animals that nobody has changed since become removed animals. */
import type { Author } from '../records.ts'
import type { Connection } from './connection.ts'
import { journalWriter } from './journal.ts'
import { searchOperations } from './search-operations.ts'

export function undoOperations(connection: Connection) {
  const enter = journalWriter(connection)
  const search = searchOperations(connection)
  return {
    /** Removes at most `limit` of the animals; returns their number, 0 if none are left. */
    undoSome(n: bigint, limit: number, by: Author): number {
      const some = connection.prepare(`
        SELECT pets.id, status FROM import_ranges
        JOIN pets ON pets.id BETWEEN first_id AND last_id
        WHERE import_n = ? AND NOT EXISTS (SELECT 1 FROM journal WHERE pet_id = pets.id)
        LIMIT ? + 0`)
      const keep = connection.prepare(
        'INSERT INTO removed_pets SELECT id, name, category_id, status, ? FROM pets WHERE id = ?',
      )
      const remove = connection.prepare('DELETE FROM pets WHERE id = ?')
      const count = connection.prepare('UPDATE pet_counts SET n = n - 1 WHERE status = ?')
      const rows = some.all(n, limit) as unknown as [bigint, string | null][]
      for (const [id, status] of rows) {
        keep.run(BigInt(by.atMs), id)
        remove.run(id)
        count.run(status ?? 'none')
        search.replaceName(id, undefined)
      }
      return rows.length
    },

    /** Marks the import as undone. */
    endUndo(n: bigint, removed: number, by: Author): void {
      connection.prepare('UPDATE imports SET undone_at_ms = ? WHERE n = ?').run(BigInt(by.atMs), n)
      enter(by, 'undo import', { from: `{"import":${n},"animals":${removed}}` })
    },
  }
}
