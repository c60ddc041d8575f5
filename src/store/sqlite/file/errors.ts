/** What a failure of SQLite means for requests, people and threads. */
import { isSystemError } from '../../../common/errors.ts'
import { isNoWayIn, whyUnreachable } from '../../../common/paths.ts'
import { SessionEnded, StoreUnavailable, StoreUnusable } from '../../errors.ts'

// SQLite's primary result codes: https://www.sqlite.org/rescode.html
const SQLITE_ERROR = 1
const SQLITE_PERM = 3
const SQLITE_BUSY = 5
const SQLITE_READONLY = 8
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
const SQLITE_CONSTRAINT = 19
const SQLITE_NOTADB = 26
const SQLITE_IOERR_SHMSIZE = 4_874

/** Retry-After in seconds: another writer finishes sooner than a disk or a moved file recovers. */
const RETRY_BUSY_S = 1
export const RETRY_FAILED_S = 5

/** Errors in our own statements are returned unchanged. */
export function failure(error: unknown): unknown {
  const code = resultCode(error)
  if (code === undefined || code === SQLITE_ERROR) return error
  return new StoreUnavailable(reason(error), {
    cause: error,
    retryAfterS: isBusy(error) ? RETRY_BUSY_S : RETRY_FAILED_S,
  })
}

export function isSqliteError(error: unknown): boolean {
  return resultCode(error) !== undefined
}

export const isBusy = hasCode(SQLITE_BUSY)
export const isDamage = hasCode(SQLITE_CORRUPT)
export const isNoDatabase = hasCode(SQLITE_NOTADB)
export const isForbidden = hasCode(SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN)
/** Whether the statement violated a constraint, which is not a fault of the file. */
export const isConstraint = hasCode(SQLITE_CONSTRAINT)

function hasCode(...codes: readonly number[]): (error: unknown) => boolean {
  return (error) => codes.includes(resultCode(error) ?? -1)
}

function resultCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined
  return Number(error.errcode) & 0xff
}

/** Whether the disk is too full even for reading: SQLite creates an index of the log. */
export function lacksRoomToRead(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_IOERR_SHMSIZE
}

export const NO_ROOM_TO_READ =
  'its own disk is full, and reading needs 32 KiB there; make room, or stop the service and copy the file, with its -wal, to another disk.'

function sameCode(error: unknown): number | undefined {
  if (lacksRoomToRead(error)) return SQLITE_FULL
  if (!isNoWayIn(error)) return resultCode(error)
  return 'syscall' in error && error.syscall === 'access' ? SQLITE_READONLY : SQLITE_CANTOPEN
}

export function reason(error: unknown): string {
  if (error instanceof StoreUnavailable) return error.reason
  const way = isNoWayIn(error) && 'path' in error ? whyUnreachable(error, String(error.path)) : undefined
  if (way !== undefined) return `${way}.`
  switch (sameCode(error)) {
    case SQLITE_NOTADB:
      return 'the file is not a SQLite database; name another one with --database, or restore it from a backup.'
    case SQLITE_CORRUPT:
      return 'the file is damaged; restore it from a backup, or save what can be read with the sqlite3 shell’s .recover.'
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return 'this user cannot write to it; give the user write permission on the file and on its folder.'
    case SQLITE_FULL:
      return 'the disk is full; free some space for the database and for temporary files (SQLITE_TMPDIR), and try again.'
    case SQLITE_BUSY:
      return 'another process is writing to it and did not finish in time; try again.'
    case SQLITE_IOERR:
      return 'the disk reports an error, for which see the system’s log, or no folder for temporary files can be written: SQLITE_TMPDIR names one.'
    case SQLITE_CANTOPEN:
      return 'the file cannot be opened or made; check its path, and the permissions of its folder.'
    default:
      return error instanceof Error ? error.message : String(error)
  }
}

/** A sentence that begins with `what`. Errors in our own code are returned unchanged. */
export function asUnusable(error: unknown, what: string): unknown {
  if (!isSqliteError(error) && !isSystemError(error)) return error
  return new StoreUnusable(`${what}: ${reason(error)}`)
}

/** An error as a message between threads. The message of a bug is its stack. */
export interface SerializedError {
  readonly kind: 'unavailable' | 'unusable' | 'session ended' | 'bug'
  readonly message: string
  readonly retryAfterS?: number
}

export function serializeError(thrown: unknown): SerializedError {
  const error = failure(thrown)
  if (error instanceof StoreUnavailable) {
    return { kind: 'unavailable', message: error.reason, retryAfterS: error.retryAfterS }
  }
  const { message, stack = message } = error instanceof Error ? error : { message: String(error) }
  if (error instanceof SessionEnded) return { kind: 'session ended', message }
  return error instanceof StoreUnusable ? { kind: 'unusable', message } : { kind: 'bug', message: stack }
}

export function deserializeError({ kind, message, retryAfterS = RETRY_BUSY_S }: SerializedError): Error {
  if (kind === 'session ended') return new SessionEnded()
  if (kind === 'unavailable') return new StoreUnavailable(message, { retryAfterS })
  return kind === 'unusable' ? new StoreUnusable(message) : new Error(message)
}
