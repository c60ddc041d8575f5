/** Opens a file to look at what is in it, as a backup and a check do: nothing is made or changed. */
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { MaybePromise } from '../../../common/maybe-promise.ts'
import { StoreUnusable } from '../../store.ts'
import { asUnusable } from './errors.ts'
import { assertFile, lockSharedToRead } from './file-lock.ts'
import { APPLICATION_ID, assertKnown, versionOf } from './migrations.ts'
import { assertOwnWal } from './wal.ts'

/** How long to wait for a process that is just bringing the file up to date. */
const TIMEOUT_MS = 10_000

/** What is read: the database with its log, or the file alone where the log beside it is not its own. */
export type Extent = 'with its log' | 'alone'

const FOREIGN = 'is not a database of this software;'
/** What a first start leaves that fails. */
const EMPTY =
  'is empty, as where the disk is full or no folder for temporary files can be written (SQLITE_TMPDIR names one); start the service on it, which says why, or'

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
}

/** A file without its log, which no lock of others stops and which locks nothing. */
function openAlone(path: string): DatabaseSync {
  const alone = pathToFileURL(resolve(path))
  alone.search = '?immutable=1'
  return new DatabaseSync(alone, { readOnly: true })
}

/** Opens a database and changes nothing. Throws StoreUnusable, or what SQLite throws. */
export function openReadOnly(path: string, extent: Extent = 'with its log'): DatabaseSync {
  const db = extent === 'alone' ? openAlone(path) : new DatabaseSync(path, { readOnly: true, timeout: TIMEOUT_MS })
  try {
    const { application_id: id } = db.prepare('PRAGMA application_id').get() ?? {}
    if (id !== APPLICATION_ID) throw new StoreUnusable(`${path} ${isEmpty(db) ? EMPTY : FOREIGN} name another file.`)
    assertKnown(versionOf(db), path)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** What `look` finds in the database at `path`, also under a running service. Throws StoreUnusable. */
export async function withReadOnly<T>(path: string, look: (db: DatabaseSync) => MaybePromise<T>): Promise<T> {
  assertFile(path)
  using _lock = lockSharedToRead(path)
  try {
    assertOwnWal(path)
    using db = openReadOnly(path)
    return await look(db)
  } catch (error) {
    throw asUnusable(error, `The database ${path} cannot be read`)
  }
}
