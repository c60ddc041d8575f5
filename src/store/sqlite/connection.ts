/**
 * One connection to a SQLite file, set so that a commit is on the disk when it returns and nobody sees it before: in WAL
 * mode with synchronous=FULL the log is synced first, and only then do readers learn of the commit. A sync that fails
 * leaves nothing behind for a later commit to stand on, since that one writes the same frames of the log again.
 */
import { accessSync, constants, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { StoreUnusable } from '../store.ts'
import { failure, reason } from './failure.ts'
import { migrate } from './migrate.ts'

/** How long opening waits for a process that is just bringing the file up to date. */
const OPEN_PATIENCE_MS = 5_000
const CACHE_KIB = 65_536

export class Connection {
  readonly path: string
  readonly #db: DatabaseSync

  /**
   * Makes the file when there is none, and brings it up to date. `busyTimeoutMs`: how long a statement blocks this thread
   * while another connection writes. Throws StoreUnusable.
   */
  constructor(path: string, options: { busyTimeoutMs: number }) {
    this.path = path
    if (path === '' || path.startsWith(':memory:')) {
      throw new StoreUnusable('The database must be a file, such as --database sqlite:data/pets.db.')
    }
    try {
      mkdirSync(dirname(path), { recursive: true })
      this.#db = new DatabaseSync(path, { timeout: OPEN_PATIENCE_MS })
    } catch (error) {
      throw new StoreUnusable(`The database ${path} cannot be opened: ${reason(error)}`)
    }
    try {
      migrate(this.#db, path)
      this.#db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA busy_timeout = ${options.busyTimeoutMs}`)
      accessSync(path, constants.W_OK)
    } catch (error) {
      this.#db.close()
      if (error instanceof StoreUnusable) throw error
      throw new StoreUnusable(`The database ${path} cannot be used: ${reason(error)}`)
    }
  }

  /** A statement whose rows are arrays and whose integers are exact. */
  prepare(sql: string): StatementSync {
    const statement = this.#db.prepare(sql)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    return statement
  }

  exec(sql: string): void {
    this.#db.exec(sql)
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction
  }

  /** Runs one read and turns the engine's failures into StoreUnavailable. */
  read<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw failure(error)
    }
  }

  /** Runs `work` in a transaction: all of it is on the disk when this returns, or none. Throws StoreUnavailable. */
  write<T>(work: () => T, begin = 'BEGIN IMMEDIATE'): T {
    try {
      this.#db.exec(begin)
      const result = work()
      this.#db.exec('COMMIT')
      return result
    } catch (error) {
      this.rollBack()
      throw failure(error)
    }
  }

  /** Ends a transaction that came to nothing, if there is one. What SQLite says to that tells nothing new. */
  rollBack(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
    } catch {}
  }

  close(): void {
    this.#db.close()
  }
}
