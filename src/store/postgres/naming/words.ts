/** Words for statuses in PostgreSQL. Those who set them wait for each other, so no two are alike. */
import type { PetStatus } from '../../../contract/schemas.ts'
import type { Author } from '../../author.ts'
import { wordValues } from '../../rules/journal.ts'
import { toStatusWords, toWording } from '../../rules/status-words.ts'
import type { SharedWord, StatusWords, WordStore } from '../../words.ts'
import type { Database } from '../connection/database.ts'
import type { Query } from '../connection/query.ts'
import { enter } from '../journal.ts'

export class PostgresWords implements WordStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  ofStatuses(): Promise<StatusWords> {
    return statusWords(this.#database.query)
  }

  set(words: ReadonlyMap<PetStatus, string | undefined>, by: Author): Promise<SharedWord | undefined> {
    return this.#database.transaction('BEGIN', async (query) => {
      await query('LOCK TABLE status_words IN SHARE ROW EXCLUSIVE MODE')
      const before = await statusWords(query)
      const { changed, shared } = toWording(before, words)
      if (shared !== undefined) return shared
      for (const status of changed) {
        const word = words.get(status)
        await query('DELETE FROM status_words WHERE status = $1', [status])
        if (word !== undefined) await query('INSERT INTO status_words (status, word) VALUES ($1, $2)', [status, word])
        await enter(query, by, 'word', [{ from: wordValues(status, before[status]), to: wordValues(status, word) }])
      }
      return undefined
    })
  }
}

async function statusWords(query: Query): Promise<StatusWords> {
  const rows = await query('SELECT status, word FROM status_words')
  return toStatusWords(rows.map(([status, word]) => [status ?? '', word ?? '']))
}
