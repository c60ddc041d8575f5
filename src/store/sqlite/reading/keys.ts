/**
 * The look-up of a request's key in SQLite. Keys are cached until another connection commits a change, so a revocation
 * there takes effect at once (O7).
 */
import type { StatementSync } from 'node:sqlite'
import { KEY_COLUMNS, toKey } from '../../keys.ts'
import type { Key } from '../../rows.ts'
import type { Row } from '../../sql.ts'
import type { Database } from './database.ts'

export class KeyLookup {
  readonly #database: Database
  readonly #found = new Map<string, Key>()
  readonly #select: StatementSync

  constructor(database: Database) {
    this.#database = database
    this.#select = database.prepare(`SELECT ${KEY_COLUMNS} FROM keys WHERE hash = ?`)
  }

  forget(): void {
    this.#found.clear()
  }

  find(hash: string): Key | undefined {
    this.#database.beginTurn()
    const known = this.#found.get(hash)
    if (known !== undefined) return known
    const row = this.#database.read(() => this.#select.get(hash))
    if (row === undefined) return undefined
    const key = toKey(row as unknown as Row)
    this.#found.set(hash, key)
    return key
  }
}
