/**
 * What a database holds, and its defects: for `pets verify`, for every backup, and for the schedule that removes old
 * ones. Files of earlier versions are read without migrating them.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Inspection, SeenBackup } from '../../maintenance.ts'
import { TEXT_TABLES } from '../../rows.ts'
import { StoreUnusable } from '../../store.ts'
import { isSqliteError } from '../file/errors.ts'
import { versionOf } from '../file/migrations.ts'
import { openReadOnly, withReadOnly } from '../file/read-only.ts'

/** The most messages of SQLite about a damaged file. */
const MESSAGES = 20
/** The schemas since which there is a journal, and since which no animal is hidden. */
const SINCE = { journal: 5, nothingHidden: 19 } as const

/** Checks a whole database in place. Throws StoreUnusable if it cannot be read at all. */
export function verify(path: string): Promise<Inspection> {
  return withReadOnly(path, inspect)
}

/** Reads all of it as of one instant. Throws SQLite's error if the file cannot be read at all. */
export function inspect(db: DatabaseSync): Inspection {
  db.exec('BEGIN')
  try {
    const version = versionOf(db)
    const has = version >= SINCE.journal
    const pets = has && version < SINCE.nothingHidden ? SHOWN : 'pets'
    const damage = integrity(db)
    const contents = {
      animals: count(db, pets),
      removed: has ? count(db, 'removed_pets') : 0,
      keys: count(db, 'keys'),
      entries: has ? count(db, 'journal') : 0,
    }
    damage.push(...wrongCounts(db, pets))
    if (has) damage.push(...wrongRecords(db))
    return { contents, damage }
  } finally {
    db.exec('ROLLBACK') // it has only read
  }
}

/** Those that an import under way, or cut off, did not hide. */
const SHOWN =
  '(SELECT * FROM pets WHERE NOT EXISTS (SELECT 1 FROM unfinished_imports WHERE pets.id BETWEEN first_id AND last_id))'

/** SQLite's integrity check. */
function integrity(db: DatabaseSync): string[] {
  return db
    .prepare(`PRAGMA integrity_check(${MESSAGES})`)
    .all()
    .map(({ integrity_check }) => String(integrity_check))
    .filter((text) => text !== 'ok')
    .map((text) => `SQLite finds the file damaged: ${text.replaceAll('\n', ' ')}.`)
}

function wrongCounts(db: DatabaseSync, pets: string): string[] {
  const counted = `(SELECT count(*) FROM ${pets} AS p WHERE coalesce(p.status, 'none') = pet_counts.status)`
  return db
    .prepare(`SELECT status, n, ${counted} AS counted FROM pet_counts WHERE n <> counted`)
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
    const texts = hasTable(db, table) ? count(db, `${table} WHERE ${isNobodys}`) : 0
    if (texts > 0) damage.push(`${name.slice(0, 1).toUpperCase()}${name.slice(1)}s of no animal: ${texts}.`)
  }
  return damage
}

function hasTable(db: DatabaseSync, name: string): boolean {
  return count(db, `sqlite_schema WHERE type = 'table' AND name = '${name}'`) > 0
}

function count(db: DatabaseSync, source: string): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${source}`).get()?.n)
}

/** What is no backup, or of a newer version, is nobody's. */
export function lookAtBackup(file: string, newest: string): SeenBackup {
  try {
    using db = openReadOnly(file, 'alone')
    db.prepare('ATTACH ? AS newest').run(newest)
    return { isOwn: isSameRegister(db), animals: animalsIn(db) }
  } catch (error) {
    if (!isSqliteError(error) && !(error instanceof StoreUnusable)) throw error
    return { isOwn: false, animals: 0 }
  }
}

/** By its counts, which every version keeps. */
export function animalsIn(db: DatabaseSync): number {
  return Number(db.prepare('SELECT sum(n) AS n FROM main.pet_counts').get()?.n)
}

/** Backups of versions before 2.1.0 name no register: one of the same database has a key in common. */
function isSameRegister(db: DatabaseSync): boolean {
  const isNamed = "SELECT 1 FROM sqlite_schema WHERE name = 'shelter'"
  const registers = "SELECT value FROM main.shelter WHERE member = 'register'"
  const named = db.prepare(isNamed).get() && db.prepare(registers).get()
  const same =
    named === undefined
      ? 'SELECT 1 FROM main.keys JOIN newest.keys USING (id) LIMIT 1'
      : `SELECT 1 FROM newest.shelter WHERE member = 'register' AND value = (${registers})`
  return db.prepare(same).get() !== undefined
}
