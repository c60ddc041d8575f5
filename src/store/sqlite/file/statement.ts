/**
 * A statement of SQLite that is prepared when it is first used. A store knows two hundred, of which a command uses a
 * few, and preparing all of them is most of the time in which a file is opened.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

/** Its rows are arrays, and its integers exact. */
export class Statement {
  readonly #db: DatabaseSync
  readonly #sql: string
  #prepared: StatementSync | undefined

  constructor(db: DatabaseSync, sql: string) {
    this.#db = db
    this.#sql = sql
  }

  get(...values: SQLInputValue[]) {
    return this.#ready.get(...values)
  }

  all(...values: SQLInputValue[]) {
    return this.#ready.all(...values)
  }

  run(...values: SQLInputValue[]) {
    return this.#ready.run(...values)
  }

  get #ready(): StatementSync {
    this.#prepared ??= this.#prepare()
    return this.#prepared
  }

  #prepare(): StatementSync {
    const statement = this.#db.prepare(this.#sql)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    return statement
  }
}
