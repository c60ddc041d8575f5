/**
 * Finds what a database holds and its defects, by reading all of it as of one instant: for `pets verify` and every
 * backup. Files of earlier versions are read without migrating them.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Contents, Inspection } from '../../maintenance.ts'
import { versionOf } from '../file/migrations.ts'
import { withReadOnly } from '../file/read-only.ts'

/** The most messages of SQLite about a damaged file. */
const MESSAGES = 20
/** The migrations that made the tables read here, and the one since which no animal is hidden. */
const VERSION = { unfinishedImports: 4, records: 5, references: 13, nothingHidden: 19 } as const

/** Checks a whole database in place. Throws StoreUnusable if it cannot be read at all. */
export function verify(path: string): Inspection {
  return withReadOnly(path, inspect)
}

/** Throws SQLite's error if the file cannot be read at all. */
export function inspect(db: DatabaseSync): Inspection {
  db.exec('BEGIN')
  try {
    const version = versionOf(db)
    const { damage, notes } = integrity(db)
    const contents = contentsOf(db, version)
    damage.push(...wrongCounts(db, version))
    if (version >= VERSION.records) damage.push(...wrongRecords(db, version))
    return { contents, damage, notes }
  } finally {
    db.exec('ROLLBACK') // it has only read
  }
}

function contentsOf(db: DatabaseSync, version = versionOf(db)): Contents {
  const has = version >= VERSION.records
  return {
    animals: count(db, `pets ${there(version)}`),
    removed: has ? count(db, 'removed_pets') : 0,
    keys: count(db, 'keys'),
    entries: has ? count(db, 'journal') : 0,
  }
}

/** Pages left unused where an earlier version has replaced its index of names. */
const UNUSED = /^(?:\*\*\* in database main \*\*\*|Page \d+: never used)$/

/** SQLite's integrity check. */
function integrity(db: DatabaseSync): { damage: string[]; notes: string[] } {
  const told = db
    .prepare(`PRAGMA integrity_check(${MESSAGES})`)
    .all()
    .map(({ integrity_check }) => String(integrity_check))
    .filter((text) => text !== 'ok')
  if (told.length > 0 && told.flatMap((text) => text.split('\n')).every((line) => UNUSED.test(line))) {
    return { damage: [], notes: ['Some pages of the file are not used; a backup leaves them out.'] }
  }
  return { damage: told.map((text) => `SQLite finds the file damaged: ${text.replaceAll('\n', ' ')}.`), notes: [] }
}

function wrongCounts(db: DatabaseSync, version: number): string[] {
  const rows = db
    .prepare(
      `SELECT status, n, (SELECT count(*) FROM pets ${there(version)} ${there(version) === '' ? 'WHERE' : 'AND'} coalesce(pets.status, 'none') = pet_counts.status) AS counted FROM pet_counts`,
    )
    .all()
  return rows
    .filter(({ n, counted }) => n !== counted)
    .map(
      ({ status, n, counted }) =>
        `The count of animals with status ${status} is ${n}, and there are ${counted} of them.`,
    )
}

function wrongRecords(db: DatabaseSync, version: number): string[] {
  const damage: string[] = []
  const both = count(db, 'pets JOIN removed_pets USING (id)')
  if (both > 0) damage.push(`Animals that are both there and removed: ${both}.`)
  const isNobodys = 'pet_id NOT IN (SELECT id FROM pets) AND pet_id NOT IN (SELECT id FROM removed_pets)'
  const references = version >= VERSION.references ? count(db, `pet_references WHERE ${isNobodys}`) : 0
  if (references > 0) damage.push(`References of no animal: ${references}.`)
  return damage
}

/** Versions before hid the animals of an import that was under way or cut off. */
function there(version: number): string {
  if (version < VERSION.unfinishedImports || version >= VERSION.nothingHidden) return ''
  return 'WHERE NOT EXISTS (SELECT 1 FROM unfinished_imports WHERE pets.id BETWEEN first_id AND last_id)'
}

function count(db: DatabaseSync, source: string): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${source}`).get()?.n)
}
