/** Writes one state of a database as a file of its own, checked: the core of both backup and restore. */

import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isOfSystem } from '../../../../common/errors.ts'
import { sync } from '../../../../common/sync.ts'
import { StoreUnusable } from '../../../store.ts'
import type { Contents } from '../../../upkeep.ts'
import { isOfSqlite, reason } from '../../file/failure.ts'
import { renewIdentity } from '../../file/identity.ts'
import { type Extent, openToRead } from '../../file/open-to-read.ts'
import { inspect } from '../inspect.ts'

/**
 * Writes the state of `source` into the empty file `target`, with an identity of its own, checks it and syncs it.
 * `onSize` is told the bytes to be expected. Throws StoreUnusable, and then leaves no `target`.
 */
export async function writeSnapshot(
  source: string,
  extent: Extent,
  target: string,
  onSize: (bytes: number) => void,
): Promise<Contents> {
  try {
    await copy(source, extent, target, onSize)
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

async function copy(source: string, extent: Extent, target: string, onSize: (bytes: number) => void): Promise<void> {
  const db = openToRead(source, extent)
  try {
    const { bytes } =
      db.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get() ?? {}
    onSize(Number(bytes))
    db.prepare('VACUUM INTO ?').run(target)
  } finally {
    db.close()
  }
}
