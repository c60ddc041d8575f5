/** Imports add many animals in one transaction, or none. An import has a number, by which it can be undone. */
import { KEPT_SHOWN, TAKEN_SHOWN } from '../rules/bounds.ts'
import { changedBy } from '../rules/changes.ts'
import { type Allowed, addedBy, isAllowed } from '../rules/imports.ts'
import { importedValues, undoneValues } from '../rules/journal.ts'
import { removeAnimals } from './animals.ts'
import type { ActEntry, Author, LateAuthor } from './author.ts'
import { nameNewCategories } from './categories.ts'
import { addImport, ENTRY, isSince, type NewEntry, OF_NO_SUBJECT, write } from './journal.ts'
import { MEMBER_COLUMNS } from './rows.ts'
import { big, IN_RANGE, int, lockRows, numberOf, Repository, type Sql, selectIds, table, type Value } from './sql.ts'
import { type FileRow, type Group, groupsOf, STAGING_TABLES, type StagedFile, stage } from './staging.ts'
import { type ImportUndo, type UndoResult, undoSync } from './sync.ts'

export interface ImportOptions {
  readonly by: LateAuthor
  readonly source: string
  readonly withIds: boolean
  /** Also imports animals whose name and category already exist. Ids from the file make this unnecessary. */
  readonly allowDuplicates: boolean
  readonly leaveOutDuplicates?: boolean
  readonly list?: string | undefined
  readonly allows?: Allowed
  readonly dryRun: boolean
}

export interface ImportOutcome {
  readonly n: bigint | undefined
  readonly file: StagedFile
  readonly duplicates: number
  /** Some ids that are taken or appear twice. If there are any, nothing is imported. */
  readonly takenIds: readonly bigint[]
  readonly groups: readonly Group[]
}

export type ImportRecord = ReturnType<typeof IMPORT.row>

const IMPORT = table({ n: 'bigint', atMs: 'int', who: 'text', source: 'text', animals: 'int', undoneAtMs: 'int?' })

const SOURCE = table({ n: 'bigint', source: 'text' })

const TABLES = [...STAGING_TABLES, 'duplicates (place integer PRIMARY KEY)']

const NEW_ROWS = `(SELECT CASE WHEN duplicates.place IS NULL THEN 'added' ELSE 'alike' END AS kind, category_id, status
  FROM file_rows LEFT JOIN duplicates ON duplicates.place = file_rows.place) AS new_rows`

const USED_IDS = `
  SELECT pet_id FROM file_rows WHERE pet_id IN (SELECT id FROM pets) OR pet_id IN (SELECT id FROM removed_pets)
  UNION SELECT pet_id FROM file_rows GROUP BY pet_id HAVING count(*) > 1
  ORDER BY 1 LIMIT ${TAKEN_SHOWN}`

const BROUGHT = `SELECT pets.id FROM import_ranges JOIN pets ON pets.id ${IN_RANGE} WHERE import_n = $1`

/** Entries later than the import. Earlier entries with its ids are about other animals. */
const LATER = `FROM journal WHERE pet_id IN (${BROUGHT}) AND n > $2 AND ${isSince('$2')} ORDER BY pet_id, n`
const CHANGED = `FROM import_ranges JOIN journal ON pet_id ${IN_RANGE} WHERE import_ranges.import_n = $1 AND n > $2`

/** Whether the import added the animal or, as a sync, changed it. */
export function isOfImport(table: string, importN: bigint, values: Value[]): string {
  const n = `$${values.push(importN)}`
  return `id IN (
    SELECT ${table}.id FROM import_ranges JOIN ${table} ON ${table}.id ${IN_RANGE} WHERE import_n = ${n}
    UNION ALL SELECT pet_id FROM journal WHERE import_n = ${n})`
}

export class Imports extends Repository {
  /** Simultaneous imports find each other's animals. Throws StoreUnusable, StoreUnavailable or an error of `batches`. */
  async add(batches: AsyncIterable<readonly FileRow[]>, options: ImportOptions): Promise<ImportOutcome> {
    const { withIds, allowDuplicates, leaveOutDuplicates = false, dryRun } = options
    const outcome = await this.db.bulk(TABLES, async (sql, begin) => {
      const file = await stage(this.db, sql, batches)
      const { rows: animals, newCategories } = file
      const mayGoOn = !dryRun && isAllowed(file, options.allows)
      if (mayGoOn) await begin()
      for (;;) {
        const takenIds = withIds ? await selectIds(sql, USED_IDS) : []
        const duplicates = withIds || allowDuplicates ? 0 : await this.#findDuplicates(sql, options.list)
        const added = mayGoOn ? addedBy({ animals, duplicates, takenIds }, leaveOutDuplicates) : 0
        const n = added === 0 ? undefined : await this.#addStaged(sql, added, options, newCategories)
        const groups = dryRun ? await groupsOf(sql, NEW_ROWS) : []
        if (added === 0 || n !== undefined) return { n, file, duplicates, takenIds, groups }
      }
    })
    if (outcome.n !== undefined) await this.db.analyzeIfLarge('pets', outcome.file.rows)
    return outcome
  }

  async #findDuplicates(sql: Sql, list: string | undefined): Promise<number> {
    if ((await sql('SELECT 1 FROM pets LIMIT 1')).length === 0) return 0
    await sql('CREATE INDEX IF NOT EXISTS file_rows_by_name ON file_rows (name_key, category_id)')
    await sql('DELETE FROM duplicates')
    const name = this.db.dialect.folded('pets.name', 'pets.folded')
    await sql(`
      INSERT INTO duplicates SELECT DISTINCT place FROM pets CROSS JOIN file_rows
      WHERE file_rows.name_key = ${name} AND file_rows.category_id = pets.category_id`)
    if (list !== undefined)
      await sql(
        `INSERT INTO duplicates SELECT DISTINCT place FROM file_rows JOIN pet_references ON pet_references.folded = file_rows.ref
         WHERE pet_references.list IN ($1, '') AND place NOT IN (SELECT place FROM duplicates)`,
        [list],
      )
    return numberOf(sql, 'SELECT count(*) FROM duplicates')
  }

  /** Returns the number of the import. Undefined if an id was assigned since it was checked; then nothing is done. */
  async #addStaged(
    sql: Sql,
    animals: number,
    options: ImportOptions,
    newCategories: ReadonlyMap<bigint, string>,
  ): Promise<bigint | undefined> {
    const { withIds, source } = options
    const { dialect, clock } = this.db
    const by = { atMs: clock.now(), ...options.by }
    await sql('SAVEPOINT adding')
    await sql('DELETE FROM file_rows WHERE place IN (SELECT place FROM duplicates)')
    if (withIds) await dialect.reserveIdsUpTo(sql, big((await sql('SELECT max(pet_id) FROM file_rows'))[0]?.[0]))
    else await sql(dialect.assignIds('file_rows', 'true'))
    // In the order of ids, as creates lock them, so that they do not deadlock.
    const insert = `
      INSERT INTO pets (id, ${MEMBER_COLUMNS}) SELECT pet_id, ${MEMBER_COLUMNS} FROM file_rows WHERE true ORDER BY pet_id`
    if (!withIds) await sql(insert)
    else if ((await sql(`${insert} ON CONFLICT DO NOTHING RETURNING 1`)).length < animals) {
      await sql('ROLLBACK TO SAVEPOINT adding')
      return undefined
    }
    if (withIds) await sql('DELETE FROM arrivals WHERE pet_id IN (SELECT pet_id FROM file_rows)') // of purged ones
    await sql('INSERT INTO arrivals (pet_id, day) SELECT pet_id, came_on FROM file_rows WHERE came_on IS NOT NULL')
    // With duplicates allowed, an existing animal keeps its reference.
    if (options.list !== undefined)
      await sql(
        `INSERT INTO pet_references (pet_id, reference, folded, list)
         SELECT pet_id, reference, ref, CAST($1 AS text) FROM file_rows WHERE ref IS NOT NULL ON CONFLICT DO NOTHING`,
        [options.list],
      )
    await dialect.addToCounts(sql, 'file_rows')
    await nameNewCategories(this.db, sql, newCategories, by)
    const n = await addImport(sql, by, source, animals)
    await sql(
      `INSERT INTO import_ranges SELECT CAST($1 AS bigint), min(pet_id), max(pet_id)
       FROM (SELECT pet_id, pet_id - row_number() OVER (ORDER BY pet_id) AS run FROM file_rows) AS runs GROUP BY run`,
      [n],
    )
    await write(this.db, sql, by, [{ act: 'import', importN: n, to: importedValues(animals, source) }])
    return n
  }

  list(limit: number): Promise<readonly ImportRecord[]> {
    return IMPORT.select(this.db.read, 'FROM imports ORDER BY n DESC LIMIT $1', [limit])
  }

  async sources(ns: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
    const imports = await SOURCE.select(this.db.read, `FROM imports WHERE ${this.db.dialect.isIn('n', 1)}`, [ns])
    return new Map(imports.map(({ n, source }) => [n, source]))
  }

  /** Removes unchanged animals, or restores the state before a sync. Undefined if there is nothing to undo. */
  undo(n: bigint, by: Author, { dryRun = false } = {}): Promise<UndoResult | undefined> {
    return this.db.write(async (sql) => {
      const isOpen = 'n = $1 AND undone_at_ms IS NULL'
      const [row] = dryRun
        ? await sql(`SELECT animals FROM imports WHERE ${isOpen}`, [n])
        : await sql(`UPDATE imports SET undone_at_ms = $2 WHERE ${isOpen} RETURNING animals`, [n, by.atMs])
      if (row === undefined) return undefined
      const animals = int(row[0])
      const [entry] = await ENTRY.select(sql, `FROM journal WHERE import_n = $1 AND ${OF_NO_SUBJECT} ORDER BY n`, [n])
      const undo = { n, entryN: entry?.n, animals, by, dryRun }
      return entry?.act === 'sync' ? undoSync(this.db, sql, undo) : this.#undoImport(sql, undo)
    })
  }

  async #undoImport(sql: Sql, { n, entryN, animals, by, dryRun }: ImportUndo): Promise<UndoResult> {
    const { isIn } = this.db.dialect
    // Waits for current changes, so that the next statement sees their entries.
    if (!dryRun) await lockRows(this.db, sql, 'pets', `id IN (${BROUGHT})`, [n])
    const later = await ENTRY.select(sql, LATER, [n, entryN ?? 0n])
    const changed = changedBy(later)
    const unchanged = `id IN (${BROUGHT}) AND NOT ${isIn('id', 2)}`
    const values = [n, [...changed]]
    const removed = await numberOf(sql, `SELECT count(*) FROM pets WHERE ${unchanged}`, values)
    const outcome = { removed, kept: animals - removed }
    if (dryRun) {
      const missing = `SELECT DISTINCT pet_id ${CHANGED} AND NOT EXISTS (SELECT 1 FROM pets WHERE id = pet_id)`
      const ids = [
        ...changed,
        ...(await selectIds(sql, `${missing} ORDER BY pet_id LIMIT ${KEPT_SHOWN}`, [n, entryN ?? 0n])),
      ]
      return { ...outcome, keptIds: ids.sort((a, b) => (a < b ? -1 : 1)).slice(0, KEPT_SHOWN) }
    }
    await removeAnimals(sql, unchanged, values, by.atMs)
    // An animal without later entries is removed without an entry.
    const last = new Map(later.map((entry) => [BigInt(entry.petId ?? ''), entry]))
    const parts = [...last]
      .filter(([id]) => !changed.has(id))
      .map(([petId, { statusNow, categoryNow }]): NewEntry => {
        const states = { statusWas: statusNow, statusNow, categoryWas: categoryNow, categoryNow }
        return { act: 'remove', petId, ...states }
      })
    const undo: ActEntry = { act: 'undo import', importN: n, from: undoneValues(removed), undoes: entryN }
    if (parts.length === 0) await write(this.db, sql, by, [undo])
    else await write(this.db, sql, { ...by, partOf: undo }, parts)
    return outcome
  }
}
