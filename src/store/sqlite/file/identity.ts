/**
 * Whether the log beside a file (PATH-wal) is its own, and whether the file is the one that a service runs on. SQLite
 * replays whatever log it finds, so a file that was put in the place of another one while that one's log was left
 * becomes a mixture of both. Each file therefore has an identity, which no copy made by `pets backup` shares, and
 * whoever opens it to write leaves a mark in it. What the file alone says is noted beside it, in PATH.serving, before
 * there is a log: another file has another identity, and an earlier state of the same one lacks the mark. A power
 * failure while the log is copied into the file may leave a half of the page that says so; a seal tells that, and then
 * the file alone says nothing.
 */

import { createHash, randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { isOfSystem } from '../../../common/errors.ts'
import { accessOf, createFile } from '../../../common/private-files.ts'
import { StoreUnavailable, StoreUnusable } from '../../store.ts'
import { type Claim, cannotHold, claimFile, mending, realFile } from './claim.ts'
import type { Connection } from './connection.ts'
import { isBusy, isOfSqlite } from './failure.ts'

interface Identity {
  readonly id: string
  readonly changes: bigint
  /** The newest first. */
  readonly marks: readonly string[]
}

interface Note {
  readonly id: string
  readonly changes: bigint
  /** Empty while the file had none. */
  readonly mark: string
  /** The file that a service runs on (`fileId`); empty in the note of a command. */
  readonly file: string
}

/** How long a command waits for another one that is noting something. */
const PATIENCE_MS = 250
/** How many marks a file keeps. */
const MARKS = 16
/** Where a file of SQLite says whether it has a log: byte 18 is 2 then (https://www.sqlite.org/fileformat.html). */
const WRITE_VERSION_AT = 18
const HAS_LOG = 2

/** The file is not the one that its log belongs to. */
export class ForeignLog extends StoreUnusable {
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
  const file = claimFile(path, 'serving')
  if (!existsSync(file)) return false
  const db = attempt(() => new DatabaseSync(file, { readOnly: true, timeout }))
  try {
    db?.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (!isOfSqlite(error)) throw error
    return isBusy(error)
  } finally {
    db?.close()
  }
}

/**
 * To be called before the file is opened, which replays its log. `serving`: the claim, if this process has it. Throws
 * ForeignLog, or StoreUnusable when a service runs on another file than the one that is here now.
 */
export function assertOwnLog(path: string, serving?: Claim): void {
  if (!existsSync(path)) return
  const note = readNote(path, serving)
  if (serving === undefined && isServed(path)) {
    const isOther = note !== undefined && note.file !== '' && note.file !== fileId(path)
    if (isOther && isServed(path, PATIENCE_MS)) throw new StoreUnusable(replaced(path))
    return
  }
  if (!hasLog(path)) return
  if (!isInLogMode(path)) throw new ForeignLog(path)
  const now = readAlone(path)
  if (note === undefined || now === undefined) return
  const isLater = note.mark === '' ? note.changes <= now.changes : now.marks.includes(note.mark)
  if (note.id !== now.id || !isLater) throw new ForeignLog(path)
}

function replaced(path: string): string {
  return `${path} is not the file that the running \`pets serve\` has open: it was replaced or moved meanwhile. Nothing was changed. Stop the service, see which of the two files is the right one, and start it again.`
}

/** Notes what the file alone says, unless there is a log already. Throws StoreUnusable. */
export function noteBeforeOpening(path: string, serving?: Claim): void {
  if (existsSync(path) && !hasLog(path)) note(path, serving)
}

/**
 * Leaves a mark in the file by which an earlier state of it is known, and notes it. For whoever opened it to write;
 * beside a service, that has done it. On a full disk there is no mark, and no harm.
 */
export function leaveMark(connection: Connection, serving?: Claim): void {
  try {
    connection.write(() => {
      const [id, marks] = connection.prepare('SELECT id, marks FROM identity').get() as unknown as [string, string]
      const next = [randomBytes(8).toString('hex'), ...toMarks(marks)].slice(0, MARKS)
      connection.prepare('UPDATE identity SET marks = ?').run(`${sealOf(id, next)} ${next.join(' ')}`)
    })
    connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch (error) {
    if (!(error instanceof StoreUnavailable) && !isOfSqlite(error)) throw error
  }
  note(connection.path, serving)
}

/** Notes what `file` says, which is about to take the place of the database that `serving` is for. */
export function noteSuccessor(file: string, serving: Claim): void {
  writeNote(serving.lock, toNote(readAlone(file), ''))
}

function note(path: string, serving: Claim | undefined): void {
  const next = toNote(readAlone(path), serving === undefined ? '' : (fileId(path) ?? ''))
  if (isDeepStrictEqual(next, readNote(path, serving))) return
  if (serving !== undefined) {
    writeNote(serving.lock, next)
    return
  }
  const file = claimFile(path, 'serving')
  try {
    createFile(file, accessOf(realFile(path)))
    mending(file, () => {
      const db = new DatabaseSync(file, { timeout: PATIENCE_MS })
      try {
        writeNote(db, next)
      } finally {
        db.close()
      }
    })
  } catch (error) {
    if (isBusy(error)) return // a service has it, and has noted what it opened
    if (isOfSqlite(error) || isOfSystem(error)) throw new StoreUnusable(cannotHold(path, file, error))
    throw error
  }
}

function toNote(now: Identity | undefined, file: string): Note | undefined {
  return now && { id: now.id, changes: now.changes, mark: now.marks[0] ?? '', file }
}

/** Undefined where the file does not say what it is: then nothing may be known that another one said. */
function writeNote(db: DatabaseSync, next: Note | undefined): void {
  if (!db.isTransaction) db.exec('BEGIN IMMEDIATE')
  db.exec('DROP TABLE IF EXISTS last; CREATE TABLE IF NOT EXISTS noted (id TEXT, n INTEGER, mark TEXT, file TEXT)')
  db.exec('DELETE FROM noted')
  if (next !== undefined) {
    const { id, changes, mark, file } = next
    db.prepare('INSERT INTO noted VALUES (?, ?, ?, ?)').run(id, changes, mark, file)
  }
  db.exec('COMMIT') // an exclusive lock stays
}

/** Whether the log is not empty. */
export function hasLog(path: string): boolean {
  return (statSync(`${realFile(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/**
 * Whether the file says that it has a log; one that does not, such as a backup, has none of its own. To be called
 * before this process has opened the file: closing it here would let go of every lock that the process has on it.
 */
export function isInLogMode(path: string): boolean {
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
  const columns = db.prepare("SELECT name FROM pragma_table_info('identity')").all()
  if (columns.length > 0) db.exec('UPDATE identity SET id = lower(hex(randomblob(16)))')
  if (columns.some(({ name }) => name === 'marks')) db.exec("UPDATE identity SET marks = ''")
}

/** `marks` of the file is empty, or the seal and then the marks. */
function toMarks(marks: string): readonly string[] {
  return marks.split(' ').slice(1)
}

function sealOf(id: string, marks: readonly string[]): string {
  return createHash('sha256')
    .update([id, ...marks].join(' '))
    .digest('hex')
    .slice(0, 16)
}

/** A file without its log, which no lock of others stops and which locks nothing. */
export function openAlone(path: string): DatabaseSync {
  const alone = pathToFileURL(resolve(path))
  alone.search = '?immutable=1'
  return new DatabaseSync(alone, { readOnly: true })
}

/**
 * Undefined where the file without its log does not say, as when it is new, older than this, damaged, or written in
 * part.
 */
function readAlone(path: string): Identity | undefined {
  const row = firstRow(() => openAlone(path), ['SELECT * FROM identity, changes'])
  if (row === undefined) return undefined
  const id = String(row.id)
  const text = String(row.marks ?? '')
  const marks = toMarks(text)
  const isSealed = text === '' || text.startsWith(`${sealOf(id, marks)} `)
  if (!isSealed || !/^[0-9a-f]{32}$/.test(id) || typeof row.n !== 'bigint') return undefined
  return { id, changes: row.n, marks }
}

/** Readable also while a service has the claim: what it notes was written before anybody could ask. */
function readNote(path: string, serving?: Claim): Note | undefined {
  const file = claimFile(path, 'serving')
  if (!existsSync(file)) return undefined
  const row = firstRow(() => serving?.lock ?? openAlone(file), ['SELECT * FROM noted', 'SELECT * FROM last'], serving)
  if (row === undefined) return undefined
  const { id, n, mark, file: of } = row
  if (typeof n !== 'bigint') return undefined
  return { id: String(id), changes: n, mark: String(mark ?? ''), file: String(of ?? '') }
}

/** Of the first statement that the file knows. */
function firstRow(open: () => DatabaseSync, statements: readonly string[], kept?: Claim) {
  const db = attempt(open)
  try {
    for (const sql of statements) {
      const row = attempt(() => {
        const select = db?.prepare(sql)
        select?.setReadBigInts(true)
        return select?.get()
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
    if (!isOfSqlite(error)) throw error
    return undefined
  }
}
