/**
 * One connection to a SQLite file, configured so that a commit is on the disk when it returns and nobody sees it
 * before: in WAL mode with synchronous=FULL the log is synced first, and only then do readers see the commit. After a
 * failed sync no later commit depends on lost data, since it writes the same frames of the log again.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { StoreUnusable } from '../../store.ts'
import { reason } from './errors.ts'
import { migrate } from './migrations.ts'

/** How long opening waits for a process that is migrating the file. */
const OPEN_TIMEOUT_MS = 5_000
/** What a large change made the log grow beyond this is given back to the disk when the log begins anew. */
const LOG_KEPT_BYTES = 8 << 20
/** Memory for pages of the file, unless another amount is given. */
const CACHE_KIB = 65_536

export interface ConnectionOptions {
  readonly busyTimeoutMs: number
  readonly cacheKib?: number
}

export class Connection {
  readonly path: string
  readonly #db: DatabaseSync

  /**
   * Creates the file if it does not exist, and migrates it. `busyTimeoutMs`: how long a statement blocks this thread
   * while another connection writes. `cacheKib`: memory for pages of the file. Throws StoreUnusable.
   */
  constructor(path: string, { busyTimeoutMs, cacheKib = CACHE_KIB }: ConnectionOptions) {
    this.path = path
    let db: DatabaseSync | undefined
    try {
      db = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS })
      migrate(db, path)
      db.exec(`
        PRAGMA cache_size = -${cacheKib}; PRAGMA busy_timeout = ${busyTimeoutMs};
        PRAGMA journal_size_limit = ${LOG_KEPT_BYTES}`)
      this.#db = db
    } catch (error) {
      db?.close()
      if (error instanceof StoreUnusable) throw error
      throw new StoreUnusable(`The database ${path} cannot be used: ${reason(error)}`)
    }
  }

  /** Its rows are arrays, and its integers exact. */
  prepare(sql: string): StatementSync {
    return this.#db.prepare(sql, { returnArrays: true, readBigInts: true })
  }

  exec(sql: string): void {
    this.#db.exec(sql)
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction
  }

  /** Rolls back a failed transaction, if there is one. An error of the rollback itself adds nothing. */
  rollBack(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
    } catch {}
  }

  close(): void {
    this.#db.close()
  }
}
