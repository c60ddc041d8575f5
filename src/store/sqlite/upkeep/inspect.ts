/**
 * Finds what a database holds and its defects, by reading all of it as of one instant: for `pets verify` and every
 * backup. Files of earlier versions are read without migrating them.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Contents, Inspection } from '../../upkeep.ts'
import { isOfIndex } from '../file/failure.ts'
import { versionOf } from '../file/migrations.ts'
import { IS_THERE, LAST_GIVEN_ID } from '../rows/pets.ts'

/** The most messages of SQLite about a damaged file. */
const MESSAGES = 20
/** The migrations that made the tables read here. */
const VERSION = { unfinishedImports: 4, records: 5, changedNames: 11, references: 13 } as const
/** The search's index, with the tables that it consists of. */
const INDEX = 'pet_names'

/** Throws SQLite's error if the file cannot be read at all. */
export function inspect(db: DatabaseSync): Inspection {
  db.exec('BEGIN')
  try {
    const version = versionOf(db)
    const { damage, notes, isIndexDamaged } = integrity(db)
    const contents = contentsOf(db, version)
    damage.push(...wrongCounts(db, version))
    if (version >= VERSION.records) damage.push(...wrongRecords(db, version))
    const isIndexWrong = version >= VERSION.records && (isIndexDamaged || !isIndexExact(db, version))
    if (isIndexWrong) notes.push('The index of names is not as it should be; it is rebuilt at the next search.')
    if (version >= VERSION.unfinishedImports) notes.push(...unfinishedImports(db, version))
    return { contents, damage, notes, isIndexWrong }
  } finally {
    db.exec('ROLLBACK') // it has only read, and a damaged index fails a COMMIT
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

/** Pages left unused where a damaged index was replaced. */
const UNUSED = /^(?:\*\*\* in database main \*\*\*|Page \d+: never used)$/

/** SQLite's integrity check. Messages about nothing but the index are no damage, since no animal depends on it. */
function integrity(db: DatabaseSync): { damage: string[]; notes: string[]; isIndexDamaged: boolean } {
  const told = check(db)
  if (told.length === 0) return { damage: [], notes: [], isIndexDamaged: false }
  const lines = told.flatMap((text) => text.split('\n'))
  if (lines.every((line) => UNUSED.test(line))) {
    const notes = ['Some pages of the file are not used; a backup leaves them out.']
    return { damage: [], notes, isIndexDamaged: false }
  }
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
  const names = ['sqlite_schema', ...tables.map(({ name }) => String(name))]
  const ofIndex = names.filter((name) => name === INDEX || name.startsWith(`${INDEX}_`))
  const isRestSound = names.filter((name) => !ofIndex.includes(name)).every((name) => check(db, name).length === 0)
  const isIndexDamaged = ofIndex.some((name) => check(db, name).length > 0)
  if (isRestSound && isIndexDamaged && !lines.some((line) => line.startsWith('Freelist'))) {
    return { damage: [], notes: [], isIndexDamaged }
  }
  return {
    damage: told.map((text) => `SQLite finds the file damaged: ${text.replaceAll('\n', ' ')}.`),
    notes: [],
    isIndexDamaged,
  }
}

/** SQLite's messages about the file or one table; none if it is sound. */
function check(db: DatabaseSync, table?: string): string[] {
  try {
    const rows = db.prepare(`PRAGMA integrity_check(${table === undefined ? MESSAGES : `'${table}'`})`).all()
    return rows.map(({ integrity_check }) => String(integrity_check)).filter((text) => text !== 'ok')
  } catch (error) {
    if (!isOfIndex(error)) throw error
    return [error instanceof Error ? error.message : String(error)] // so it ends where it cannot open an index
  }
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

/** Whether the index holds exactly the names that it should. */
function isIndexExact(db: DatabaseSync, version: number): boolean {
  try {
    const ahead = count(db, `pet_search WHERE indexed_to > (${LAST_GIVEN_ID})`)
    const isChanged = (id: string) =>
      version >= VERSION.changedNames ? `AND ${id} NOT IN (SELECT pet_id FROM changed_names)` : ''
    const upTo = 'id <= (SELECT indexed_to FROM pet_search)'
    // Of animals hidden by an undo, some are still in the index.
    const held = `${INDEX}_docsize WHERE ${upTo} ${isChanged('id')} AND id NOT IN (SELECT id FROM pets WHERE NOT ${IS_THERE})`
    return ahead === 0 && count(db, held) === count(db, `pets WHERE ${upTo} ${isChanged('id')} AND ${IS_THERE}`)
  } catch (error) {
    if (isOfIndex(error)) return false
    throw error
  }
}

function unfinishedImports(db: DatabaseSync, version: number): string[] {
  const undone = version >= VERSION.changedNames ? 'first_id IN (SELECT first_id FROM undone_ranges)' : 'false'
  const rows = db
    .prepare(`SELECT last_id - first_id + 1 AS ids FROM unfinished_imports WHERE NOT (${undone})`)
    .all()
    .map(
      ({ ids }) =>
        `An import of ${ids} animals is under way or was cut off; nobody sees them, and the next import removes what was cut off.`,
    )
  const hidden = count(db, `unfinished_imports WHERE ${undone}`)
  if (hidden === 0) return rows
  return [
    ...rows,
    'The undo of an import is under way or was cut off; nobody sees its animals, and the service goes on with it.',
  ]
}

function there(version: number): string {
  return version >= VERSION.unfinishedImports ? `WHERE ${IS_THERE}` : ''
}

function count(db: DatabaseSync, source: string): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${source}`).get()?.n)
}
