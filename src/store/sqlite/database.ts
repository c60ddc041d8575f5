/**
 * One SQLite file, opened so that a commit is on the disk when it returns: WAL with synchronous=FULL. Brings the file up
 * to date under a lock, refuses what it cannot serve with a sentence for the operator, and says cheaply whether another
 * process has committed since.
 */
import { accessSync, closeSync, constants, fdatasync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { StoreUnavailable, StoreUnusable, WrongAddress } from '../store.ts'
import { MIGRATIONS } from './migrations.ts'

/** Marks a file as this software's ("pets" in ASCII), so that somebody else's database is never migrated. */
const APPLICATION_ID = 0x70657473

/**
 * As much of the file as SQLite maps into memory at most (2 GB), to read pages without a system call each. A disk that fails
 * to read a mapped page ends the process, as it would any program that maps files; what was acknowledged is in the file.
 */
const MAPPED_BYTES = 0x7fff0000

// SQLite's primary result codes: https://www.sqlite.org/rescode.html
const SQLITE_PERM = 3
const SQLITE_BUSY = 5
const SQLITE_READONLY = 8
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
const SQLITE_NOTADB = 26

export class Database {
  readonly path: string
  readonly #db: DatabaseSync
  readonly #dataVersion: StatementSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  #seenVersion = 0n
  #inTurn = false
  #forget: () => void = () => {}
  /** The write-ahead log, opened beside SQLite to sync it; SQLite keeps its locks on other files, so closing it frees none. */
  #log: number | undefined

  /** `busyTimeoutMs`: how long a statement blocks this process while another one writes. Throws StoreUnusable. */
  constructor(path: string, options: { busyTimeoutMs: number }) {
    this.path = path
    if (path === '' || path.startsWith(':memory:')) {
      throw new WrongAddress('The database must be a file, such as --database sqlite:data/pets.db.')
    }
    try {
      mkdirSync(dirname(path), { recursive: true })
      this.#db = new DatabaseSync(path, { timeout: 5_000 })
    } catch (error) {
      throw new StoreUnusable(`The database ${path} cannot be opened: ${reason(error)}`)
    }
    try {
      this.#prepareFile()
      this.#db.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`)
      this.#dataVersion = this.prepare('PRAGMA data_version')
      this.#begin = this.prepare('BEGIN')
      this.#commit = this.prepare('COMMIT')
      accessSync(path, constants.W_OK)
    } catch (error) {
      this.#db.close()
      if (error instanceof StoreUnusable) throw error
      throw new StoreUnusable(`The database ${path} cannot be used: ${reason(error)}`)
    }
  }

  #prepareFile(): void {
    const db = this.#db
    // One statement, so that both are of one instant: another process may be making the file ours right now.
    const { id, tables } =
      db
        .prepare(
          'SELECT application_id AS id, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id',
        )
        .get() ?? {}
    if (id !== APPLICATION_ID && tables !== 0) {
      throw new StoreUnusable(
        `${this.path} is a SQLite database of some other program; name another file with --database.`,
      )
    }
    db.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA mmap_size = ${MAPPED_BYTES}`,
    )
    if (this.#version() === MIGRATIONS.length) return
    db.exec('BEGIN IMMEDIATE')
    try {
      const from = this.#version()
      if (from > MIGRATIONS.length) {
        throw new StoreUnusable(
          `${this.path} was written by a newer version of this software (schema ${from}, this one knows ${MIGRATIONS.length}); update the software.`,
        )
      }
      for (const migration of MIGRATIONS.slice(from)) db.exec(migration)
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`)
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }

  #version(): number {
    return Number(this.#db.prepare('PRAGMA user_version').get()?.user_version)
  }

  /** A statement whose rows are arrays and whose integers are exact. */
  prepare(sql: string): StatementSync {
    const statement = this.#db.prepare(sql)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    return statement
  }

  /** One more connection to the same file, which only reads. */
  openReader(): DatabaseSync {
    return new DatabaseSync(this.path, { readOnly: true })
  }

  exec(sql: string): void {
    this.#endTurn()
    this.read(() => this.#db.exec(sql))
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction
  }

  /** Runs `work` in a write transaction: all of it is on the disk when this returns, or none. Throws StoreUnavailable. */
  write<T>(work: () => T): T {
    this.#endTurn()
    try {
      this.#db.exec('BEGIN IMMEDIATE')
      const result = work()
      this.#db.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw unavailable(error)
    }
  }

  /**
   * Like `write`, for what a crash of the process must not lose but a request does not wait for: the commit is handed to the
   * operating system, and the disk follows in the background instead of holding up the event loop.
   */
  writeBehind<T>(work: () => T): T {
    this.#endTurn()
    this.#db.exec('PRAGMA synchronous = NORMAL')
    try {
      return this.write(work)
    } finally {
      this.#db.exec('PRAGMA synchronous = FULL')
      this.#syncLog()
    }
  }

  /** A failure here is the next commit's to report. */
  #syncLog(): void {
    // SQLite names the log after the file itself, whatever links it was opened by.
    this.#log ??= openSync(`${realpathSync(this.path)}-wal`, 'r+')
    fdatasync(this.#log, () => {})
  }

  /** Runs one read and turns the engine's failures into StoreUnavailable. */
  read<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw unavailable(error)
    }
  }

  /** Names what is to be forgotten when another connection has committed. */
  onChangeElsewhere(forget: () => void): void {
    this.#forget = forget
  }

  /**
   * Opens the turn: from here to the end of this turn of the event loop all reads share one read transaction, which makes
   * each three times cheaper, and one look whether another connection has committed, before anything kept in memory is
   * used. All requests of the turn were sent before it. Throws StoreUnavailable.
   */
  look(): void {
    if (this.#inTurn) return
    this.#inTurn = true
    setImmediate(this.#endTurn)
    try {
      const [version] = this.read(() => {
        this.#begin.run()
        return this.#dataVersion.get()
      }) as unknown as [bigint]
      if (version !== this.#seenVersion) this.#forget()
      this.#seenVersion = version
    } catch (error) {
      this.#endTurn() // so that the next request looks again, rather than trusting what is in memory
      throw error
    }
  }

  readonly #endTurn = (): void => {
    if (!this.#inTurn) return
    this.#inTurn = false
    if (this.#db.isTransaction) this.#commit.run()
  }

  close(): void {
    this.#endTurn()
    if (this.#log !== undefined) closeSync(this.#log)
    this.#db.close()
  }
}

/**
 * Holds the right to serve a file, so that two services never count for the same keys: an exclusive lock on a file beside
 * it, which the operating system lets go when the process ends, however it ends. Returns what releases it.
 */
export function claimService(path: string): () => void {
  let lock: DatabaseSync | undefined
  try {
    // Beside the file itself, whatever links it was named by.
    const held = new DatabaseSync(`${realpathSync(path)}.serving`, { timeout: 0 })
    lock = held
    held.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return () => held.close()
  } catch (error) {
    lock?.close()
    if (primaryCode(error) !== SQLITE_BUSY)
      throw new StoreUnusable(`The database ${path} cannot be used: ${reason(error)}`)
    throw new StoreUnusable(
      `Another \`pets serve\` is running on ${path}; stop it first, or name another file with --database.`,
    )
  }
}

export function isBusy(error: unknown): boolean {
  return error instanceof StoreUnavailable && primaryCode(error.cause) === SQLITE_BUSY
}

function primaryCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined
  return Number(error.errcode) & 0xff
}

/** A failure of the engine as what it means for a request. A fault of our own statements stays what it is. */
export function unavailable(error: unknown): unknown {
  const code = primaryCode(error)
  if (code === undefined || code === 1) return error
  return new StoreUnavailable(reason(error), { cause: error, retryAfterS: code === SQLITE_BUSY ? 1 : 5 })
}

function reason(error: unknown): string {
  switch (primaryCode(error)) {
    case SQLITE_NOTADB:
      return 'the file is not a SQLite database; name another one with --database, or restore it from a backup.'
    case SQLITE_CORRUPT:
      return 'the file is damaged; restore it from a backup, or save what can be read with the sqlite3 shell’s .recover.'
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return 'it may not be written; give this user write permission on the file and on its folder.'
    case SQLITE_FULL:
      return 'the disk is full; make room for the database and for temporary files (SQLITE_TMPDIR), and try again.'
    case SQLITE_BUSY:
      return 'another process is writing to it and did not finish in time; try again.'
    case SQLITE_IOERR:
      return 'the disk reports an error; look at the system’s log.'
    case SQLITE_CANTOPEN:
      return 'the file cannot be opened or made; check its path, and the permissions of its folder.'
    default:
      return error instanceof Error ? error.message : String(error)
  }
}
