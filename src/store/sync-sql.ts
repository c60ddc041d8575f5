/** The statements of a sync (./sync.ts): what is new, missing or alike, the plan, and its execution. */
import type { Missing, SyncKind } from '../rules/sync.ts'
import { MEMBER_COLUMNS, MEMBER_TYPES, VALUE_COLUMNS } from './rows.ts'
import { type Dialect, literal } from './sql.ts'

// `ref` and `name_key`: the compared forms of reference and name.
export const PLANNED = {
  kind: 'text',
  pet_id: 'bigint',
  reference: 'text',
  ref: 'text',
  ...MEMBER_TYPES,
  ...Object.fromEntries(Object.entries(MEMBER_TYPES).map(([column, type]) => [`was_${column}`, type])),
}

const isAlike = ({ folded }: Dialect) =>
  `sync_groups.name_key = ${folded('pets.name', 'pets.folded')} AND sync_groups.category_id = pets.category_id`

export const reassignedRows = ({ folded }: Dialect) => `
  FROM sync_plan WHERE kind = 'changed' AND category_id <> was_category_id
    AND ${folded('name')} <> ${folded('was_name', 'was_folded')}`

const HAS_LEFT = 'pets.id IN (SELECT pet_id FROM arrivals WHERE left_ms IS NOT NULL)'

const PRESENT = MEMBER_COLUMNS.map((column) => `pets.${column} AS was_${column}`)

export class ListSql {
  /** A reference of this list, or of no list yet. */
  readonly #isOurs: string
  readonly #isNew: string
  readonly isUnlisted: string
  readonly #dialect: Dialect
  readonly list: string

  constructor(dialect: Dialect, list: string) {
    this.#dialect = dialect
    this.list = literal(list)
    this.#isOurs = `pet_references.list IN (${this.list}, '')`
    this.#isNew = `NOT EXISTS (SELECT 1 FROM pet_references WHERE pet_references.folded = file_rows.ref AND ${this.#isOurs})`
    this.isUnlisted = `pet_references.list = ${this.list}
      AND NOT EXISTS (SELECT 1 FROM file_rows WHERE file_rows.ref = pet_references.folded)
      AND NOT EXISTS (SELECT 1 FROM gone_rows WHERE gone_rows.ref = pet_references.folded)`
  }

  get findGroups(): string {
    return `
      INSERT INTO sync_groups
      SELECT name_key, category_id, count(*), CASE WHEN count(*) = 1 THEN min(ref) END, min(reference)
      FROM file_rows WHERE ${this.#isNew} GROUP BY name_key, category_id`
  }

  /** A sold animal never matches by name. An animal of another list matches by its reference too. */
  get #isFree(): string {
    return `pets.status IS DISTINCT FROM 'sold' AND NOT EXISTS (SELECT 1 FROM pet_references
      WHERE pet_references.pet_id = pets.id AND (${this.#isOurs} OR pet_references.folded IS DISTINCT FROM sync_groups.ref))`
  }

  get findAlike(): string {
    return `
      INSERT INTO sync_alike
      SELECT max(listed), min(pets.id), CASE WHEN count(*) = 1 THEN min(sync_groups.ref) END
      FROM pets CROSS JOIN sync_groups
      WHERE ${isAlike(this.#dialect)} AND ${this.#isFree}
      GROUP BY sync_groups.name_key, sync_groups.category_id`
  }

  /** New rows that match animals without a reference ambiguously. */
  get unclear(): string {
    return `
      FROM pets CROSS JOIN sync_groups JOIN file_rows
        ON file_rows.name_key = sync_groups.name_key AND file_rows.category_id = sync_groups.category_id
      WHERE ${isAlike(this.#dialect)} AND ${this.#isNew} AND ${this.#isFree}
        AND NOT EXISTS (SELECT 1 FROM sync_alike WHERE sync_alike.ref = file_rows.ref)
      ORDER BY file_rows.place, pets.id LIMIT 50`
  }

  get vanished(): string {
    return `
      FROM pet_references JOIN pets ON pets.id = pet_references.pet_id LEFT JOIN sync_groups ON ${isAlike(this.#dialect)}
      WHERE ${this.isUnlisted}`
  }

  /** Animals that are missing from the list, if they are still to be had or this choice changes them. */
  unlisted(missing: Missing): string {
    const isNamed = {
      keep: "pets.status IN ('available', 'pending')",
      sold: "pets.status IS DISTINCT FROM 'sold'",
      remove: 'true',
    }
    return `FROM pet_references JOIN pets ON pets.id = pet_references.pet_id
      WHERE ${this.isUnlisted} AND ${isNamed[missing]}`
  }

  get referenced(): string {
    return `SELECT count(*) FROM pet_references JOIN pets ON pets.id = pet_references.pet_id WHERE ${this.#isOurs}
      AND (pet_references.list <> '' OR pet_references.folded IN (SELECT ref FROM file_rows UNION SELECT ref FROM gone_rows))`
  }

  /** Makes the plan in the order of ids. Added animals come last, in the order of the list. */
  plan(missing: Missing, adopts: boolean): string {
    // An animal that was sold only because it was missing regains its status.
    const former = `CASE WHEN pet_references.former IS NOT NULL AND pets.status = 'sold'
      THEN nullif(pet_references.former, 'none') ELSE pets.status END`
    const status = `CASE WHEN says_status = 1 THEN file_rows.status ELSE ${former} END`
    const listedOf = (column: string) => (column === 'status' ? status : `file_rows.${column}`)
    const listed = `file_rows.place, file_rows.reference, file_rows.ref,
      ${MEMBER_COLUMNS.map((column) => `${listedOf(column)} AS ${column}`)}`
    const byReference = `file_rows JOIN pet_references ON pet_references.folded = file_rows.ref AND ${this.#isOurs}`
    const differs = VALUE_COLUMNS.map((column) => `${listedOf(column)} IS DISTINCT FROM pets.${column}`)
    const going = (kind: SyncKind, status: string, condition: string) => `
      SELECT '${kind}', pets.id, 0, pet_references.reference, pet_references.folded,
        ${MEMBER_COLUMNS.map((column) => (column === 'status' ? status : `pets.${column}`))}, ${PRESENT}
      FROM pet_references JOIN pets ON pets.id = pet_references.pet_id WHERE ${condition}`
    const isGone = `${this.#isOurs} AND EXISTS (SELECT 1 FROM gone_rows WHERE gone_rows.ref = pet_references.folded)`
    const isNotSold = "pets.status IS DISTINCT FROM 'sold'"
    const gone = {
      keep: [going('left', 'NULL', `${isGone} AND (pets.status IS NOT NULL OR NOT ${HAS_LEFT})`)],
      sold: [
        going('left', "'sold'", `${isGone} AND ${isNotSold}`),
        going('marked', "'sold'", `${this.isUnlisted} AND ${isNotSold}`),
      ],
      remove: [going('removed', 'pets.status', `${isGone} OR ${this.isUnlisted}`)],
    }
    const isAdopted = 'EXISTS (SELECT 1 FROM sync_alike WHERE sync_alike.ref = file_rows.ref)'
    const parts = [
      `SELECT 'changed' AS kind, pets.id AS pet_id, ${listed}, ${PRESENT}
       FROM ${byReference} JOIN pets ON pets.id = pet_references.pet_id WHERE ${[...differs, HAS_LEFT].join(' OR ')}`,
      `SELECT 'restored', pets.id, ${listed}, ${PRESENT}
       FROM ${byReference} JOIN removed_pets AS pets ON pets.id = pet_references.pet_id`,
      `SELECT 'added', NULL, place, reference, ref, ${MEMBER_COLUMNS}, ${MEMBER_COLUMNS.map(() => 'NULL')}
       FROM file_rows WHERE ${this.#isNew}${adopts ? ` AND NOT ${isAdopted}` : ''}`,
      ...gone[missing],
    ]
    const adopted = `SELECT 'adopted', pets.id, file_rows.place, file_rows.reference, file_rows.ref,
        ${MEMBER_COLUMNS.map((column) => (column === 'status' ? ADOPTED_STATUS : `file_rows.${column}`))}, ${PRESENT}
       FROM sync_alike JOIN pets ON pets.id = sync_alike.pet_id JOIN file_rows ON file_rows.ref = sync_alike.ref`
    if (adopts) parts.push(adopted)
    return `
      INSERT INTO sync_plan
      SELECT row_number() OVER (ORDER BY coalesce(pet_id, 9223372036854775807), place), ${Object.keys(PLANNED)}
      FROM (${parts.join(' UNION ALL ')}) AS found`
  }

  /** The number of planned animals that someone else has changed since. */
  get countStale(): string {
    const asBefore = `pets.id = sync_plan.pet_id
      AND ${VALUE_COLUMNS.map((column) => `pets.${column} IS NOT DISTINCT FROM was_${column}`).join(' AND ')}`
    const hasReference = `EXISTS (SELECT 1 FROM pet_references
      WHERE pet_references.pet_id = sync_plan.pet_id AND pet_references.folded = sync_plan.ref)`
    const isFree = `NOT EXISTS (SELECT 1 FROM pet_references
      WHERE ${this.#isOurs} AND (pet_references.pet_id = sync_plan.pet_id OR pet_references.folded = sync_plan.ref))`
    return `
      SELECT count(*) FROM sync_plan WHERE NOT CASE kind
        WHEN 'added' THEN ${isFree}
        WHEN 'adopted' THEN ${isFree} AND EXISTS (SELECT 1 FROM pets WHERE ${asBefore})
        WHEN 'restored' THEN ${hasReference} AND EXISTS (SELECT 1 FROM removed_pets AS pets WHERE ${asBefore})
        ELSE ${hasReference} AND EXISTS (SELECT 1 FROM pets WHERE ${asBefore}) END`
  }

  /** Run in this order, after ids are assigned. */
  get apply(): readonly string[] {
    const kinds = (...some: readonly SyncKind[]) => ofPlan(...some)
    return [
      `DELETE FROM removed_pets WHERE id IN (${kinds('restored')})`,
      `INSERT INTO pets (id, ${MEMBER_COLUMNS}) SELECT pet_id, ${MEMBER_COLUMNS} FROM sync_plan WHERE kind IN ('added', 'restored') ORDER BY pet_id`,
      `UPDATE pets SET ${MEMBER_COLUMNS.map((column) => `${column} = sync_plan.${column}`)} FROM sync_plan WHERE pets.id = sync_plan.pet_id AND sync_plan.kind IN ('changed', 'adopted', 'left', 'marked')`,
      `INSERT INTO pet_references (pet_id, reference, folded, list)
       SELECT pet_id, reference, ref, ${this.list} FROM sync_plan WHERE kind IN ('added', 'adopted')
       ON CONFLICT (pet_id) DO UPDATE SET reference = excluded.reference, folded = excluded.folded, list = excluded.list, former = NULL`,
      ...this.claim,
      `UPDATE pet_references SET former = coalesce(sync_plan.was_status, 'none') FROM sync_plan
       WHERE sync_plan.kind = 'marked' AND sync_plan.pet_id = pet_references.pet_id AND ${this.isUnlisted}`,
      `INSERT INTO arrivals (pet_id, day) SELECT pet_references.pet_id, came_on FROM file_rows
         JOIN pet_references ON pet_references.folded = file_rows.ref AND pet_references.list = ${this.list}
       WHERE came_on IS NOT NULL ON CONFLICT (pet_id) DO UPDATE SET day = excluded.day`,
    ]
  }

  get claim(): readonly string[] {
    const isListed = 'folded IN (SELECT ref FROM file_rows UNION SELECT ref FROM gone_rows)'
    return [
      `UPDATE pet_references SET list = ${this.list} WHERE list = '' AND ${isListed}`,
      `UPDATE pet_references SET former = NULL WHERE former IS NOT NULL AND list = ${this.list} AND ${isListed}`,
    ]
  }

  get claimed(): string {
    return `SELECT count(*) FROM pet_references WHERE ${this.#isOurs} AND (list = '' OR former IS NOT NULL)
      AND folded IN (SELECT ref FROM file_rows UNION SELECT ref FROM gone_rows)`
  }
}

const ADOPTED_STATUS = 'CASE WHEN says_status = 1 THEN file_rows.status ELSE pets.status END AS status'

export const ofPlan = (...kinds: readonly SyncKind[]) =>
  `SELECT pet_id FROM sync_plan WHERE kind IN (${kinds.map((kind) => `'${kind}'`)})`

/** Animals that might have left or returned. */
export const MOVED = `SELECT pet_id FROM sync_plan
  WHERE kind = 'left' OR kind IN ('adopted', 'changed', 'restored', 'marked') AND coalesce(was_status, 'sold') = 'sold'`
