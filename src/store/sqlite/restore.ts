/**
 * A backup put in the place of a database. All that takes time happens beside it, in PATH.restoring; then the database gets a
 * second name, and one rename puts the checked copy in its place. A crash leaves the one or the other, whole.
 */
import { constants, copyFileSync, existsSync, linkSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnusable } from '../store.ts'
import { claim } from './claim.ts'
import { isBusy, isOfSqlite } from './failure.ts'
import { assertOwnLog, ForeignLog, hasLog } from './identity.ts'
import type { Contents } from './inspect.ts'
import { assertOurs } from './migrate.ts'
import { sync, syncFolder } from './snapshot.ts'
import { type SnapshotOptions, takeSnapshot } from './take-snapshot.ts'

export interface Restored {
  readonly contents: Contents
  /** The name under which the database that was there is kept; undefined when there was none. */
  readonly aside: string | undefined
}

/** Throws StoreUnusable, and then the database is what it was. `nowMs` dates the name of the one set aside. */
export async function restore(
  file: string,
  path: string,
  options: SnapshotOptions & { readonly nowMs: number },
): Promise<Restored> {
  if (!existsSync(file)) throw new StoreUnusable(`There is no file ${file}; name the backup to be restored.`)
  if (existsSync(path) && realpathSync(path) === realpathSync(file)) {
    throw new StoreUnusable(`${file} is the database itself; name the backup to be restored.`)
  }
  mkdirSync(dirname(path), { recursive: true })
  const target = existsSync(path) ? realpathSync(path) : path
  const isForeign = hasForeignLog(target) // which the claim hides
  const releases = [
    claim(target, 'serving', `\`pets serve\` is running on ${path}; stop it first and try again.`),
    claim(target, 'importing', `An import into ${path} is running; wait for its end and try again.`),
  ]
  try {
    const copy = `${target}.restoring`
    const contents = await takeSnapshot(file, copy, options)
    try {
      const aside = setAside(target, isForeign, new Date(options.nowMs))
      for (const end of ['-wal', '-shm']) rmSync(target + end, { force: true })
      syncFolder(dirname(target))
      renameSync(copy, target)
      syncFolder(dirname(target))
      return { contents, aside }
    } finally {
      rmSync(copy, { force: true })
    }
  } finally {
    for (const release of releases) release()
  }
}

/** Gives the database a second name, which is returned, with all that its log holds. */
function setAside(path: string, isForeign: boolean, now: Date): string | undefined {
  const aside = freeName(`${path}.before-restore-${now.toISOString().replace(/\.\d+/, '').replaceAll(':', '')}`)
  if (!isForeign) takeInLog(path)
  // A log that is another file's must not bear the name that joins them.
  if (hasLog(path)) keepAs(`${path}-wal`, isForeign ? `${aside}.other-wal` : `${aside}-wal`)
  if (!existsSync(path)) return undefined
  keepAs(path, aside)
  return aside
}

/** Brings what the log holds into the file, unless it is damaged, and sees to it that no other process has it open. */
function takeInLog(path: string): void {
  const db = new DatabaseSync(path)
  try {
    assertOurs(db, path)
    db.exec('PRAGMA journal_mode = DELETE')
  } catch (error) {
    if (isBusy(error)) {
      throw new StoreUnusable(`Another process has ${path} open; wait for its end and try again. Nothing was changed.`)
    }
    if (!isOfSqlite(error)) throw error
  } finally {
    db.close()
  }
}

/** Whether there is a log that belongs to another file than the one there, or to none. */
function hasForeignLog(path: string): boolean {
  try {
    assertOwnLog(path)
    return !existsSync(path)
  } catch (error) {
    if (error instanceof ForeignLog) return true
    throw error
  }
}

/** A second name for a file; where the file system has none, a copy. */
function keepAs(file: string, name: string): void {
  try {
    linkSync(file, name)
  } catch {
    copyFileSync(file, name, constants.COPYFILE_EXCL)
    sync(name)
  }
}

function freeName(name: string): string {
  for (let n = 1; ; n += 1) {
    const free = n === 1 ? name : `${name}-${n}`
    if (!existsSync(free)) return free
  }
}
