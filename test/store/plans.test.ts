/** The engines' plans: no statement reads a table for each row of another, and no list sorts or reads what it omits. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { operatorSide } from '../../src/store/operator-side.ts'
import { PostgresDatabase } from '../../src/store/postgres/connection/database.ts'
import { onPostgres } from '../../src/store/postgres/operator-database.ts'
import { PostgresPets } from '../../src/store/postgres/pets.ts'
import { type Database, int, type Sql, text } from '../../src/store/sql.ts'
import { FileDatabase } from '../../src/store/sqlite/file/file-database.ts'
import { fileId } from '../../src/store/sqlite/file/wal.ts'
import type { PetQuery } from '../../src/store/store.ts'
import { authorAt, batchesOf, FILTERS_TOGETHER, PLAIN_IMPORT, PLAIN_SYNC, purgeBefore } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'
import { onEachEngine, withNewStore } from './on-each-engine.ts'

/** What is as short as a page, or as the list of people. */
const SHORT = ['ids', 'people', 'former_names', 'json_each']

/** The tables that a statement reads for each row of another one. */
type Reread = (sql: Sql, ...statement: Parameters<Sql>) => Promise<readonly string[]>

const rereadBySqlite: Reread = async (sql, statement, values) => {
  const rows = await sql(`EXPLAIN QUERY PLAN ${statement}`, values)
  const plan = rows.map(([id, parent, , detail]) => ({ id: int(id), parent: int(parent), detail: text(detail) }))
  const scanned = (detail: string) => /^SCAN (?!CONSTANT ROW)(\w+)/.exec(detail)?.[1]
  const isRepeated = (id: number): boolean =>
    plan.some((one) => one.id === id && (one.detail.startsWith('CORRELATED') || isRepeated(one.parent)))
  return plan.flatMap(({ id, parent, detail }) => {
    const table = scanned(detail)
    const isInner = plan.some((other) => other.parent === parent && other.id < id && scanned(other.detail))
    return table !== undefined && (isInner || isRepeated(parent)) ? [table] : []
  })
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Parent Relationship'?: string
  readonly 'Subplan Name'?: string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Plan[]
}

/** From one bound on, a value of the other table's row, half of a table is read, unless only what belongs to that row. */
function isHalfOpen({ 'Index Cond': bounds = '' }: Plan): boolean {
  return bounds.match(/[<>]=? \(?(?:\+ )?\w+\./g)?.length === 1 && !/ = \w+\./.test(bounds)
}

const rereadByPostgres: Reread = async (sql, statement, values) => {
  const [[json] = []] = await sql(`EXPLAIN (FORMAT JSON) ${statement}`, values)
  const once = new Set(Array.from(text(json).matchAll(/hashed (SubPlan \d+)/g), ([, name]) => name))
  const tables = (node: Plan, rereads: RegExp | undefined): readonly string[] => [
    ...(rereads?.test(node['Node Type']) && !('Index Cond' in node) ? [String(node['Relation Name'])] : []),
    ...(rereads !== undefined && isHalfOpen(node) ? [`${node['Relation Name']} from ${node['Index Cond']}`] : []),
    ...(node.Plans ?? []).flatMap((part) => {
      const name = part['Subplan Name'] ?? ''
      const relation = name.startsWith('CTE') || once.has(name) ? 'InitPlan' : part['Parent Relationship']
      if (relation === 'InitPlan' || node['Node Type'] === 'Limit') return tables(part, undefined)
      if (relation === 'SubPlan') return tables(part, /^(?:Seq|Index|Index Only) Scan$/)
      // So few rows it also joins by an index that is read whole.
      return tables(
        part,
        rereads ?? (relation === 'Inner' && node['Node Type'] === 'Nested Loop' ? /^Seq Scan$/ : undefined),
      )
    }),
  ]
  return (JSON.parse(text(json)) as { Plan: Plan }[]).flatMap((one) => tables(one.Plan, undefined))
}

/** The same database; `assertPlan` is called with each of its statements, and what runs it, before it is run. */
function watched(db: Database, assertPlan: (sql: Sql, ...statement: Parameters<Sql>) => Promise<void>): Database {
  const watch = (sql: Sql): Sql => {
    return async (...statement) => {
      if (/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(statement[0])) await assertPlan(sql, ...statement)
      return sql(...statement)
    }
  }
  return {
    dialect: db.dialect,
    clock: db.clock,
    read: watch(db.read),
    scan: watch(db.scan),
    write: (work) => db.write((sql) => work(watch(sql))),
    snapshot: (work) => db.snapshot((sql) => work(watch(sql))),
    bulk: (tables, work) => db.bulk(tables, (sql, begin) => work(watch(sql), begin)),
    analyzeIfLarge: (...tables) => db.analyzeIfLarge(...tables),
  }
}

async function open(url: string): Promise<{ db: Database; reread: Reread; close(): Promise<void> }> {
  if (url.startsWith('sqlite:')) {
    await withNewStore({ createDatabase: async () => url }, async () => {})
    const path = url.slice('sqlite:'.length)
    const db = new FileDatabase({ path, clock: patientClock, fileId: fileId(path), isServing: false })
    return { db, reread: rereadBySqlite, close: () => db.close() }
  }
  const postgres = await postgresWithout(url, 'enable_seqscan')
  return { db: onPostgres(postgres), reread: rereadByPostgres, close: () => postgres.close() }
}

/** Of tables this small it would read or sort all rows, also where it can do otherwise. */
async function postgresWithout(url: string, method: 'enable_seqscan' | 'enable_sort'): Promise<PostgresDatabase> {
  const options = { serving: false, clock: patientClock }
  const before = await PostgresDatabase.open(url, options)
  await before.longQuery(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${method} = off', current_database()); END $$`,
  )
  await before.close()
  return PostgresDatabase.open(url, options)
}

type PlanOf = (query: PetQuery) => Promise<string>

async function withListPlans(
  url: string,
  { mock }: TestContext,
  work: (planOf: PlanOf) => Promise<void>,
): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const prepare = mock.method(DatabaseSync.prototype, 'prepare')
    return withNewStore({ createDatabase: async () => url }, (store) =>
      work(async (query) => {
        await store.pets.list(query)
        const sql = prepare.mock.calls
          .map(({ arguments: [text] }) => text)
          .findLast((text) => /^SELECT .* ORDER BY id DESC/.test(text))
        using db = new DatabaseSync(url.slice('sqlite:'.length))
        const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
        // It names no condition that it looks at row by row, but the program of the statement compares then.
        const steps = db
          .prepare(`EXPLAIN ${sql}`)
          .all()
          .map(({ opcode }) => String(opcode))
        const filters = steps.filter((opcode) => /^(?:Eq|Ne|L[te]|G[te])$/.test(opcode)).map(() => 'Filter')
        return [...plan.map(({ detail }) => detail), ...filters].join('\n')
      }),
    )
  }
  const postgres = await postgresWithout(url, 'enable_sort')
  try {
    // Any list could walk the index of ids; in a table without animals, any other one.
    await postgres.longQuery(`
      ALTER TABLE pets DROP CONSTRAINT pets_pkey;
      INSERT INTO pets (name, category_id, status)
      SELECT n, n % 99, ('{available,pending,sold}'::text[])[n % 4] FROM generate_series(1, 9999) AS n;
      ANALYZE pets`)
    const { list } = new PostgresPets(postgres)
    const asked = mock.method(postgres, 'query')
    await work(async (query) => {
      await list(query)
      const [sql, values] = asked.mock.calls.at(-1)?.arguments ?? []
      return (await postgres.longQuery(`EXPLAIN ${sql}`, values)).join('\n')
    })
  } finally {
    await postgres.close()
  }
}

const by = authorAt(1)
const GAPS = 1_000
const ROWS = Array.from({ length: 40 }, (_, n) => ({ name: `Rex ${n % 30}`, categoryId: BigInt(n % 3), line: n }))

/** Animals with gaps between their ids, of which each is a range of its own: by an import, and by keys. */
async function fillGaps(db: Database): Promise<void> {
  const { imports, archive, records } = operatorSide(db)
  const ids = Array.from({ length: GAPS }, (_, n) => BigInt(10_000 + 2 * n))
  const rows = ids.map((id) => ({ id, name: 'Rex', categoryId: 9n }))
  await imports.add(batchesOf(rows), { ...PLAIN_IMPORT, withIds: true })
  const ranges = (await archive.tables()).find(({ name }) => name === 'created_ranges')
  assert(ranges !== undefined)
  await archive.putRows(
    ranges,
    ids.map((id) => [`${id + 1n}`, `${id + 1n}`, '1', 'key']),
  )
  await records.remove(ids.slice(0, 60), by)
  await purgeBefore(records, by.atMs + 1)
  await records.remove(ids.slice(60, 120), by)
  await db.analyzeIfLarge('pets, removed_pets, journal, imports, import_ranges, created_ranges', Infinity)
}

async function work({ imports, sync, records, origins, reports, keys }: Store): Promise<void> {
  const looking = { ...PLAIN_IMPORT, allowDuplicates: false, leaveOutDuplicates: true }
  const numbered = ROWS.map((row, n) => ({ ...row, id: BigInt(1_000 + n), cameOn: n, same: `S${n % 30}` }))
  await imports.add(batchesOf(ROWS.slice(0, 10)), PLAIN_IMPORT)
  await imports.add(batchesOf(ROWS), { ...looking, dryRun: true })
  await imports.add(batchesOf(ROWS), looking)
  await imports.add(batchesOf(numbered), { ...PLAIN_IMPORT, withIds: true })

  const listed = ROWS.map((row, n) => ({ ...row, reference: `A${n}`, cameOn: n }))
  const plain = { ...PLAIN_SYNC, by, source: 'list', missing: 'remove' } as const
  for (const adopts of [undefined, ['A1'], true] as const)
    await sync.run(batchesOf(listed), { ...plain, adopts, dryRun: adopts !== true })
  for (const missing of ['sold', 'remove'] as const)
    await sync.run(batchesOf(listed.slice(9)), { ...plain, missing, adopts: true })
  const renumbered = listed.map((row) => ({ ...row, reference: `B${row.line}` }))
  await sync.run(batchesOf(renumbered), { ...plain, adopts: undefined, agrees: false })
  for (const dryRun of [true, false]) for (const n of [6n, 5n, 4n, 3n, 2n, 1n]) await imports.undo(n, by, { dryRun })

  const several = { ...by, partOf: { act: 'edit several' } } as const
  await records.change([{ id: 41n, version: 0n }, 42n], { name: 'Luna', reference: 'X' }, several, 'all that can be')
  await records.remove([41n], by)
  await records.partsOf([1n])
  await records.journal({ partOf: 1n, limit: 9 })
  await records.journal({ sinceMs: 0, before: 9n, limit: 9, who: 'test' })
  const chosen = { text: 'rex dogs', categoryId: 1n, importN: 2n }
  for (const status of [undefined, 'removed'] as const) {
    for (const order of ['match', 'name'] as const)
      await records.find({ ...chosen, status, order, limit: 5, offset: 60 })
    await records.targets({ ...chosen, status }, 5)
  }
  await records.tally(chosen)
  await origins.provenance([1n, 2n])
  await origins.find({ by: 'ada', sinceMs: 0, limit: 5 })
  await origins.undone(1n, 5)
  await reports.facts([{ fromMs: 0, untilMs: 9 }], 1, 'UTC', 9)
  await purgeBefore(records, 9)
  await keys.search({ text: 'x', order: 'used', offset: 0, limit: 5, isNewestOnly: true })
}

type Store = ReturnType<typeof operatorSide>

onEachEngine(
  (name) => `plans of ${name}`,
  (engine) => {
    it('no statement reads a table for each row of another one', async () => {
      const { db, reread, close } = await open(await engine.createDatabase())
      try {
        await fillGaps(db)
        const assertPlan: Parameters<typeof watched>[1] = async (sql, ...statement) => {
          // A report reads all that were purged.
          if (/FROM journal\s+WHERE act = (?!'purge')/.test(statement[0])) {
            const plan = await sql(
              `EXPLAIN ${engine.name === 'SQLite' ? 'QUERY PLAN' : ''} ${statement[0]}`,
              statement[1],
            )
            assert.match(plan.join('\n'), /journal_of_no_subject/, statement[0])
          }
          const tables = (await reread(sql, ...statement)).filter((table) => !SHORT.includes(table))
          assert.deepEqual(tables, [], statement[0])
        }
        await work(operatorSide(watched(db, assertPlan)))
      } finally {
        await close()
      }
    })

    it('lists of each filter, and of filters together, walk an index that has their order', async (test) =>
      withListPlans(await engine.createDatabase(), test, async (planOf) => {
        for (const filter of FILTERS_TOGETHER.slice(1))
          for (const before of [undefined, 9n]) {
            const plan = await planOf({ limit: 5, before, ...filter }).catch(String)
            const isWalked = /USING INDEX|Index Scan/.test(plan) && !/TEMP B-TREE|Sort|Filter/.test(plan)
            const of = Object.entries(filter).join(' and ').replaceAll(',', '=')
            assert(isWalked, `give ${engine.name} an index for lists of ${of}, in its migrations.ts:\n${plan}`)
          }
      }))
  },
)
