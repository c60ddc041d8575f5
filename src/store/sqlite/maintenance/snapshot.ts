/** Writes a snapshot of a database to another file and checks it, for backup and restore. */
import { DatabaseSync } from 'node:sqlite'
import { fsyncFile } from '../../../common/fsync.ts'
import { type Contents, type Inspection, PARTIAL } from '../../maintenance.ts'
import { StoreUnusable } from '../../store.ts'
import { asUnusable, isDamage, isNoDatabase, lacksRoomToRead, NO_ROOM_TO_READ } from '../file/errors.ts'
import { type Extent, inspect, openReadOnly } from './inspect.ts'

const RENEW_IDENTITY = 'UPDATE identity SET id = lower(hex(randomblob(16)))'

const USE_ANOTHER =
  'use another backup, or save what can be read with the sqlite3 shell’s .recover. Nothing was changed.'

/** `target`: an empty file. Throws StoreUnusable. */
export async function writeSnapshot(source: string, extent: Extent, target: string): Promise<Contents> {
  try {
    copy(source, extent, target)
    const { contents, damage } = renew(target)
    if (damage.length > 0) throw new StoreUnusable(`${source} is damaged: ${damage.join(' ')}`)
    fsyncFile(target)
    return contents
  } catch (error) {
    if (lacksRoomToRead(error)) throw new StoreUnusable(`${source} cannot be read: ${NO_ROOM_TO_READ}`)
    if (isNoDatabase(error)) throw new StoreUnusable(`${source} is not a SQLite database; name another file.`)
    if (isDamage(error)) throw new StoreUnusable(`${source} is damaged, and so cannot be copied: ${USE_ANOTHER}`)
    throw asUnusable(error, `${source} cannot be copied to ${target.replace(PARTIAL, '')}`)
  }
}

function copy(source: string, extent: Extent, target: string): void {
  using db = openReadOnly(source, extent)
  db.prepare('VACUUM INTO ?').run(target)
}

function renew(target: string): Inspection {
  using db = new DatabaseSync(target)
  db.exec('PRAGMA journal_mode = OFF')
  db.exec(RENEW_IDENTITY)
  return inspect(db)
}
