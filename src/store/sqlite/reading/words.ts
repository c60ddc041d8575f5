/** Words for statuses in SQLite: read here, set by the writer (../writing/naming/words.ts). */
import type { Eventual } from '../../../common/eventual.ts'
import type { PetStatus } from '../../../contract/schemas.ts'
import type { Author } from '../../author.ts'
import { toStatusWords } from '../../rules/status-words.ts'
import type { SharedWord, StatusWords, WordStore } from '../../words.ts'
import type { Writer } from '../writing/writer.ts'
import type { Database } from './database.ts'

export class SqliteWords implements WordStore {
  readonly #database: Database
  readonly #writer: Writer

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
  }

  ofStatuses(): StatusWords {
    const rows = this.#database.read(() => this.#database.prepare('SELECT status, word FROM status_words').all())
    return toStatusWords(rows as unknown as [string, string][])
  }

  set(words: ReadonlyMap<PetStatus, string | undefined>, by: Author): Eventual<SharedWord | undefined> {
    return this.#writer.run('setStatusWords', words, by)
  }
}
