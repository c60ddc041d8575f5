/** A connection to a SQLite file, in WAL mode with synchronous=FULL: a commit is on the disk before anyone sees it. */
import { DatabaseSync } from 'node:sqlite'
import { asUnusable } from './errors.ts'
import { migrate } from './migrations.ts'

const OPEN_TIMEOUT_MS = 5_000
/** A larger log is truncated when it starts again. */
const LOG_KEPT_BYTES = 8 << 20
const CACHE_KIB = 65_536

export interface ConnectionOptions {
  readonly busyTimeoutMs: number
  readonly cacheKib?: number
}

/** Creates or migrates the file. `busyTimeoutMs`: the wait for another writer. Throws StoreUnusable. */
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

/** Rolls back a failed transaction, if there is one, and ignores errors of that. */
export function rollBack(db: DatabaseSync | undefined): void {
  try {
    if (db?.isTransaction) db.exec('ROLLBACK')
  } catch {}
}
