/**
 * Whether the log beside a file (PATH-wal) is its own, and whether the file is the one that a service runs on. SQLite
 * replays whatever log it finds, so a file that was put in the place of another one while that one's log was left
 * becomes a mixture of both. Each file therefore has an identity, which no copy made by `pets backup` shares. What the
 * file alone says of it is noted beside it, in PATH.serving, before there is a log.
 */

import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { isSystemError } from '../../../common/errors.ts'
import { accessOf, createFile } from '../../../common/private-files.ts'
import { StoreUnusable } from '../../store.ts'
import type { Connection } from './connection.ts'
import { isBusy, isSqliteError } from './errors.ts'
import { type FileLock, lockFailure, lockPath, realFile, repairingLock } from './file-lock.ts'

interface Note {
  /** The identity. */
  readonly id: string
  /** The file that a service runs on (`fileId`); empty in the note of a command. */
  readonly file: string
}

/** How long a command waits for another one that is noting something. */
const PATIENCE_MS = 250
/** Where a file of SQLite says whether it has a log: byte 18 is 2 then (https://www.sqlite.org/fileformat.html). */
const WRITE_VERSION_AT = 18
const HAS_LOG = 2

/** The file is not the one that its log belongs to. */
export class ForeignWal extends StoreUnusable {
  constructor(path: string) {
    super(
      `${path} was replaced by another file, and the log ${path}-wal of the one before was left beside it: together they would be a mixture of both. Nothing was changed. Put the backup in place with \`pets restore FILE\`, which keeps what is here under another name.`,
    )
  }
}

/** The file as the system knows it, whatever its name; undefined when there is none. */
export function fileId(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}

/** Whether a service, or a command that needs it for itself, has the database at this path. */
export function isServed(path: string, timeout = 0): boolean {
  const file = lockPath(path, 'serving')
  if (!existsSync(file)) return false
  const db = attempt(() => new DatabaseSync(file, { readOnly: true, timeout }))
  try {
    db?.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (!isSqliteError(error)) throw error
    return isBusy(error)
  } finally {
    db?.close()
  }
}

/**
 * To be called before the file is opened, which replays its log. `serving`: the lock, if this process has it. Throws
 * ForeignWal, or StoreUnusable when a service runs on another file than the one that is here now.
 */
export function assertOwnWal(path: string, serving?: FileLock): void {
  if (!existsSync(path)) return
  const note = readNote(path, serving)
  if (serving === undefined && isServed(path)) {
    const isOther = note !== undefined && note.file !== '' && note.file !== fileId(path)
    if (isOther && isServed(path, PATIENCE_MS)) throw new StoreUnusable(replaced(path))
    return
  }
  if (!hasWal(path)) return
  if (!isInWalMode(path)) throw new ForeignWal(path)
  const now = readAlone(path)
  if (note !== undefined && now !== undefined && note.id !== now) throw new ForeignWal(path)
}

function replaced(path: string): string {
  return `${path} is not the file that the running \`pets serve\` has open: it was replaced or moved meanwhile. Nothing was changed. Stop the service, see which of the two files is the right one, and start it again.`
}

/** Notes what the file alone says, unless there is a log already. Throws StoreUnusable. */
export function recordIdentityBeforeOpening(path: string, serving?: FileLock): void {
  if (existsSync(path) && !hasWal(path)) note(path, serving)
}

/** For whoever opened the file to write; beside a service, that has done it. On a full disk nothing is noted. */
export function recordIdentity(connection: Connection, serving?: FileLock): void {
  // A new file says what it is once its log was copied into it.
  attempt(() => connection.exec('PRAGMA wal_checkpoint(PASSIVE)'))
  note(connection.path, serving)
}

/** Notes what `file` says, which is about to take the place of the database that `serving` is for. */
export function recordSuccessor(file: string, serving: FileLock): void {
  writeNote(serving.file, toNote(readAlone(file), ''))
}

function note(path: string, serving: FileLock | undefined): void {
  const next = toNote(readAlone(path), serving === undefined ? '' : (fileId(path) ?? ''))
  if (isDeepStrictEqual(next, readNote(path, serving))) return
  if (serving !== undefined) {
    writeNote(serving.file, next)
    return
  }
  const file = lockPath(path, 'serving')
  try {
    createFile(file, accessOf(realFile(path)))
    repairingLock(file, () => {
      const db = new DatabaseSync(file, { timeout: PATIENCE_MS })
      try {
        writeNote(db, next)
      } finally {
        db.close()
      }
    })
  } catch (error) {
    if (isBusy(error)) return // a service has it, and has noted what it opened
    if (isSqliteError(error) || isSystemError(error)) throw new StoreUnusable(lockFailure(path, file, error))
    throw error
  }
}

function toNote(id: string | undefined, file: string): Note | undefined {
  return id === undefined ? undefined : { id, file }
}

/** Undefined where the file does not say what it is: then nothing may be known that another one said. */
function writeNote(db: DatabaseSync, next: Note | undefined): void {
  if (!db.isTransaction) db.exec('BEGIN IMMEDIATE')
  db.exec('DROP TABLE IF EXISTS last; DROP TABLE IF EXISTS noted; CREATE TABLE noted (id TEXT, file TEXT)')
  if (next !== undefined) db.prepare('INSERT INTO noted VALUES (?, ?)').run(next.id, next.file)
  db.exec('COMMIT') // an exclusive lock stays
}

/** Whether the log is not empty. */
export function hasWal(path: string): boolean {
  return (statSync(`${realFile(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/**
 * Whether the file says that it has a log; one that does not, such as a backup, has none of its own. To be called
 * before this process has opened the file: closing it here would let go of every lock that the process has on it.
 */
export function isInWalMode(path: string): boolean {
  const byte = Buffer.alloc(1)
  const fd = openSync(path, 'r')
  try {
    return readSync(fd, byte, 0, 1, WRITE_VERSION_AT) === 0 || byte[0] === HAS_LOG
  } finally {
    closeSync(fd)
  }
}

/** Gives a copy an identity of its own. */
export function renewIdentity(db: DatabaseSync): void {
  const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'identity'").get() !== undefined
  if (isThere) db.exec('UPDATE identity SET id = lower(hex(randomblob(16)))')
}

/** A file without its log, which no lock of others stops and which locks nothing. */
export function openAlone(path: string): DatabaseSync {
  const alone = pathToFileURL(resolve(path))
  alone.search = '?immutable=1'
  return new DatabaseSync(alone, { readOnly: true })
}

/** Undefined where the file without its log does not say, as when it is new, older than this or damaged. */
function readAlone(path: string): string | undefined {
  const id = String(firstRow(() => openAlone(path), ['SELECT id FROM identity'])?.id)
  return /^[0-9a-f]{32}$/.test(id) ? id : undefined
}

/** Readable also while a service holds the lock: what it notes was written before anybody could ask. */
function readNote(path: string, serving?: FileLock): Note | undefined {
  const file = lockPath(path, 'serving')
  if (!existsSync(file)) return undefined
  const row = firstRow(() => serving?.file ?? openAlone(file), ['SELECT * FROM noted', 'SELECT * FROM last'], serving)
  return row && { id: String(row.id), file: String(row.file ?? '') }
}

/** Of the first statement that the file knows. */
function firstRow(open: () => DatabaseSync, statements: readonly string[], kept?: FileLock) {
  const db = attempt(open)
  try {
    for (const sql of statements) {
      const row = attempt(() => {
        return db?.prepare(sql).get()
      })
      if (row !== undefined) return row
    }
    return undefined
  } finally {
    if (kept === undefined) db?.close()
  }
}

/** What SQLite cannot do here is left undone: the file is then opened as if nothing were known of it. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!isSqliteError(error)) throw error
    return undefined
  }
}
