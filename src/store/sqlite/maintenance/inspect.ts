/** Reads a database file, also of an earlier version, without changing it. */
import { accessSync, constants, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { MaybePromise } from '../../../common/maybe-promise.ts'
import { realFile } from '../../../common/paths.ts'
import { type Examination, examineKeys, type Inspection, type SeenBackup } from '../../maintenance.ts'
import { TEXT_TABLES } from '../../rows.ts'
import type { Sql, SqlRow } from '../../sql.ts'
import { StoreUnusable } from '../../store.ts'
import { freeBytes } from '../file/disk-space.ts'
import { asUnusable, isSqliteError } from '../file/errors.ts'
import { assertFile, lockSharedToRead } from '../file/file-lock.ts'
import { APPLICATION_ID, assertKnown, assertOurs, versionOf } from '../file/migrations.ts'
import { assertOwnWal } from '../file/wal.ts'

const MESSAGES = 20
const TIMEOUT_MS = 10_000

/** The database with its log, or without a foreign log. */
export type Extent = 'with its log' | 'alone'

/** A failed first start leaves an empty file. */
const EMPTY =
  'is empty, as where the disk is full or no folder for temporary files can be written (SQLITE_TMPDIR names one); start the service on it, which says why, or'

export function openReadOnly(path: string, extent: Extent = 'with its log'): DatabaseSync {
  const alone = pathToFileURL(resolve(path))
  // Immutable: ignores the log, takes no lock, and waits for none.
  alone.search = '?immutable=1'
  const db = new DatabaseSync(extent === 'alone' ? alone : path, { readOnly: true, timeout: TIMEOUT_MS })
  try {
    const { application_id: id } = db.prepare('PRAGMA application_id').get() ?? {}
    if (id !== APPLICATION_ID) {
      const isEmpty = db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
      throw new StoreUnusable(`${path} ${isEmpty ? EMPTY : 'is not a database of this software;'} name another file.`)
    }
    assertKnown(versionOf(db), path)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

async function withReadOnly<T>(path: string, look: (db: DatabaseSync) => MaybePromise<T>): Promise<T> {
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

export function verify(path: string): Promise<Inspection> {
  return withReadOnly(path, inspect)
}

/** Reads everything in one snapshot. Throws SQLite's error if the file cannot be read. */
export function inspect(db: DatabaseSync): Inspection {
  db.exec('BEGIN')
  try {
    const damage = [...integrity(db), ...wrongCounts(db), ...wrongRecords(db)]
    const contents = {
      animals: count(db, 'pets'),
      removed: count(db, 'removed_pets'),
      keys: count(db, 'keys'),
      entries: count(db, 'journal'),
    }
    return { contents, damage }
  } finally {
    db.exec('ROLLBACK') // it has only read
  }
}

function integrity(db: DatabaseSync): string[] {
  return db
    .prepare(`PRAGMA integrity_check(${MESSAGES})`)
    .all()
    .map(({ integrity_check }) => String(integrity_check))
    .filter((text) => text !== 'ok')
    .map((text) => `SQLite finds the file damaged: ${text.replaceAll('\n', ' ')}.`)
}

function wrongCounts(db: DatabaseSync): string[] {
  const actual = `(SELECT count(*) FROM pets AS p WHERE coalesce(p.status, 'none') = pet_counts.status)`
  return db
    .prepare(`SELECT status, n, ${actual} AS counted FROM pet_counts WHERE n <> counted`)
    .all()
    .map(
      ({ status, n, counted }) =>
        `The count of animals with status ${status} is ${n}, and there are ${counted} of them.`,
    )
}

function wrongRecords(db: DatabaseSync): string[] {
  const damage: string[] = []
  const both = count(db, 'pets JOIN removed_pets USING (id)')
  if (both > 0) damage.push(`Animals that are both there and removed: ${both}.`)
  const isNobodys = 'pet_id NOT IN (SELECT id FROM pets) AND pet_id NOT IN (SELECT id FROM removed_pets)'
  for (const [name, table] of Object.entries(TEXT_TABLES)) {
    const texts = count(db, `${table} WHERE ${isNobodys}`)
    if (texts > 0) damage.push(`${name.slice(0, 1).toUpperCase()}${name.slice(1)}s of no animal: ${texts}.`)
  }
  return damage
}

function count(db: DatabaseSync, source: string): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${source}`).get()?.n)
}

/** A file that is not a backup, or is of a newer version, belongs to no database. */
export function lookAtBackup(file: string, path: string): SeenBackup {
  try {
    using db = openReadOnly(file, 'alone')
    db.prepare('ATTACH ? AS own').run(path)
    return { isOwn: isSameRegister(db), animals: animalsIn(db) }
  } catch (error) {
    if (!isSqliteError(error) && !(error instanceof StoreUnusable)) throw error
    return { isOwn: false, animals: 0 }
  }
}

export function animalsAt(path: string): Promise<number> {
  return withReadOnly(path, animalsIn)
}

export function animalsIn(db: DatabaseSync): number {
  return Number(db.prepare('SELECT sum(n) AS n FROM main.pet_counts').get()?.n)
}

function isSameRegister(db: DatabaseSync): boolean {
  const register = (name: 'main' | 'own') => `SELECT value FROM ${name}.shelter WHERE member = 'register'`
  return db.prepare(`SELECT 1 WHERE (${register('main')}) = (${register('own')})`).get() !== undefined
}

export function examine(path: string, nowMs: number): Promise<Examination> {
  return withReadOnly(path, async (db) => {
    const file = realFile(path)
    const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
    const bytes = { bytes: statSync(file).size, logBytes, freeBytes: freeBytes(file) }
    return { ...bytes, clockMs: undefined, ...(await rowsOf(db, nowMs)) }
  })
}

/** Whether this user can serve the database. Changes nothing. Throws StoreUnusable, as the start does. */
export async function assertServable(path: string): Promise<void> {
  assertFile(path)
  try {
    for (const name of [path, dirname(realFile(path))]) accessSync(name, constants.W_OK)
    assertOwnWal(path)
    using db = new DatabaseSync(path, { readOnly: true })
    assertOurs(db, path)
    assertKnown(versionOf(db), path)
    // The start turns an empty file into a database.
    if (versionOf(db) > 0) await rowsOf(db, 0)
  } catch (error) {
    throw asUnusable(error, `The database ${path} cannot be used`)
  }
}

async function rowsOf(db: DatabaseSync, nowMs: number) {
  const sql: Sql = async (text) =>
    db.prepare(text, { returnArrays: true, readBigInts: true }).all() as unknown as readonly SqlRow[]
  return { schema: versionOf(db), animals: animalsIn(db), ...(await examineKeys(sql, nowMs)) }
}
