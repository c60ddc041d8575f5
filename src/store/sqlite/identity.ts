/**
 * Whether the log beside a file (PATH-wal) is its own. SQLite replays whatever log it finds, so a file that was put in the
 * place of another one while that one's log was left becomes a mixture of both. Each file therefore has an identity, which no
 * copy made by `pets backup` shares, and what the file alone said when it was last opened is kept beside it, in PATH.serving.
 * A file's count of changes never falls, so an earlier state of the same file is told from it as well.
 */
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StoreUnusable } from '../store.ts'
import { claimFile } from './claim.ts'
import { isBusy, isOfSqlite } from './failure.ts'

interface Identity {
  readonly id: string
  readonly changes: bigint
}

/** The file is not the one that its log belongs to. */
export class ForeignLog extends StoreUnusable {
  constructor(path: string) {
    super(
      `${path} was replaced by another file, and the log ${path}-wal of the one before was left beside it: together they would be a mixture of both. Nothing was changed. Put the backup in place with \`pets restore FILE\`, which keeps what is here under another name.`,
    )
  }
}

/** To be called before the file is opened, which replays its log. Throws ForeignLog. */
export function assertOwnLog(path: string): void {
  if (!existsSync(path)) return
  const last = readLast(path)
  const now = readAlone(path)
  if (last === 'served' || now === undefined) return
  if (hasLog(path)) {
    if (last !== undefined && (last.id !== now.id || last.changes > now.changes)) throw new ForeignLog(path)
  } else if (!isSame(last, now)) writeLast(path, now)
}

/** Keeps what the file alone says now, for the next process that opens it. */
export function noteIdentity(path: string): void {
  const now = readAlone(path)
  if (now !== undefined && !isSame(readLast(path), now)) writeLast(path, now)
}

function isSame(last: ReturnType<typeof readLast>, now: Identity): boolean {
  return typeof last === 'object' && last.id === now.id && last.changes === now.changes
}

export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Gives a copy an identity of its own. */
export function renewIdentity(db: DatabaseSync): void {
  const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'identity'").get() !== undefined
  if (isThere) db.exec('UPDATE identity SET id = lower(hex(randomblob(16)))')
}

/** Undefined where the file without its log does not say, as when it is new, older than this, or damaged. */
function readAlone(path: string): Identity | undefined {
  return attempt(() => {
    const alone = pathToFileURL(resolve(path))
    alone.search = '?immutable=1' // SQLite then reads nothing else, and locks nothing.
    const db = new DatabaseSync(alone, { readOnly: true })
    try {
      return toIdentity(db.prepare('SELECT id, n FROM identity, changes'))
    } finally {
      db.close()
    }
  })
}

/** `served` while a service runs on the file, which has looked by itself. */
function readLast(path: string): Identity | 'served' | undefined {
  const file = claimFile(path, 'serving')
  if (!existsSync(file)) return undefined
  const db = attempt(() => new DatabaseSync(file, { readOnly: true, timeout: 0 }))
  try {
    return db === undefined ? undefined : toIdentity(db.prepare('SELECT id, n FROM last'))
  } catch (error) {
    if (isBusy(error)) return 'served'
    if (!isOfSqlite(error)) throw error
    return undefined
  } finally {
    db?.close()
  }
}

function writeLast(path: string, { id, changes }: Identity): void {
  attempt(() => {
    const db = new DatabaseSync(claimFile(path, 'serving'), { timeout: 0 })
    try {
      db.exec('BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS last (id TEXT, n INTEGER); DELETE FROM last')
      db.prepare('INSERT INTO last VALUES (?, ?)').run(id, changes)
      db.exec('COMMIT')
    } finally {
      db.close()
    }
  })
}

function toIdentity(select: StatementSync): Identity | undefined {
  select.setReadBigInts(true)
  const row = select.get()
  return row === undefined ? undefined : { id: String(row.id), changes: BigInt(row.n as bigint) }
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
