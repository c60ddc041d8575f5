/** Writes one state of a database as a file of its own, checked: the core of both backup and restore. */

import { rmSync, truncateSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { isOfSystem } from '../../../../common/errors.ts'
import { accessOf, createFile } from '../../../../common/private-files.ts'
import { sync } from '../../../../common/sync.ts'
import { StoreUnusable } from '../../../store.ts'
import type { Contents } from '../../../upkeep.ts'
import { emptyIndex, FORGET_INDEX } from '../../file/empty-index.ts'
import { isOfIndex, isOfSqlite, reason } from '../../file/failure.ts'
import { renewIdentity } from '../../file/identity.ts'
import { type Extent, openToRead } from '../../file/open-to-read.ts'
import { inspect } from '../inspect.ts'

/** All pages in one step, or another writer would make it start again. */
const ALL_PAGES = 0x7fffffff

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
      const { contents, damage, isIndexWrong } = inspect(copied)
      if (isIndexWrong) copied.exec(FORGET_INDEX)
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
    try {
      db.prepare('VACUUM INTO ?').run(target)
    } catch (error) {
      if (!isOfIndex(error)) throw error
      // Discard what was written; the file stays, since whoever made it set its name and mode.
      truncateSync(target)
      await copyWithoutIndex(db, target)
    }
  } finally {
    db.close()
  }
}

/** For a file whose search index cannot be read. If more than that is damaged, this fails too. */
async function copyWithoutIndex(db: DatabaseSync, target: string): Promise<void> {
  const pages = `${target}.pages`
  createFile(pages, accessOf(target))
  try {
    await backup(db, pages, { rate: ALL_PAGES })
    const copied = new DatabaseSync(pages)
    try {
      copied.exec('PRAGMA journal_mode = OFF')
      emptyIndex(copied)
      copied.prepare('VACUUM INTO ?').run(target)
    } finally {
      copied.close()
    }
  } finally {
    rmSync(pages, { force: true })
  }
}
