/** Words for statuses, each change with its journal entry in the same transaction. */

import type { PetStatus } from '../../../../contract/schemas.ts'
import type { Author } from '../../../author.ts'
import { wordValues } from '../../../rules/journal.ts'
import { toStatusWords, toWording } from '../../../rules/status-words.ts'
import type { SharedWord } from '../../../words.ts'
import type { Connection } from '../../file/connection.ts'
import { journalWriter } from '../journal.ts'

export function wordWrites(connection: Connection) {
  const enter = journalWriter(connection)
  return {
    setStatusWords(words: ReadonlyMap<PetStatus, string | undefined>, by: Author): SharedWord | undefined {
      const rows = connection.prepare('SELECT status, word FROM status_words').all()
      const before = toStatusWords(rows as unknown as [string, string][])
      const { changed, shared } = toWording(before, words)
      if (shared !== undefined) return shared
      for (const status of changed) {
        const word = words.get(status)
        connection.prepare('DELETE FROM status_words WHERE status = ?').run(status)
        if (word !== undefined) {
          connection.prepare('INSERT INTO status_words (status, word) VALUES (?, ?)').run(status, word)
        }
        enter(by, 'word', { from: wordValues(status, before[status]), to: wordValues(status, word) })
      }
      return undefined
    },
  }
}
