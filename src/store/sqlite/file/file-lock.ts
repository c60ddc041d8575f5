/**
 * PATH.serving and PATH.importing are exclusive, PATH.using is shared by all except `restore`. A lock of SQLite on an
 * empty file is taken before the database is opened.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { isSystemError } from '../../../common/errors.ts'
import { isThere, realFile } from '../../../common/paths.ts'
import { accessOf, createFile } from '../../../common/private-files.ts'
import { PROGRAM_ROOT } from '../../../common/program.ts'
import { StoreUnusable, WrongAddress } from '../../store.ts'
import { isBusy, isForbidden, isSqliteError, reason } from './errors.ts'

type Purpose = 'serving' | 'importing' | 'using'

/** Nothing is written. A journal would be another file. */
const EXCLUSIVE = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'
const SHARED = 'BEGIN; SELECT count(*) FROM sqlite_schema'
/** A command that only reads can hold it for a moment. */
const TIMEOUT_MS = 250
/** How long commands wait for `restore`, and `restore` for commands. */
export const LONG_TIMEOUT_MS = 5_000

export type FileLock = Pick<DatabaseSync, 'close' | typeof Symbol.dispose>

/** Throws an ExplainedError for anything except a file: opening a pipe would wait forever. */
export function assertFile(path: string): void {
  if (path === '' || path.startsWith(':memory:')) {
    throw new WrongAddress('The database must be a file, such as --database sqlite:data/pets.db.')
  }
  if (isThere(path) && !statSync(path).isFile()) {
    throw new StoreUnusable(
      `The database ${path} cannot be opened: it is not a file; name another one with --database.`,
    )
  }
}

function lockPath(path: string, purpose: Purpose): string {
  return `${realFile(path)}.${purpose}`
}

/** Ends with the process. Throws StoreUnusable, with `busyMessage` if another process holds it. */
export function lockExclusively(path: string, purpose: Purpose, busyMessage: string, timeoutMs?: number): FileLock {
  return take(path, purpose, EXCLUSIVE, busyMessage, timeoutMs)
}

/** Shares PATH.using, which keeps `restore` away. Throws StoreUnusable. */
export function lockShared(path: string): FileLock {
  const busyMessage = `${path} is being restored; wait for the end of \`pets restore\` and try again.`
  return take(path, 'using', SHARED, busyMessage, LONG_TIMEOUT_MS)
}

/** Creates no file, so that a backup on a read-only disk can be verified. Undefined without a lock file. */
export function lockSharedToRead(path: string): FileLock | undefined {
  return existsSync(lockPath(path, 'using')) ? lockShared(path) : undefined
}

function take(path: string, purpose: Purpose, sql: string, busyMessage: string, timeout = TIMEOUT_MS): FileLock {
  const file = lockPath(path, purpose)
  try {
    createFile(file, accessOf(realFile(path)))
    // SQLite opens a read-only file for reading, where an exclusive transaction locks nothing.
    if (purpose !== 'using') accessSync(file, constants.W_OK)
    return openWith(file, sql, { timeout })
  } catch (error) {
    throw new StoreUnusable(isBusy(error) ? busyMessage : lockFailure(path, file, error))
  }
}

/** Whether a service, or a command that needs it alone, uses the database. Throws StoreUnusable. */
export function isServed(path: string): boolean {
  const file = lockPath(path, 'serving')
  if (!existsSync(file)) return false
  try {
    openWith(file, SHARED, { readOnly: true }).close()
    return false
  } catch (error) {
    if (!isSqliteError(error)) throw error
    if (!isForbidden(error)) return isBusy(error)
    throw new StoreUnusable(`This user cannot read ${file}. Run this as the user of the service.`)
  }
}

function openWith(file: string, sql: string, options: DatabaseSyncOptions): DatabaseSync {
  const lock = new DatabaseSync(file, options)
  try {
    lock.exec(sql)
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}

function lockFailure(path: string, file: string, error: unknown): string {
  const what = `The lock file ${file} cannot be used:`
  if (!isForbidden(error) && !isSystemError(error)) return `${what} ${reason(error)}`
  if (!existsSync(file)) {
    return `${what} this user cannot create files in ${dirname(file)}; give the user write permission on that folder.`
  }
  const like = existsSync(path) ? path : dirname(file)
  return `${what} this user cannot write it; run this as its owner, give it the owner of the database with chown --reference=${like} ${file}, or remove it while nothing uses the database.`
}

/** The socket of the package would start the service again, so it is stopped too. */
export function stopFirst(path: string): string {
  const how = PROGRAM_ROOT.startsWith('/usr/') ? 'systemctl stop pets.socket pets' : 'Ctrl-C in its terminal'
  return `\`pets serve\` is running on ${path}; stop it first (${how}) and try again.`
}
