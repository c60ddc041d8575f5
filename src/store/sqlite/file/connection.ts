/**
 * One connection to a SQLite file, configured so that a commit is on the disk when it returns and nobody sees it
 * before: in WAL mode with synchronous=FULL the log is synced first, and only then do readers see the commit. After a
 * failed sync no later commit depends on lost data, since it writes the same frames of the log again.
 */
import { DatabaseSync } from 'node:sqlite'
import { asUnusable } from './errors.ts'
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

/**
 * Creates the file if it does not exist, and migrates it. Rows are arrays, and integers exact. `busyTimeoutMs`: how long
 * a statement blocks this thread while another connection writes. `cacheKib`: memory for pages of the file. Throws
 * StoreUnusable.
 */
export function openConnection(path: string, { busyTimeoutMs, cacheKib = CACHE_KIB }: ConnectionOptions): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS, returnArrays: true, readBigInts: true })
    migrate(db, path)
    db.exec(`
      PRAGMA cache_size = -${cacheKib}; PRAGMA busy_timeout = ${busyTimeoutMs};
      PRAGMA journal_size_limit = ${LOG_KEPT_BYTES}`)
    return db
  } catch (error) {
    db?.close()
    throw asUnusable(error, `The database ${path} cannot be used`)
  }
}

/** Rolls back a failed transaction, if there is one. An error of the rollback itself adds nothing. */
export function rollBack(db: DatabaseSync | undefined): void {
  try {
    if (db?.isTransaction) db.exec('ROLLBACK')
  } catch {}
}
