/** The names of categories; each change writes a journal entry. */
import type { Author } from '../records.ts'
import type { Connection } from './connection.ts'
import { journalWriter } from './journal.ts'

export function categoryOperations(connection: Connection) {
  const enter = journalWriter(connection)
  return {
    labelCategory(categoryId: bigint, label: string | undefined, by: Author): void {
      const [before] = (connection.prepare('SELECT label FROM categories WHERE id = ?').get(categoryId) ??
        []) as unknown as [string?]
      if (before === label) return
      if (label === undefined) connection.prepare('DELETE FROM categories WHERE id = ?').run(categoryId)
      else connection.prepare('INSERT OR REPLACE INTO categories VALUES (?, ?)').run(categoryId, label)
      const values = (text: string | undefined) =>
        `{"categoryId":${categoryId},"label":${JSON.stringify(text ?? null)}}`
      enter(by, 'label', { from: values(before), to: values(label) })
    },
  }
}
