/**
 * Syncs with PostgreSQL: each is one transaction, and imports and syncs take turns. The plan is made without locks;
 * then its animals are locked in the order of their ids, as by every change, and looked at again.
 */
import { importedValues, SYNC_ACTS, syncedValues } from '../rules/journal.ts'
import {
  CHANGE,
  CHANGES_SHOWN,
  type ChangeRow,
  COUNT_ALIKE,
  COUNT_PLAN,
  COUNT_REFERENCED,
  countStale,
  FIND_KINDS,
  findAlike,
  HAS_REPEATED,
  INDEX_LINES,
  INDEX_ROWS,
  LEAVE_OUT_REPEATS,
  makePlan,
  outcomeOf,
  REPEATED,
  repeatedOutcome,
  SYNC_TABLES,
  type SyncPlan,
  toChange,
  toCounts,
  toLines,
  toRow,
} from '../rules/sync.ts'
import type { ListedPet, PetSync, SyncChange, SyncKind, SyncOptions, SyncOutcome } from '../sync.ts'
import type { Database } from './connection/database.ts'
import type { Query, Row } from './connection/query.ts'
import { enter, enterAll } from './journal.ts'
import { nameNewCategories } from './naming/category-names.ts'
import { TURN } from './turn.ts'

/** Every animal is visible as soon as its row is. */
const IS_THERE = 'true'
const ENTRIES_TOGETHER = 1_000

const STAGE = `
  INSERT INTO sync_rows
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[])`

const COUNT_LEFT_OUT = `WITH gone AS (${LEAVE_OUT_REPEATS} RETURNING 1) SELECT count(*) FROM gone`

const hold = (table: string) => `
  SELECT count(*) FROM (
    SELECT FROM ${table} WHERE id IN (SELECT pet_id FROM sync_plan) ORDER BY id FOR UPDATE
  ) AS held`

/** In the order in which they are run. */
const APPLY = [
  `UPDATE sync_plan SET pet_id = given.id
   FROM (
     SELECT place, nextval('pet_ids') AS id
     FROM (SELECT place FROM sync_plan WHERE kind = 'added' ORDER BY place) AS added
   ) AS given
   WHERE given.place = sync_plan.place`,
  `DELETE FROM removed_pets WHERE id IN (SELECT pet_id FROM sync_plan WHERE kind = 'restored')`,
  `INSERT INTO pets (id, name, category_id, status)
   SELECT pet_id, name, category_id, status FROM sync_plan WHERE kind IN ('added', 'restored') ORDER BY pet_id`,
  `UPDATE pets SET name = sync_plan.name, category_id = sync_plan.category_id, status = sync_plan.status
   FROM sync_plan WHERE id = pet_id AND kind IN ('changed', 'adopted', 'marked')`,
  `INSERT INTO pet_references SELECT pet_id, reference FROM sync_plan WHERE kind IN ('added', 'adopted')`,
]
const REMOVE = `
  WITH gone AS (
    DELETE FROM pets WHERE id IN (SELECT pet_id FROM sync_plan WHERE kind = 'removed')
    RETURNING id, name, category_id, status
  )
  INSERT INTO removed_pets SELECT id, name, category_id, status, $1::bigint FROM gone`

/** From this many animals on, the planner's statistics are refreshed. */
const LARGE = 10_000

export class PostgresSync implements PetSync {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Throws StoreUnavailable, or what `batches` throws. */
  async run(batches: AsyncIterable<readonly ListedPet[]>, options: SyncOptions): Promise<SyncOutcome> {
    const outcome = await this.#database.transaction('BEGIN', (query) => sync(query, batches, options))
    if (outcome.n !== undefined && outcome.counts.added >= LARGE) {
      await this.#database.patientQuery('ANALYZE (SKIP_LOCKED) pets, pet_references').catch(() => undefined)
    }
    return outcome
  }

  /** Holds a lock, which the server releases when the node is gone. */
  async alone(work: () => Promise<void>): Promise<void> {
    await this.#database.transaction('BEGIN', async (query) => {
      const [row] = await query("SELECT pg_try_advisory_xact_lock(hashtext('pets lists'))::text")
      if (row?.[0] === 'true') await work()
    })
  }
}

async function sync(
  query: Query,
  batches: AsyncIterable<readonly ListedPet[]>,
  options: SyncOptions,
): Promise<SyncOutcome> {
  for (const table of SYNC_TABLES) await query(`CREATE TEMP TABLE ${table} ON COMMIT DROP`)
  const rows = await stage(query, batches)
  await query(INDEX_ROWS)
  await query('ANALYZE sync_rows')
  const hasRepeated = (await query(HAS_REPEATED)).length > 0
  const repeated = hasRepeated ? await query(REPEATED) : []
  const differing = repeated.map(([reference, line]) => [reference ?? '', Number(line)] as const)
  if (differing.length > 0) return repeatedOutcome(rows, toLines(differing))
  if (hasRepeated) await query(INDEX_LINES)
  const repeats = hasRepeated ? await numberOf(query, COUNT_LEFT_OUT) : 0
  if (!options.dryRun) await query(TURN)
  await query('SAVEPOINT planning')
  for (;;) {
    const plan = await makeSyncPlan(query, options)
    const outcome = outcomeOf(rows, repeats, plan, options)
    const isEmpty = Object.values(plan.counts).every((n) => n === 0)
    if (options.dryRun || isEmpty || outcome.refusal !== undefined) return outcome
    await query(hold('pets'))
    await query(hold('removed_pets'))
    if ((await numberOf(query, countStale(IS_THERE))) === 0) return { ...outcome, n: await apply(query, options) }
    await query('ROLLBACK TO SAVEPOINT planning')
  }
}

/** Returns how many rows there are. While the server takes some of them, the next are read. */
async function stage(query: Query, batches: AsyncIterable<readonly ListedPet[]>): Promise<number> {
  let rows = 0
  let staging: Promise<unknown> = Promise.resolve()
  for await (const pets of batches) {
    const staged = pets.map(toRow)
    await staging
    staging = query(
      STAGE,
      Array.from({ length: 6 }, (_, column) => staged.map((row) => row[column])),
    )
    staging.catch(() => {}) // thrown by what waits for it
    rows += pets.length
  }
  await staging
  return rows
}

async function makeSyncPlan(query: Query, options: SyncOptions): Promise<SyncPlan> {
  await query(FIND_KINDS)
  await query('ANALYZE sync_kinds')
  await query(findAlike(IS_THERE))
  await query(makePlan(options))
  await query('ANALYZE sync_plan')
  const [alike] = await query(COUNT_ALIKE)
  const changes = await query(`SELECT ${CHANGE} FROM sync_plan ORDER BY place LIMIT ${CHANGES_SHOWN}`)
  return {
    counts: toCounts((await query(COUNT_PLAN)).map(([kind, n]) => [kind ?? '', Number(n)])),
    referenced: await numberOf(query, COUNT_REFERENCED),
    alike: Number(alike?.[0]),
    adoptable: Number(alike?.[1]),
    changes: changes.map(changeOf),
  }
}

async function numberOf(query: Query, sql: string): Promise<number> {
  const [row] = await query(sql)
  return Number(row?.[0])
}

function changeOf(row: Row): SyncChange {
  const [kind, id, reference, name, categoryId, status, wasName, wasCategoryId, wasStatus] = row
  const integer = (text: string | null | undefined) => (typeof text === 'string' ? BigInt(text) : null)
  const cells: ChangeRow = [
    kind as SyncKind,
    integer(id),
    reference ?? '',
    name ?? '',
    integer(categoryId) ?? 0n,
    status ?? null,
    wasName ?? null,
    integer(wasCategoryId),
    wasStatus ?? null,
  ]
  return toChange(cells)
}

async function apply(query: Query, { by: author, source, newCategories = new Map() }: SyncOptions): Promise<bigint> {
  const by = { ...author }
  await nameNewCategories(query, newCategories, by)
  const animals = await numberOf(query, 'SELECT count(*) FROM sync_plan')
  const [row] = await query('INSERT INTO imports (at_ms, who, source, animals) VALUES ($1, $2, $3, $4) RETURNING n', [
    by.atMs,
    by.who,
    source,
    animals,
  ])
  const n = BigInt(row?.[0] ?? '')
  for (const statement of APPLY) await query(statement)
  await query(REMOVE, [by.atMs])
  for (let place = 0; place < animals; place += ENTRIES_TOGETHER) {
    const rows = await query(`SELECT ${CHANGE} FROM sync_plan WHERE place > $1 AND place <= $2 ORDER BY place`, [
      place,
      place + ENTRIES_TOGETHER,
    ])
    await enterAll(
      query,
      by,
      rows.map((row) => {
        const change = changeOf(row)
        return [SYNC_ACTS[change.kind], { petId: row[1] ?? '', ...syncedValues(n, change) }]
      }),
    )
  }
  await enter(query, by, 'sync', [{ to: importedValues(n, animals, source) }])
  return n
}
