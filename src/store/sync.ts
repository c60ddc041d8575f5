/**
 * A sync makes the animals agree with another system's list, whose rows each have a reference: that system's id of the
 * animal. The reference is kept beside the animal and is never on the interface. A sync is
 * atomic, and has the number of an import, by which it can be undone. References and names are compared as
 * ../common/fold.ts has it. The rows of the list are in a temporary table, and so is the plan that is made of them: a
 * row for each animal that changes. The plan is computed without locks, and checked once its animals are locked.
 */
import { KEPT_SHOWN } from '../rules/bounds.ts'
import { importedValues, importPrefix, undoneValues } from '../rules/journal.ts'
import {
  type Missing,
  SYNC_ACTS,
  type SyncChange,
  type SyncConsent,
  type SyncFigures,
  type SyncKind,
  type SyncRefusal,
  syncedValues,
  whyRefused,
} from '../rules/sync.ts'
import { type DoneEntry, holdPets, removePets, undoEntries } from './animals.ts'
import type { Author, LateAuthor } from './author.ts'
import { nameNewCategories } from './categories.ts'
import { addImport, ENTRY, JOURNAL_BATCH_SIZE, write } from './journal.ts'
import { MEMBER_COLUMNS, MEMBER_TYPES, toStatus, VALUE_COLUMNS } from './rows.ts'
import { type Database, type Dialect, indexedOf, numberOf, type Sql, Subject, selectIds, table } from './sql.ts'
import { type FileRow, groupsOf, STAGING_TABLES, type StagedFile, stage } from './staging.ts'
import { noteReturns } from './waits.ts'

export interface SyncOptions extends SyncConsent {
  readonly by: LateAuthor
  readonly source: string
  readonly missing: Missing
  readonly dryRun: boolean
}

/** A new row, and an animal that it could be. */
const ALIKE_ROW = table({
  reference: ['text', 'file_rows.reference'],
  name: ['text', 'file_rows.name'],
  id: ['bigint', 'pets.id'],
  status: [toStatus, 'pets.status'],
})

export type SyncOutcome = Awaited<ReturnType<Syncs['run']>>

/** Animals that an undo has removed, and those that it kept, as somebody has changed or removed them since. */
export interface UndoResult {
  readonly removed: number
  /** Of a sync: animals that were there before, and are again as they were. */
  readonly putBack?: number
  readonly kept: number
  /** The first of the kept animals, in a dry run. */
  readonly keptIds?: readonly bigint[]
}

const CHANGES_SHOWN = 20
const PAIRS_SHOWN = 5
/** An office shows each of so many rows that ask who they are. */
const ALIKE_SHOWN = 20

const KIND = table({ kind: 'text', animals: ['int', 'count(*)'] })
/** New rows that are alike to animals without a reference, and those of them that match one animal each. */
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

// `ref` and `name_key`: a reference and a name as they are compared.
const PLANNED = {
  kind: 'text',
  pet_id: 'bigint',
  reference: 'text',
  ref: 'text',
  ...MEMBER_TYPES,
  ...Object.fromEntries(Object.entries(MEMBER_TYPES).map(([column, type]) => [`was_${column}`, type])),
}

const TABLES = [
  ...STAGING_TABLES,
  // New rows grouped by name and category: `listed` counts them, `ref` is set if there is one, `reference` is one of
  // theirs.
  'sync_groups (name_key text, category_id bigint, listed bigint, ref text, reference text)',
  // The groups of sync_groups that match animals without a reference; `ref` is set if the match is one to one.
  'sync_alike (listed bigint, pet_id bigint, ref text)',
  `sync_plan (place integer PRIMARY KEY, ${Object.entries(PLANNED).map((column) => column.join(' '))})`,
]
const INDEXES = [
  'CREATE INDEX sync_groups_by_name ON sync_groups (name_key, category_id)',
  'CREATE INDEX sync_alike_by_reference ON sync_alike (ref)',
]

const IS_NEW = 'NOT EXISTS (SELECT 1 FROM pet_references WHERE pet_references.folded = file_rows.ref)'
const IS_UNLISTED = 'NOT EXISTS (SELECT 1 FROM file_rows WHERE file_rows.ref = pet_references.folded)'

const FIND_GROUPS = `
  INSERT INTO sync_groups
  SELECT name_key, category_id, count(*), CASE WHEN count(*) = 1 THEN min(ref) END, min(reference)
  FROM file_rows WHERE ${IS_NEW} GROUP BY name_key, category_id`

const isAlike = ({ folded }: Dialect) =>
  `sync_groups.name_key = ${folded('pets.name', 'pets.folded')} AND sync_groups.category_id = pets.category_id`

/** Who is sold is never another one's because of the name. */
const HAS_NO_REFERENCE = `pets.status IS DISTINCT FROM 'sold'
    AND NOT EXISTS (SELECT 1 FROM pet_references WHERE pet_references.pet_id = pets.id)`

const findAlike = (dialect: Dialect) => `
  INSERT INTO sync_alike
  SELECT max(listed), min(pets.id), CASE WHEN count(*) = 1 THEN min(sync_groups.ref) END
  FROM pets CROSS JOIN sync_groups
  WHERE ${isAlike(dialect)} AND ${HAS_NO_REFERENCE}
  GROUP BY sync_groups.name_key, sync_groups.category_id`

/** New rows that match animals without a reference, but not one to one. */
const unclear = (dialect: Dialect) => `
  FROM pets CROSS JOIN sync_groups JOIN file_rows
    ON file_rows.name_key = sync_groups.name_key AND file_rows.category_id = sync_groups.category_id
  WHERE ${isAlike(dialect)} AND ${IS_NEW} AND ${HAS_NO_REFERENCE}
    AND NOT EXISTS (SELECT 1 FROM sync_alike WHERE sync_alike.ref = file_rows.ref)
  ORDER BY file_rows.place, pets.id LIMIT 50`

const ALIKE = `
  FROM sync_alike JOIN pets ON pets.id = sync_alike.pet_id JOIN file_rows ON file_rows.ref = sync_alike.ref
  ORDER BY file_rows.place LIMIT ${ALIKE_SHOWN}`

const reassignedRows = ({ folded }: Dialect) => `
  FROM sync_plan WHERE kind = 'changed' AND category_id <> was_category_id
    AND ${folded('name')} <> ${folded('was_name', 'was_folded')}`

/** Animals whose reference is not listed any more, with the new rows that are alike. */
const vanished = (dialect: Dialect) => `
  FROM pet_references JOIN pets ON pets.id = pet_references.pet_id LEFT JOIN sync_groups ON ${isAlike(dialect)}
  WHERE ${IS_UNLISTED}`

const MEMBERS = MEMBER_COLUMNS.map((column) => {
  return column === 'status'
    ? 'CASE WHEN says_status = 1 THEN file_rows.status ELSE pets.status END AS status'
    : `file_rows.${column}`
})
const LISTED = `file_rows.place, file_rows.reference, file_rows.ref, ${MEMBERS}`
const PRESENT = MEMBER_COLUMNS.map((column) => `pets.${column} AS was_${column}`)
const BY_REFERENCE = 'file_rows JOIN pet_references ON pet_references.folded = file_rows.ref'

const differs = (column: string) =>
  `${column === 'status' ? 'says_status = 1 AND ' : ''}file_rows.${column} IS DISTINCT FROM pets.${column}`
const CHANGED = `
  SELECT 'changed' AS kind, pets.id AS pet_id, ${LISTED}, ${PRESENT}
  FROM ${BY_REFERENCE} JOIN pets ON pets.id = pet_references.pet_id
  WHERE ${VALUE_COLUMNS.map(differs).join(' OR ')}`
const RESTORED = `
  SELECT 'restored', pets.id, ${LISTED}, ${PRESENT}
  FROM ${BY_REFERENCE} JOIN removed_pets AS pets ON pets.id = pet_references.pet_id`
const ADOPTED = `
  SELECT 'adopted', pets.id, ${LISTED}, ${PRESENT}
  FROM sync_alike JOIN pets ON pets.id = sync_alike.pet_id JOIN file_rows ON file_rows.ref = sync_alike.ref`
const added = (adopts: boolean) => `
  SELECT 'added', NULL, place, reference, ref, ${MEMBER_COLUMNS}, ${MEMBER_COLUMNS.map(() => 'NULL')}
  FROM file_rows WHERE ${IS_NEW}${
    adopts ? ' AND NOT EXISTS (SELECT 1 FROM sync_alike WHERE sync_alike.ref = file_rows.ref)' : ''
  }`
const missing = (kind: SyncKind, status: string, condition: string) => `
  SELECT '${kind}', pets.id, 0, pet_references.reference, pet_references.folded,
    ${MEMBER_COLUMNS.map((column) => (column === 'status' ? status : `pets.${column}`))}, ${PRESENT}
  FROM pet_references JOIN pets ON pets.id = pet_references.pet_id WHERE ${IS_UNLISTED} AND ${condition}`

/** Makes the plan, in the order of ids; animals that are added come last, in the order of the list. */
function makePlan({ missing: onMissing, adopts: adopting = false }: Pick<SyncOptions, 'missing' | 'adopts'>): string {
  const adopts = adopting !== false
  const parts = [CHANGED, RESTORED, added(adopts)]
  if (adopts) parts.push(ADOPTED)
  if (onMissing === 'sold') parts.push(missing('marked', "'sold'", "pets.status IS DISTINCT FROM 'sold'"))
  if (onMissing === 'remove') parts.push(missing('removed', 'pets.status', 'true'))
  return `
    INSERT INTO sync_plan
    SELECT row_number() OVER (ORDER BY coalesce(pet_id, 9223372036854775807), place), ${Object.keys(PLANNED)}
    FROM (${parts.join(' UNION ALL ')}) AS found`
}

const AS_BEFORE = `pets.id = sync_plan.pet_id
  AND ${VALUE_COLUMNS.map((column) => `pets.${column} IS NOT DISTINCT FROM was_${column}`).join(' AND ')}`
const HAS_REFERENCE = `EXISTS (SELECT 1 FROM pet_references
  WHERE pet_references.pet_id = sync_plan.pet_id AND pet_references.folded = sync_plan.ref)`
const IS_FREE = `NOT EXISTS (SELECT 1 FROM pet_references
  WHERE pet_references.pet_id = sync_plan.pet_id OR pet_references.folded = sync_plan.ref)`

/** The number of animals of the plan that somebody else has changed since it was made. */
const COUNT_STALE = `
  SELECT count(*) FROM sync_plan WHERE NOT CASE kind
    WHEN 'added' THEN ${IS_FREE}
    WHEN 'adopted' THEN ${IS_FREE} AND EXISTS (SELECT 1 FROM pets WHERE ${AS_BEFORE})
    WHEN 'restored' THEN ${HAS_REFERENCE} AND EXISTS (SELECT 1 FROM removed_pets AS pets WHERE ${AS_BEFORE})
    ELSE ${HAS_REFERENCE} AND EXISTS (SELECT 1 FROM pets WHERE ${AS_BEFORE}) END`

const OF_PLAN = (...kinds: readonly SyncKind[]) =>
  `SELECT pet_id FROM sync_plan WHERE kind IN (${kinds.map((kind) => `'${kind}'`)})`

/** Animals that may be back. */
const BACK = `SELECT pet_id FROM sync_plan WHERE kind IN ('changed', 'restored')
  AND coalesce(was_status, 'sold') = 'sold' AND status IN ('available', 'pending')`

/** Run in this order, after ids are assigned. */
const APPLY = [
  `DELETE FROM removed_pets WHERE id IN (${OF_PLAN('restored')})`,
  `INSERT INTO pets (id, ${MEMBER_COLUMNS}) SELECT pet_id, ${MEMBER_COLUMNS} FROM sync_plan WHERE kind IN ('added', 'restored') ORDER BY pet_id`,
  `UPDATE pets SET ${MEMBER_COLUMNS.map((column) => `${column} = sync_plan.${column}`)} FROM sync_plan WHERE pets.id = sync_plan.pet_id AND sync_plan.kind IN ('changed', 'adopted', 'marked')`,
  `INSERT INTO pet_references (pet_id, reference, folded)
   SELECT pet_id, reference, ref FROM sync_plan WHERE kind IN ('added', 'adopted')`,
  `INSERT INTO arrivals (pet_id, day) SELECT pet_references.pet_id, came_on FROM file_rows JOIN pet_references ON pet_references.folded = file_rows.ref
   WHERE came_on IS NOT NULL ON CONFLICT (pet_id) DO UPDATE SET day = excluded.day`,
]

export class Syncs extends Subject {
  /** Each row has a reference. Does all or nothing. Throws what `batches` throws, and StoreUnavailable. */
  async run(batches: AsyncIterable<readonly FileRow[]>, options: SyncOptions) {
    const { dialect } = this.db
    const outcome = await this.db.bulk(TABLES, async (sql, begin) => {
      const file = await stage(this.db, sql, batches)
      const { newCategories } = file
      for (const index of INDEXES) await sql(index)
      for (let inTransaction = false; ; ) {
        const outcome = await this.#plan(sql, file, options)
        const isEmpty = Object.values(outcome.counts).every((n) => n === 0)
        if (options.dryRun || isEmpty || outcome.refusal || file.ambiguous) return outcome
        if (!inTransaction) await begin()
        inTransaction = true
        // Categories are locked before animals, so no two transactions wait for each other.
        if (newCategories.size > 0) await dialect.lock(sql, 'categories')
        await holdPets(this.db, sql, 'id IN (SELECT pet_id FROM sync_plan)')
        if ((await numberOf(sql, COUNT_STALE)) === 0)
          return { ...outcome, n: await this.#apply(sql, options, newCategories) }
      }
    })
    if (outcome.n !== undefined) await this.db.grown('pets, pet_references', outcome.counts.added)
    return outcome
  }

  /** Makes the plan, and tells what comes of it. */
  async #plan(sql: Sql, file: StagedFile, options: SyncOptions) {
    const { dialect } = this.db
    const { adopts } = options
    for (const table of ['sync_groups', 'sync_alike', 'sync_plan']) await sql(`DELETE FROM ${table}`)
    await sql(FIND_GROUPS)
    await dialect.analyze(sql, 'sync_groups')
    await sql(findAlike(dialect))
    const others = `UPDATE sync_alike SET ref = NULL WHERE NOT (${dialect.isIn('ref', 1)})`
    if (typeof adopts === 'object') await sql(others, [adopts.map(indexedOf)])
    await sql(makePlan(options))
    await dialect.analyze(sql, 'sync_plan')
    const none = { added: 0, adopted: 0, changed: 0, restored: 0, marked: 0, removed: 0 }
    const kinds = await KIND.select(sql, 'FROM sync_plan GROUP BY kind')
    const counts: Readonly<Record<SyncKind, number>> = {
      ...none,
      ...Object.fromEntries(kinds.map(({ kind, animals }) => [kind, animals])),
    }
    const { alike, adoptable } = await MATCHES.only(sql, 'FROM sync_alike')
    const changes = await PLAN.select(sql, `FROM sync_plan ORDER BY place LIMIT ${CHANGES_SHOWN}`)
    const unclearRows = alike === adoptable ? [] : await ALIKE_ROW.select(sql, unclear(dialect))
    const ofReferenced = 'SELECT count(*) FROM pet_references JOIN pets ON pets.id = pet_references.pet_id'
    const referenced = await numberOf(sql, ofReferenced)
    const touched = counts.changed + counts.marked + counts.removed
    const reassigned = await numberOf(sql, `SELECT count(*) ${reassignedRows(dialect)}`)
    const figures = { referenced, touched, reassigned, ...(await VANISHED.only(sql, vanished(dialect))), alike }
    return {
      /** The number by which it can be undone; undefined if nothing was done. */
      n: undefined as bigint | undefined,
      file,
      counts,
      /** New rows with the name and the category of animals that have no reference, and do not take it. */
      alike: adopts === undefined || adopts === false ? alike : alike - adoptable,
      /** Of them those that match one animal each, while `adopts` does not say whether they are these. */
      adoptable: adopts === undefined ? adoptable : 0,
      /** The first of the rows that match several, each with an animal that it could be; in their order. */
      unclearRows,
      alikeRows: await ALIKE_ROW.select(sql, ALIKE),
      /** Animals whose reference the list does not have any more. */
      unlisted: referenced - (file.rows - counts.added - counts.adopted - counts.restored),
      changes: changes.map(toChange),
      /** All that change, in a dry run. */
      groups: options.dryRun ? await groupsOf(sql, 'sync_plan') : [],
      refusal: await this.#refusal(sql, figures, options),
    }
  }

  async #refusal(sql: Sql, figures: SyncFigures, consent: SyncConsent): Promise<SyncRefusal | undefined> {
    const why = whyRefused(figures, consent)
    if (why === undefined || why === 'alike') return why && { why }
    const { touched, referenced, reassigned: animals, vanished: gone, vanishedAlike } = figures
    if (why === 'too many') return { why, touched, referenced }
    if (why === 'reassigned') {
      const first = await PLAN.first(sql, `${reassignedRows(this.db.dialect)} ORDER BY place LIMIT 1`)
      return first && { why, animals, first: toChange(first) }
    }
    const again = 'AND sync_groups.name_key IS NOT NULL ORDER BY pet_references.pet_id'
    const pairs = await PAIR.select(sql, `${vanished(this.db.dialect)} ${again} LIMIT ${PAIRS_SHOWN}`)
    const references = pairs.map(({ before, now }) => [before, now] as const)
    return { why, vanished: gone, alike: vanishedAlike, pairs: references }
  }

  async #apply(
    sql: Sql,
    { by: author, source }: SyncOptions,
    newCategories: ReadonlyMap<bigint, string>,
  ): Promise<bigint> {
    const { dialect, clock } = this.db
    const by = { atMs: clock.now(), ...author }
    await nameNewCategories(this.db, sql, newCategories, by)
    const animals = await numberOf(sql, 'SELECT count(*) FROM sync_plan')
    const n = await addImport(sql, by, source, animals)
    await sql(dialect.assignIds('sync_plan', "kind = 'added'"))
    for (const statement of APPLY) await sql(statement)
    await dialect.addToCounts(sql, "sync_plan WHERE kind IN ('added', 'restored')")
    await removePets(sql, `id IN (${OF_PLAN('removed')})`, [], by.atMs)
    for (let place = 0; place < animals; place += JOURNAL_BATCH_SIZE) {
      const batch = 'FROM sync_plan WHERE place > $1 AND place <= $2 ORDER BY place'
      const rows = await PLAN.select(sql, batch, [place, place + JOURNAL_BATCH_SIZE])
      const entry = ({ petId = 0n, ...rest }: (typeof rows)[number]) => {
        return { act: SYNC_ACTS[rest.kind], petId, ...syncedValues(n, toChange({ petId, ...rest })) }
      }
      await write(this.db, sql, by, rows.map(entry))
    }
    await write(this.db, sql, by, [{ act: 'sync', to: importedValues(n, animals, source) }])
    await noteReturns(this.db, sql, await selectIds(sql, BACK))
    return n
  }
}

function toChange({ kind, petId, reference, ...row }: ReturnType<typeof PLAN.row>): SyncChange {
  const { name, categoryId, status, wasName, wasCategoryId, wasStatus } = row
  const before =
    wasName === undefined ? undefined : { name: wasName, categoryId: wasCategoryId, status: wasStatus ?? null }
  return { kind, id: petId, reference, now: { name, categoryId, status: status ?? null }, before }
}

/**
 * Whether somebody has changed the animal of `entry` since, by the texts of the journal: a later sync that was undone
 * does not count as a change, nor does its undo. Entries of syncs begin with their number, in `to_values`; those of
 * undos have the same text in `from_values`.
 */
const CHANGED_SINCE = `EXISTS (
  SELECT 1 FROM journal AS later WHERE later.pet_id = entry.pet_id AND later.n > entry.n
    AND coalesce(later.from_values, '') NOT LIKE '${importPrefix()}%'
    AND NOT (coalesce(later.to_values, '') LIKE '${importPrefix()}%' AND EXISTS (
      SELECT 1 FROM journal AS undone WHERE undone.pet_id = later.pet_id AND undone.n > later.n
        AND undone.from_values = later.to_values)))`

/** The entries of a sync about animals, found from its own (of the number `n`) backwards. */
export function entriesOfSync(n: string, values: string, animals: string): string {
  return `(SELECT * FROM journal WHERE n < ${n} AND pet_id IS NOT NULL
    AND (to_values LIKE ${values} || ',%' OR to_values = ${values} || '}') ORDER BY n DESC LIMIT ${animals}) AS entry`
}

interface SyncUndo {
  /** The number of the sync, and that of its own entry. */
  readonly n: bigint
  readonly entryN: bigint
  readonly animals: number
  readonly by: Author
  readonly dryRun: boolean
}

/**
 * Undoes a sync in the transaction of the undo. What it changed is in the journal, entry by entry, and each animal that
 * nobody has changed since is put back; the others are kept as they are.
 */
export async function undoSync(
  db: Database,
  sql: Sql,
  { n, entryN, animals, by, dryRun }: SyncUndo,
): Promise<UndoResult> {
  const { forUpdate, isIn } = db.dialect
  const ofSync = entriesOfSync('$1', '$2', '$3')
  const values = [entryN, importPrefix(n), animals]
  const ids = await selectIds(sql, `SELECT pet_id FROM ${ofSync} ORDER BY pet_id`, values)
  const places = new Map<bigint, string>()
  for (const table of ['pets', 'removed_pets']) {
    const locked = `SELECT id FROM ${table} WHERE ${isIn('id', 1)} ORDER BY id ${dryRun ? '' : forUpdate}`
    for (const id of await selectIds(sql, locked, [ids])) places.set(id, table)
  }
  const unchanged = `FROM journal WHERE n IN (SELECT entry.n FROM ${ofSync} WHERE NOT ${CHANGED_SINCE}) ORDER BY pet_id`
  const back = (await ENTRY.select(sql, unchanged, values))
    .map(({ petId = '', ...entry }): DoneEntry => ({ ...entry, petId: BigInt(petId) }))
    .filter(({ petId, act }) => places.get(petId) === (act === 'remove' ? 'removed_pets' : 'pets'))
  const removed = back.filter(({ act }) => act === 'add').length
  const putBack = back.length - removed
  const counts = { removed, putBack, kept: animals - back.length }
  if (dryRun) {
    const isBack = new Set(back.map(({ petId }) => petId))
    return { ...counts, keptIds: ids.filter((id) => !isBack.has(id)).slice(0, KEPT_SHOWN) }
  }
  await undoEntries(db, sql, back, by)
  const from = undoneValues(n, removed, putBack)
  await write(db, sql, by, [{ act: 'undo import', from, undoes: entryN }])
  return counts
}
