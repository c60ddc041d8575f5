/** Writes one state of a database as a file of its own, checked: the core of both backup and restore. */

import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isSystemError } from '../../../common/errors.ts'
import { fsyncFile } from '../../../common/fsync.ts'
import { type Contents, PARTIAL } from '../../maintenance.ts'
import { StoreUnusable } from '../../store.ts'
import { isDamage, isNoDatabase, isSqliteError, lacksRoomToRead, NO_ROOM_TO_READ, reason } from '../file/errors.ts'
import { type Extent, openReadOnly } from '../file/read-only.ts'
import { inspect } from './inspect.ts'

/** Databases of 1.0.0 and 1.1.0 have none. */
const HAS_IDENTITY = "SELECT 1 FROM sqlite_schema WHERE name = 'identity'"
const RENEW_IDENTITY = 'UPDATE identity SET id = lower(hex(randomblob(16)))'

const USE_ANOTHER =
  'use another backup, or save what can be read with the sqlite3 shell’s .recover. Nothing was changed.'

/**
 * Writes the state of `source` into the empty file `target`, with an identity of its own, checks it and syncs it.
 * Throws StoreUnusable, and then leaves no `target`.
 */
export async function writeSnapshot(source: string, extent: Extent, target: string): Promise<Contents> {
  try {
    const db = openReadOnly(source, extent)
    try {
      db.prepare('VACUUM INTO ?').run(target)
    } finally {
      db.close()
    }
    const copied = new DatabaseSync(target)
    try {
      copied.exec('PRAGMA journal_mode = OFF')
      if (copied.prepare(HAS_IDENTITY).get() !== undefined) copied.exec(RENEW_IDENTITY)
      const { contents, damage } = inspect(copied)
      if (damage.length > 0) throw new StoreUnusable(`${source} is damaged: ${damage.join(' ')}`)
      return contents
    } finally {
      copied.close()
      fsyncFile(target)
    }
  } catch (error) {
    rmSync(target, { force: true })
    if (lacksRoomToRead(error)) throw new StoreUnusable(`${source} cannot be read: ${NO_ROOM_TO_READ}`)
    if (isNoDatabase(error)) throw new StoreUnusable(`${source} is not a SQLite database; name another file.`)
    if (isDamage(error)) throw new StoreUnusable(`${source} is damaged, and so cannot be copied: ${USE_ANOTHER}`)
    if (!isSqliteError(error) && !isSystemError(error)) throw error
    throw new StoreUnusable(`${source} cannot be copied to ${target.replace(PARTIAL, '')}: ${reason(error)}`)
  }
}
