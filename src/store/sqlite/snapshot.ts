/** One state of a database as a file of its own, checked: what a backup and a restore both are at heart. */
import { chmodSync, closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnusable } from '../store.ts'
import { isOfSqlite, isOfSystem, reason } from './failure.ts'
import { renewIdentity } from './identity.ts'
import { type Contents, inspect } from './inspect.ts'
import { APPLICATION_ID, assertKnown, versionOf } from './migrate.ts'

/** How long to wait for a process that is just bringing the file up to date. */
const PATIENCE_MS = 10_000

/** Opens a database, its log included, and changes neither. Throws StoreUnusable, or what SQLite throws. */
export function openToRead(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: PATIENCE_MS })
  try {
    const { application_id: id } = db.prepare('PRAGMA application_id').get() ?? {}
    if (id !== APPLICATION_ID) throw new StoreUnusable(`${path} is not a database of this software; name another file.`)
    assertKnown(versionOf(db), path)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Writes the state of `source` to the new file `target`, with an identity of its own, checks it and syncs it. `onSize` is
 * told the bytes to be expected. Throws StoreUnusable, and then leaves no `target`.
 */
export function snapshot(source: string, target: string, onSize: (bytes: number) => void): Contents {
  rmSync(target, { force: true }) // what an earlier one that was cut off has left
  try {
    copy(source, target, onSize)
    const copied = new DatabaseSync(target)
    try {
      copied.exec('PRAGMA journal_mode = OFF')
      renewIdentity(copied)
      const { contents, damage } = inspect(copied)
      if (damage.length > 0) throw new StoreUnusable(`${source} is damaged: ${damage.join(' ')}`)
      return contents
    } finally {
      copied.close()
      sync(target)
    }
  } catch (error) {
    rmSync(target, { force: true })
    if (isOfSqlite(error) || isOfSystem(error))
      throw new StoreUnusable(`${source} cannot be copied to ${target}: ${reason(error)}`)
    throw error
  }
}

function copy(source: string, target: string, onSize: (bytes: number) => void): void {
  const db = openToRead(source)
  try {
    const { bytes } =
      db.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get() ?? {}
    onSize(Number(bytes))
    db.prepare('VACUUM INTO ?').run(target)
    // It holds the hashes of keys: nobody may read it who may not read the source.
    chmodSync(target, statSync(source).mode)
  } finally {
    db.close()
  }
}

/** Waits until the names in a folder are on the disk. Windows has no such thing. */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') sync(folder, 'r')
}

export function sync(path: string, flags = 'r+'): void {
  const fd = openSync(path, flags)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
