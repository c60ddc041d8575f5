/** Replaces a database by a checked copy of a backup in one rename, so a crash leaves either one whole. */
import { constants, copyFileSync, existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { codeOf } from '../../../common/errors.ts'
import { fsyncFile, fsyncFolder } from '../../../common/fsync.ts'
import { isThere, realFile } from '../../../common/paths.ts'
import { createFolder } from '../../../common/private-files.ts'
import { isInForce } from '../../../rules/keys.ts'
import type { RestoreOptions, RestoreResult, Returning } from '../../maintenance.ts'
import { StoreUnusable } from '../../store.ts'
import { isBusy, isSqliteError } from '../file/errors.ts'
import { assertFile, LONG_TIMEOUT_MS, lockExclusively, stopFirst } from '../file/file-lock.ts'
import { assertOurs } from '../file/migrations.ts'
import { hasWal, isInWalMode } from '../file/wal.ts'
import { makeEmpty, requestSnapshot } from './backup.ts'
import { animalsIn } from './inspect.ts'

/** Throws StoreUnusable, and then leaves the database as it was. */
export async function restore(
  file: string,
  path: string,
  options: RestoreOptions,
  snapshot = requestSnapshot,
): Promise<RestoreResult> {
  assertBackup(file)
  assertFile(path)
  if (existsSync(path) && realpathSync(path) === realpathSync(file)) {
    throw new StoreUnusable(`${file} is the database itself; give the backup to restore.`)
  }
  createFolder(dirname(path))
  const target = realFile(path)
  using _locks = lockAll(path, target)
  const isForeign = !existsSync(target) || (hasWal(target) && !isInWalMode(target))
  const copy = `${target}.restoring`
  rmSync(copy, { force: true }) // what a restore that was killed has left
  makeEmpty(copy, target)
  try {
    // A log next to a file that has none is foreign.
    const extent = hasWal(file) && !isInWalMode(file) ? 'alone' : 'with its log'
    const { clock } = options
    const contents = await snapshot(file, copy, options, extent)
    const animals = (!isForeign && contents.animals === 0 && look(target, animalsIn)) || 0
    if (animals > 0 && !options.mayBeEmpty) {
      throw new StoreUnusable(
        `${file} holds no animals, and the database holds ${animals}; name another backup, or add --yes if none is what you want. Nothing was changed.`,
      )
    }
    options.onReturning(isForeign ? undefined : look(target, (db) => returning(db, copy, clock.now())))
    const aside = setAside(target, isForeign, clock.now())
    for (const end of ['-wal', '-shm']) rmSync(target + end, { force: true })
    fsyncFolder(dirname(target))
    putInPlace(copy, target, aside)
    fsyncFolder(dirname(target))
    return { contents, aside }
  } finally {
    rmSync(copy, { force: true })
  }
}

/** A mount point cannot be replaced. Nothing has changed, and nothing is left. */
function putInPlace(copy: string, target: string, aside: string | undefined): void {
  try {
    renameSync(copy, target)
  } catch (error) {
    if (aside !== undefined) rmSync(aside, { force: true })
    if (codeOf(error) !== 'EBUSY') throw error
    throw new StoreUnusable(
      `${target} is a mount point of its own and cannot be replaced; mount its folder, and restore there. Nothing was changed.`,
    )
  }
}

/** Reading a pipe or a device would wait forever. */
function assertBackup(file: string): void {
  if (!isThere(file)) throw new StoreUnusable(`There is no file ${file}; give the backup to restore.`)
  if (!statSync(file).isFile()) throw new StoreUnusable(`${file} is not a file; give the backup to restore.`)
}

/** Keeps other processes from opening either database until it is disposed. */
function lockAll(path: string, target: string): DisposableStack {
  const lockSpecs = [
    ['serving', stopFirst(path)],
    ['importing', `An import into ${path} is running; wait for its end and try again.`],
    ['using', inUse(path), LONG_TIMEOUT_MS],
  ] as const
  using locks = new DisposableStack()
  for (const [purpose, busyMessage, timeoutMs] of lockSpecs)
    locks.use(lockExclusively(target, purpose, busyMessage, timeoutMs))
  return locks.move()
}

function inUse(path: string): string {
  return `Another process has ${path} open; wait for its end and try again. Nothing was changed.`
}

/** Gives the database, with its log, a second name and returns it. */
function setAside(path: string, isForeign: boolean, nowMs: number): string | undefined {
  const aside = freeNameBeside(path, 'before-restore', nowMs)
  if (!isForeign) takeInLog(path)
  if (hasWal(path)) keepAs(`${path}-wal`, isForeign ? `${aside}.other-wal` : `${aside}-wal`)
  if (!existsSync(path)) return undefined
  keepAs(path, aside)
  return aside
}

/** Copies the log into the file unless it is damaged, and checks that no other process has it open. */
function takeInLog(path: string): void {
  using db = new DatabaseSync(path)
  try {
    assertOurs(db, path)
    db.exec('PRAGMA journal_mode = DELETE')
  } catch (error) {
    if (isBusy(error)) throw new StoreUnusable(inUse(path))
    if (!isSqliteError(error)) throw error
  }
}

/** A second name, or a copy if the file system has no links. */
function keepAs(file: string, name: string): void {
  try {
    linkSync(file, name)
  } catch {
    copyFileSync(file, name, constants.COPYFILE_EXCL)
    fsyncFile(name)
  }
}

export function freeNameBeside(path: string, what: string, atMs: number): string {
  const name = `${path}.${what}-${new Date(atMs).toISOString().replace(/\.\d+/, '').replaceAll(':', '')}`
  for (let n = 1; ; n += 1) {
    const free = n === 1 ? name : `${name}-${n}`
    if (!existsSync(free)) return free
  }
}

function look<T>(path: string, find: (db: DatabaseSync) => T): T | undefined {
  try {
    using db = new DatabaseSync(path, { readOnly: true })
    return find(db)
  } catch (error) {
    if (!isSqliteError(error)) throw error
    return undefined
  }
}

/** The keys and people whose access the backup restores, because they were revoked after it. */
function returning(db: DatabaseSync, copy: string, nowMs: number): Returning {
  db.prepare('ATTACH ? AS copy').run(copy)
  return {
    keys: returningTo(db, 'keys', 'id', 'id', nowMs),
    people: returningTo(db, 'people', 'name', 'n, created_at_ms', nowMs),
  }
}

/** `same`: columns that identify the same key or person in both. People never expire. */
function returningTo(db: DatabaseSync, table: 'keys' | 'people', name: string, same: string, nowMs: number) {
  return db
    .prepare(
      `SELECT back.*, now.${name} AS named FROM main.${table} AS now JOIN copy.${table} AS back USING (${same})
       WHERE now.revoked_at_ms IS NOT NULL ORDER BY named`,
    )
    .all()
    .filter(({ expires_at_ms: expires, revoked_at_ms: revoked }) => {
      const [expiresAtMs, revokedAtMs] = [expires, revoked].map((at) => (typeof at === 'number' ? at : undefined))
      return isInForce({ expiresAtMs, revokedAtMs }, nowMs)
    })
    .map(({ named }) => String(named))
}
