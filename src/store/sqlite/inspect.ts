/**
 * What a database holds and what is wrong with it, found by reading all of it as of one instant: for `pets verify`, and for
 * every backup before it is called one. Files of earlier versions are read as they are.
 */
import type { DatabaseSync } from 'node:sqlite'
import { IS_THERE } from './import-operations.ts'
import { versionOf } from './migrate.ts'

export interface Contents {
  readonly animals: number
  readonly removed: number
  readonly keys: number
  readonly entries: number
}

export interface Inspection {
  readonly contents: Contents
  /** A sentence for each thing that is wrong. */
  readonly damage: readonly string[]
  /** A sentence for each thing that is worth knowing and not wrong. */
  readonly notes: readonly string[]
}

/** How much SQLite says of a damaged file before it stops. */
const MESSAGES = 20
/** The steps of migration that made what is read here. */
const VERSION = { unfinishedImports: 4, records: 5 } as const

/** Throws what SQLite throws where the file cannot be read at all. */
export function inspect(db: DatabaseSync): Inspection {
  db.exec('BEGIN')
  try {
    const version = versionOf(db)
    const damage = integrity(db)
    const contents = contentsOf(db, version)
    damage.push(...wrongCounts(db, version))
    if (version >= VERSION.records) damage.push(...wrongRecords(db))
    return { contents, damage, notes: version >= VERSION.unfinishedImports ? unfinishedImports(db) : [] }
  } finally {
    db.exec('COMMIT')
  }
}

export function contentsOf(db: DatabaseSync, version = versionOf(db)): Contents {
  const has = version >= VERSION.records
  return {
    animals: count(db, `pets ${there(version)}`),
    removed: has ? count(db, 'removed_pets') : 0,
    keys: count(db, 'keys'),
    entries: has ? count(db, 'journal') : 0,
  }
}

function integrity(db: DatabaseSync): string[] {
  const rows = db.prepare(`PRAGMA integrity_check(${MESSAGES})`).all()
  return rows
    .map(({ integrity_check }) => String(integrity_check))
    .filter((text) => text !== 'ok')
    .map((text) => `SQLite finds the file damaged: ${text.replaceAll('\n', ' ')}.`)
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

function wrongRecords(db: DatabaseSync): string[] {
  const damage: string[] = []
  const both = count(db, 'pets JOIN removed_pets USING (id)')
  if (both > 0) damage.push(`Animals that are both there and removed: ${both}.`)
  const ahead = count(
    db,
    `pet_search WHERE indexed_to > max(
      coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), 0), coalesce((SELECT max(id) FROM pets), 0))`,
  )
  if (ahead > 0)
    damage.push('The index of names claims to hold animals that were never added; `pets find` misses some.')
  const indexed = count(db, 'pet_names_docsize')
  const expected = count(db, 'pets WHERE id <= (SELECT indexed_to FROM pet_search)')
  if (indexed !== expected) damage.push(`The index of names holds ${indexed} names where there should be ${expected}.`)
  return damage
}

function unfinishedImports(db: DatabaseSync): string[] {
  const rows = db.prepare('SELECT last_id - first_id + 1 AS ids FROM unfinished_imports').all()
  return rows.map(
    ({ ids }) =>
      `An import of ${ids} animals is under way or was cut off; nobody sees them, and the next import removes what was cut off.`,
  )
}

function there(version: number): string {
  return version >= VERSION.unfinishedImports ? `WHERE ${IS_THERE}` : ''
}

function count(db: DatabaseSync, source: string): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${source}`).get()?.n)
}
