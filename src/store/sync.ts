/**
 * A sync makes the animals agree with another system's list, whose rows each have a reference, which is kept with the
 * list that brought it and is never on the interface. A sync is atomic, and can be undone as an import. Its plan, a
 * temporary table with a row for each animal that changes, is made without locks and checked once they are taken.
 */
import { KEPT_SHOWN } from '../rules/bounds.ts'
import { changedBy } from '../rules/changes.ts'
import { type Allowed, isAllowed } from '../rules/imports.ts'
import { importedValues, undoneValues } from '../rules/journal.ts'
import {
  hasLeft,
  type Missing,
  needsAgreement,
  SYNC_ACTS,
  type SyncChange,
  type SyncKind,
  syncedValues,
} from '../rules/sync.ts'
import { lockAnimals, removeAnimals, undoEntries } from './animals.ts'
import type { ActEntry, Author, LateAuthor } from './author.ts'
import { nameNewCategories } from './categories.ts'
import { addImport, ENTRY, isSince, JOURNAL_BATCH_SIZE, statesOf, write } from './journal.ts'
import { toStatus } from './rows.ts'
import { type Database, indexedOf, numberOf, Repository, type Sql, selectIds, table } from './sql.ts'
import { type FileRow, groupsOf, STAGING_TABLES, type StagedFile, stage } from './staging.ts'
import { ListSql, MOVED, ofPlan, PLANNED, reassignedRows } from './sync-sql.ts'
import { noteReturns } from './waits.ts'

export interface SyncOptions {
  readonly by: LateAuthor
  readonly source: string
  /** Animals of other lists are never missing from this one. */
  readonly list: string
  readonly missing: Missing
  /** Whether a person has agreed to a sync that needs it. */
  readonly agrees: boolean
  /** Animals without a reference take those of new rows with their name and category. Undefined: such rows stop it. */
  readonly adopts: boolean | readonly string[] | undefined
  readonly allows?: Allowed
  readonly dryRun: boolean
}

/** A new row, and an animal that it could be. */
const ALIKE_ROW = table({
  reference: ['text', 'file_rows.reference'],
  name: ['text', 'file_rows.name'],
  id: ['bigint', 'pets.id'],
  status: [toStatus, 'pets.status'],
})
const UNLISTED = table({
  id: ['bigint', 'pets.id'],
  name: ['text', 'pets.name'],
  status: [toStatus, 'pets.status'],
  reference: ['text', 'pet_references.reference'],
})

export type SyncOutcome = Awaited<ReturnType<Syncs['run']>>

/** Animals that an undo removed, and animals that it kept because someone changed them. */
export interface UndoResult {
  readonly removed: number
  /** Animals that the undo of a sync restored. */
  readonly putBack?: number
  readonly kept: number
  /** The first kept animals, in a dry run. */
  readonly keptIds?: readonly bigint[]
}

const CHANGES_SHOWN = 1_000
const PAIRS_SHOWN = 5
/** The most rows whose animals the office lets a person choose. */
const ALIKE_SHOWN = 20
const UNLISTED_SHOWN = 200

const KIND = table({ kind: 'text', animals: ['int', 'count(*)'] })
const MATCHES = table({ alike: ['int', 'coalesce(sum(listed), 0)'], adoptable: ['int', 'count(ref)'] })
const VANISHED = table({ vanished: ['int', 'count(*)'], vanishedAlike: ['int', 'count(sync_groups.name_key)'] })
const PAIR = table({ before: ['text', 'pet_references.reference'], now: ['text', 'sync_groups.reference'] })

const PLAN = table({
  kind: (cell) => cell as SyncKind,
  petId: 'bigint?',
  reference: 'text',
  name: 'text',
  categoryId: 'bigint',
  status: toStatus,
  wasName: 'text?',
  wasCategoryId: 'bigint',
  wasStatus: toStatus,
})

const TABLES = [
  ...STAGING_TABLES,
  // New rows by name and category: `listed` counts them, `reference` is one of theirs, and `ref` is set if it is the
  // only one.
  'sync_groups (name_key text, category_id bigint, listed bigint, ref text, reference text)',
  // Groups that match animals without a reference. `ref` is set if the match is unambiguous.
  'sync_alike (listed bigint, pet_id bigint, ref text)',
  `sync_plan (place integer PRIMARY KEY, ${Object.entries(PLANNED).map((column) => column.join(' '))})`,
]
const INDEXES = [
  'CREATE INDEX sync_groups_by_name ON sync_groups (name_key, category_id)',
  'CREATE INDEX sync_alike_by_reference ON sync_alike (ref)',
  'CREATE INDEX gone_rows_by_reference ON gone_rows (ref)',
]

/** An animal that has left and had no status keeps what the API shows. */
const TOUCHED = `SELECT count(*) FROM sync_plan WHERE kind IN ('changed', 'marked', 'removed')
  OR kind = 'left' AND was_status IS DISTINCT FROM status`

const ALIKE = `
  FROM sync_alike JOIN pets ON pets.id = sync_alike.pet_id JOIN file_rows ON file_rows.ref = sync_alike.ref
  ORDER BY file_rows.place LIMIT ${ALIKE_SHOWN}`

export class Syncs extends Repository {
  /** Syncs all rows or none. Throws StoreUnavailable, or an error of `batches`. */
  async run(batches: AsyncIterable<readonly FileRow[]>, options: SyncOptions) {
    const { dialect } = this.db
    const statements = new ListSql(dialect, options.list)
    const outcome = await this.db.bulk(TABLES, async (sql, begin) => {
      const file = await stage(this.db, sql, batches)
      const { newCategories } = file
      for (const index of INDEXES) await sql(index)
      await dialect.analyze(sql, 'gone_rows')
      const mayGoOn = !options.dryRun && isAllowed(file, options.allows)
      for (let inTransaction = false; ; ) {
        const outcome = await this.#plan(sql, file, options, statements)
        if (!mayGoOn || outcome.isRefused) return outcome
        const isEmpty = Object.values(outcome.counts).every((n) => n === 0)
        if (isEmpty && (await numberOf(sql, statements.claimed)) === 0) return { ...outcome, isDone: true }
        if (!inTransaction) await begin()
        inTransaction = true
        if (isEmpty) {
          for (const statement of statements.claim) await sql(statement)
          return { ...outcome, isDone: true }
        }
        // Categories are locked before animals, which avoids deadlocks.
        if (newCategories.size > 0) await dialect.lock(sql, 'categories')
        await lockAnimals(this.db, sql, 'id IN (SELECT pet_id FROM sync_plan)')
        if ((await numberOf(sql, statements.countStale)) === 0)
          return { ...outcome, isDone: true, n: await this.#apply(sql, options, newCategories, statements) }
      }
    })
    if (outcome.n !== undefined) await this.db.analyzeIfLarge('pets, pet_references', outcome.counts.added)
    return outcome
  }

  async #plan(sql: Sql, file: StagedFile, options: SyncOptions, statements: ListSql) {
    const { dialect } = this.db
    const { adopts } = options
    for (const table of ['sync_groups', 'sync_alike', 'sync_plan']) await sql(`DELETE FROM ${table}`)
    // Rows without a category are questions, and match no animal.
    await sql(statements.findGroups)
    await dialect.analyze(sql, 'sync_groups')
    await sql(statements.findAlike)
    const others = `UPDATE sync_alike SET ref = NULL WHERE NOT (${dialect.isIn('ref', 1)})`
    if (typeof adopts === 'object') await sql(others, [adopts.map(indexedOf)])
    if (file.uncategorised.rows === 0)
      await sql(statements.plan(options.missing, adopts !== undefined && adopts !== false))
    await dialect.analyze(sql, 'sync_plan')
    const counts = await this.#counts(sql)
    const unlisted = statements.unlisted(options.missing)
    const { alike, adoptable } = await MATCHES.only(sql, 'FROM sync_alike')
    const changes = await PLAN.select(sql, `FROM sync_plan ORDER BY place LIMIT ${CHANGES_SHOWN}`)
    const referenced = await numberOf(sql, statements.referenced)
    const touched = await numberOf(sql, TOUCHED)
    const reassigned = await numberOf(sql, `SELECT count(*) ${reassignedRows(dialect)}`)
    const figures = { referenced, touched, reassigned, ...(await VANISHED.only(sql, statements.vanished)) }
    const guard = needsAgreement(figures) ? { ...figures, ...(await this.#reasons(sql, statements)) } : undefined
    return {
      n: undefined as bigint | undefined,
      /** Whether the animals now agree with the list. */
      isDone: false,
      file,
      counts,
      /** New rows that resemble animals without a reference and do not take their place. */
      alike: adopts === undefined || adopts === false ? alike : alike - adoptable,
      /** Of these, the unambiguous ones, while `adopts` does not decide. */
      adoptable: adopts === undefined ? adoptable : 0,
      /** The first ambiguous rows, each with an animal that it could be. */
      unclearRows: alike === adoptable ? [] : await ALIKE_ROW.select(sql, statements.unclear),
      alikeRows: await ALIKE_ROW.select(sql, ALIKE),
      unlisted: await numberOf(sql, `SELECT count(*) ${unlisted}`),
      unlistedRows: await UNLISTED.select(sql, `${unlisted} ORDER BY pets.id LIMIT ${UNLISTED_SHOWN}`),
      changes: changes.map(toChange),
      groups: options.dryRun ? await groupsOf(sql, 'sync_plan') : [],
      guard,
      isRefused: (guard !== undefined && !options.agrees) || (adopts === undefined && alike > 0),
    }
  }

  async #counts(sql: Sql): Promise<Readonly<Record<SyncKind, number>>> {
    const none = { added: 0, adopted: 0, changed: 0, restored: 0, left: 0, marked: 0, removed: 0 }
    const kinds = await KIND.select(sql, 'FROM sync_plan GROUP BY kind')
    return { ...none, ...Object.fromEntries(kinds.map(({ kind, animals }) => [kind, animals])) }
  }

  async #reasons(sql: Sql, statements: ListSql) {
    const first = await PLAN.first(sql, `${reassignedRows(this.db.dialect)} ORDER BY place LIMIT 1`)
    const again = 'AND sync_groups.name_key IS NOT NULL ORDER BY pet_references.pet_id'
    const pairs = await PAIR.select(sql, `${statements.vanished} ${again} LIMIT ${PAIRS_SHOWN}`)
    return { first: first && toChange(first), pairs: pairs.map(({ before, now }) => [before, now] as const) }
  }

  async #apply(
    sql: Sql,
    { by: author, source }: SyncOptions,
    newCategories: ReadonlyMap<bigint, string>,
    statements: ListSql,
  ): Promise<bigint> {
    const { dialect, clock } = this.db
    const by = { atMs: clock.now(), ...author }
    await nameNewCategories(this.db, sql, newCategories, by)
    const animals = await numberOf(sql, 'SELECT count(*) FROM sync_plan')
    const n = await addImport(sql, by, source, animals)
    await sql(dialect.assignIds('sync_plan', "kind = 'added'"))
    for (const statement of statements.apply) await sql(statement)
    await dialect.addToCounts(sql, "sync_plan WHERE kind IN ('added', 'restored')")
    await removeAnimals(sql, `id IN (${ofPlan('removed')})`, [], by.atMs)
    let partOf: Author['partOf'] = { act: 'sync', importN: n, to: importedValues(animals, source) }
    for (let place = 0; place < animals; place += JOURNAL_BATCH_SIZE) {
      const batch = 'FROM sync_plan WHERE place > $1 AND place <= $2 ORDER BY place'
      const rows = await PLAN.select(sql, batch, [place, place + JOURNAL_BATCH_SIZE])
      const entries = rows.map(({ petId = 0n, ...rest }) => {
        const change = toChange({ petId, ...rest })
        const states = { ...statesOf(change.before, change.now), ...(hasLeft(change) && { statusNow: 'left' }) }
        return { act: SYNC_ACTS[rest.kind], petId, importN: n, ...syncedValues(change), ...states }
      })
      partOf = await write(this.db, sql, { ...by, partOf }, entries)
    }
    await noteReturns(this.db, sql, await selectIds(sql, MOVED))
    return n
  }
}

function toChange({ kind, petId, reference, ...row }: ReturnType<typeof PLAN.row>): SyncChange {
  const { name, categoryId, status, wasName, wasCategoryId, wasStatus } = row
  const before =
    wasName === undefined ? undefined : { name: wasName, categoryId: wasCategoryId, status: wasStatus ?? null }
  return { kind, id: petId, reference, now: { name, categoryId, status: status ?? null }, before }
}

export interface ImportUndo {
  readonly n: bigint
  readonly entryN: bigint | undefined
  readonly animals: number
  readonly by: Author
  readonly dryRun: boolean
}

const PARTS = 'FROM journal WHERE import_n = $1 AND pet_id IS NOT NULL'

const LATER = `FROM journal JOIN (SELECT pet_id AS id, n AS part_n ${PARTS}) AS part ON pet_id = id AND n > part_n
  WHERE ${isSince('part_n')} ORDER BY pet_id, n`

/** Undoes a sync by its journal entries. Animals that were changed since are kept. */
export async function undoSync(
  db: Database,
  sql: Sql,
  { n, entryN, animals, by, dryRun }: ImportUndo,
): Promise<UndoResult> {
  const { forUpdate, isIn } = db.dialect
  const ids = await selectIds(sql, `SELECT pet_id ${PARTS} ORDER BY pet_id`, [n])
  const places = new Map<bigint, string>()
  for (const table of ['pets', 'removed_pets']) {
    const locked = `SELECT id FROM ${table} WHERE ${isIn('id', 1)} ORDER BY id ${dryRun ? '' : forUpdate}`
    for (const id of await selectIds(sql, locked, [ids])) places.set(id, table)
  }
  const changed = changedBy(await ENTRY.select(sql, LATER, [n]))
  const isAsLeft = (id: bigint, act: string) =>
    !changed.has(id) && places.get(id) === (act === 'remove' ? 'removed_pets' : 'pets')
  const parts = await ENTRY.select(sql, `${PARTS} AND undone_by IS NULL ORDER BY pet_id`, [n])
  const back = parts.filter(({ petId = '', act }) => isAsLeft(BigInt(petId), act))
  const removed = back.filter(({ act }) => act === 'add').length
  const putBack = back.length - removed
  const counts = { removed, putBack, kept: animals - back.length }
  if (dryRun) {
    const isBack = new Set(back.map(({ petId }) => petId))
    return { ...counts, keptIds: ids.filter((id) => !isBack.has(String(id))).slice(0, KEPT_SHOWN) }
  }
  const undo: ActEntry = { act: 'undo import', importN: n, from: undoneValues(removed, putBack), undoes: entryN }
  if (back.length === 0) await write(db, sql, by, [undo])
  else await undoEntries(db, sql, back, { ...by, partOf: undo })
  return counts
}
