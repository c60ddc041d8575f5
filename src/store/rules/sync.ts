/**
 * How a sync finds what is to be done, in the SQL that both engines understand. The rows of the list are in a temporary
 * table, and so is the plan that is made of them: a row for each animal that changes. A plan is made without keeping
 * anybody waiting, and looked at again when nobody else can change its animals.
 */
import type { ListedPet, PetValues, SyncChange, SyncKind, SyncOptions, SyncOutcome, SyncRefusal } from '../sync.ts'
import { SYNC_KINDS } from '../sync.ts'

/** Changes that an outcome shows. */
export const CHANGES_SHOWN = 20
/** Lines with repeated references that an outcome names. */
const LINES_SHOWN = 20

export const SYNC_TABLES = [
  'sync_rows (line bigint, reference text, name text, category_id bigint, status text, says_status bigint)',
  // New rows by name and category, with the reference of the only one.
  'sync_kinds (name text, category_id bigint, listed bigint, reference text)',
  // Those that animals without a reference have; with a reference if there is one row and one animal.
  'sync_alike (listed bigint, pet_id bigint, reference text)',
  `sync_plan (place bigint PRIMARY KEY, kind text, pet_id bigint, reference text,
    name text, category_id bigint, status text, was_name text, was_category_id bigint, was_status text)`,
] as const

export const INDEX_ROWS = 'CREATE INDEX sync_rows_by_reference ON sync_rows (reference)'

export const HAS_REPEATED = 'SELECT 1 FROM sync_rows GROUP BY reference HAVING count(*) > 1 LIMIT 1'

const differ = (value: string) => `min(${value}) <> max(${value})`

/** Rows that differ from another one with the same reference. */
export const REPEATED = `
  SELECT reference, line FROM sync_rows
  WHERE reference IN (
    SELECT reference FROM sync_rows GROUP BY reference
    HAVING ${['name', 'category_id', "coalesce(status, '')", 'says_status'].map(differ).join(' OR ')}
  )
  ORDER BY line LIMIT ${LINES_SHOWN}`

/** For what comes next, which would otherwise compare all rows with the same reference with each other. */
export const INDEX_LINES = 'CREATE INDEX sync_rows_by_line ON sync_rows (reference, line)'

/** Where no rows with the same reference differ. */
export const LEAVE_OUT_REPEATS = `
  DELETE FROM sync_rows WHERE line > (
    SELECT min(line) FROM sync_rows AS one WHERE one.reference = sync_rows.reference
  )`

const IS_NEW = 'NOT EXISTS (SELECT 1 FROM pet_references WHERE pet_references.reference = sync_rows.reference)'

export const FIND_KINDS = `
  INSERT INTO sync_kinds
  SELECT name, category_id, count(*), CASE WHEN count(*) = 1 THEN min(reference) END
  FROM sync_rows WHERE ${IS_NEW} GROUP BY name, category_id`

/** `isThere`: the condition under which an animal is visible. */
export function findAlike(isThere: string): string {
  return `
    INSERT INTO sync_alike
    SELECT max(listed), min(pets.id), CASE WHEN count(*) = 1 THEN min(sync_kinds.reference) END
    FROM pets CROSS JOIN sync_kinds
    WHERE sync_kinds.name = pets.name AND sync_kinds.category_id = pets.category_id AND ${isThere}
      AND NOT EXISTS (SELECT 1 FROM pet_references WHERE pet_references.pet_id = pets.id)
    GROUP BY pets.name, pets.category_id`
}

/** How many new rows look like animals that are there, and how many of them could take over one. */
export const COUNT_ALIKE = 'SELECT coalesce(sum(listed), 0), count(reference) FROM sync_alike'

export const COUNT_REFERENCED = 'SELECT count(*) FROM pet_references JOIN pets ON pets.id = pet_references.pet_id'

export const COUNT_PLAN = 'SELECT kind, count(*) FROM sync_plan GROUP BY kind'

const LISTED = `sync_rows.line, sync_rows.reference, sync_rows.name, sync_rows.category_id,
  CASE WHEN says_status = 1 THEN sync_rows.status ELSE pets.status END AS status`
const PRESENT = 'pets.name AS was_name, pets.category_id AS was_category_id, pets.status AS was_status'

const CHANGED = `
  SELECT 'changed' AS kind, pets.id AS pet_id, ${LISTED}, ${PRESENT}
  FROM sync_rows JOIN pet_references ON pet_references.reference = sync_rows.reference
  JOIN pets ON pets.id = pet_references.pet_id
  WHERE sync_rows.name <> pets.name OR sync_rows.category_id <> pets.category_id
    OR (says_status = 1 AND sync_rows.status IS DISTINCT FROM pets.status)`
const RESTORED = `
  SELECT 'restored', pets.id, ${LISTED}, ${PRESENT}
  FROM sync_rows JOIN pet_references ON pet_references.reference = sync_rows.reference
  JOIN removed_pets AS pets ON pets.id = pet_references.pet_id`
const ADOPTED = `
  SELECT 'adopted', pets.id, ${LISTED}, ${PRESENT}
  FROM sync_alike JOIN pets ON pets.id = sync_alike.pet_id
  JOIN sync_rows ON sync_rows.reference = sync_alike.reference`
const added = (adopts: boolean) => `
  SELECT 'added', NULL, line, reference, name, category_id, status, NULL, NULL, NULL
  FROM sync_rows WHERE ${IS_NEW}${
    adopts ? ' AND NOT EXISTS (SELECT 1 FROM sync_alike WHERE sync_alike.reference = sync_rows.reference)' : ''
  }`
const missing = (kind: SyncKind, status: string, condition: string) => `
  SELECT '${kind}', pets.id, 0, pet_references.reference, pets.name, pets.category_id, ${status}, ${PRESENT}
  FROM pet_references JOIN pets ON pets.id = pet_references.pet_id
  WHERE NOT EXISTS (SELECT 1 FROM sync_rows WHERE sync_rows.reference = pet_references.reference) AND ${condition}`

/** Makes the plan, in the order of ids; animals that are added come last, in the order of the list. */
export function makePlan({ missing: fate, adopts = false }: Pick<SyncOptions, 'missing' | 'adopts'>): string {
  const parts = [CHANGED, RESTORED, added(adopts)]
  if (adopts) parts.push(ADOPTED)
  if (fate === 'sold') parts.push(missing('marked', "'sold'", "pets.status IS DISTINCT FROM 'sold'"))
  if (fate === 'remove') parts.push(missing('removed', 'pets.status', 'true'))
  return `
    INSERT INTO sync_plan
    SELECT row_number() OVER (ORDER BY coalesce(pet_id, 9223372036854775807), line),
      kind, pet_id, reference, name, category_id, status, was_name, was_category_id, was_status
    FROM (${parts.join(' UNION ALL ')}) AS found`
}

const AS_BEFORE = `pets.id = sync_plan.pet_id AND pets.name = was_name
  AND pets.category_id = was_category_id AND pets.status IS NOT DISTINCT FROM was_status`
const HAS_REFERENCE = `EXISTS (SELECT 1 FROM pet_references
  WHERE pet_references.pet_id = sync_plan.pet_id AND pet_references.reference = sync_plan.reference)`
const IS_FREE = `NOT EXISTS (SELECT 1 FROM pet_references
  WHERE pet_references.pet_id = sync_plan.pet_id OR pet_references.reference = sync_plan.reference)`

/** The number of animals of the plan that somebody else has changed since it was made. */
export function countStale(isThere: string): string {
  return `
    SELECT count(*) FROM sync_plan WHERE NOT CASE kind
      WHEN 'added' THEN ${IS_FREE}
      WHEN 'adopted' THEN ${IS_FREE} AND EXISTS (SELECT 1 FROM pets WHERE ${AS_BEFORE} AND ${isThere})
      WHEN 'restored' THEN ${HAS_REFERENCE} AND EXISTS (SELECT 1 FROM removed_pets AS pets WHERE ${AS_BEFORE})
      ELSE ${HAS_REFERENCE} AND EXISTS (SELECT 1 FROM pets WHERE ${AS_BEFORE}) END`
}

/** The columns of a change, as `toChange` takes them. */
export const CHANGE = 'kind, pet_id, reference, name, category_id, status, was_name, was_category_id, was_status'
export type ChangeRow = [
  kind: SyncKind,
  id: bigint | null,
  reference: string,
  name: string,
  categoryId: bigint,
  status: string | null,
  wasName: string | null,
  wasCategoryId: bigint | null,
  wasStatus: string | null,
]

export function toChange([kind, id, reference, name, categoryId, status, ...was]: ChangeRow): SyncChange {
  const [wasName, wasCategoryId, wasStatus] = was
  const before: PetValues | undefined =
    wasName === null || wasCategoryId === null
      ? undefined
      : { name: wasName, categoryId: wasCategoryId, status: wasStatus }
  return { kind, id: id ?? undefined, reference, now: { name, categoryId, status }, before }
}

/** What an engine has found, as values. */
export interface SyncPlan {
  readonly counts: Readonly<Record<SyncKind, number>>
  readonly referenced: number
  readonly alike: number
  readonly adoptable: number
  readonly changes: readonly SyncChange[]
}

export function toCounts(rows: readonly (readonly [kind: string, n: number])[]): Record<SyncKind, number> {
  const found = new Map(rows)
  const counts = { added: 0, adopted: 0, changed: 0, restored: 0, marked: 0, removed: 0 }
  for (const kind of SYNC_KINDS) counts[kind] = found.get(kind) ?? 0
  return counts
}

/** The lines of each repeated reference. */
export function toLines(rows: readonly (readonly [reference: string, line: number])[]): ReadonlyMap<string, number[]> {
  const lines = new Map<string, number[]>()
  for (const [reference, line] of rows) lines.set(reference, [...(lines.get(reference) ?? []), line])
  return lines
}

/** The outcome of a plan that is not carried out, or not yet. */
export function outcomeOf(read: number, repeats: number, plan: SyncPlan, { adopts, most }: SyncOptions): SyncOutcome {
  const { counts, changes, referenced, alike, adoptable } = plan
  const rows = read - repeats
  const listed = rows - counts.added - counts.adopted - counts.restored
  return {
    n: undefined,
    rows,
    repeats,
    counts,
    alike: adopts === true ? alike - adoptable : alike,
    unlisted: referenced - listed,
    changes,
    refusal: refusalOf(plan, adopts, most),
  }
}

function refusalOf(
  { counts, referenced, alike, adoptable }: SyncPlan,
  adopts: boolean | undefined,
  most: number,
): SyncRefusal | undefined {
  if (adopts === undefined && alike > 0) return { why: 'alike', adoptable }
  const touched = counts.changed + counts.marked + counts.removed
  return touched > most * referenced ? { why: 'too many', touched, referenced } : undefined
}

/** The outcome for a list that contradicts itself: rows with the same reference differ. */
export function repeatedOutcome(rows: number, lines: ReadonlyMap<string, readonly number[]>): SyncOutcome {
  return {
    n: undefined,
    rows,
    repeats: 0,
    counts: toCounts([]),
    alike: 0,
    unlisted: 0,
    changes: [],
    refusal: { why: 'repeated', lines },
  }
}

/** The values of a row, as `sync_rows` has them. */
export function toRow({ line, reference, name, categoryId, status }: ListedPet): (string | bigint | null)[] {
  return [BigInt(line), reference, name, categoryId, status ?? null, status === undefined ? 0n : 1n]
}

/**
 * Whether somebody has changed the animal of `entry` since, by the texts of the journal: a later sync that is undone
 * has changed nothing, nor has its undo. Entries of syncs begin with their number, in `to_values`; those of undos have
 * the same text in `from_values`.
 */
export const CHANGED_SINCE = `EXISTS (
  SELECT 1 FROM journal AS later WHERE later.pet_id = entry.pet_id AND later.n > entry.n
    AND coalesce(later.from_values, '') NOT LIKE '{"import":%'
    AND NOT (coalesce(later.to_values, '') LIKE '{"import":%' AND EXISTS (
      SELECT 1 FROM journal AS undone WHERE undone.pet_id = later.pet_id AND undone.n > later.n
        AND undone.from_values = later.to_values)))`
