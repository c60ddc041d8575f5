/**
 * From 1.0.0 to this version: the code of 1.0.0 itself, on today's node and packages, writes a database, and refuses it
 * once this version has served it. The way back, by the copy of before, is in test/cli/upgrade.test.ts.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import pg from 'pg'
import { COMMIT_OF_1_0_0, historyNeeded, treeOf } from '../support/earlier.ts'
import { temporaryFolder } from '../support/folder.ts'
import { postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'
import { pets, type RunningService, startService } from '../support/service.ts'

const ROWS = 'name,categoryId,status\nLuna,9223372036854775807,sold\n"Søren ""S""",7,\n'
const REX = { name: 'Rex', categoryId: 1, status: 'available' }
/** All animals after `fill`, as `pets export` writes them. */
const FILLED = [
  '{"id":1,"name":"Luna","categoryId":9223372036854775807,"status":"sold"}',
  '{"id":2,"name":"Søren \\"S\\"","categoryId":7}',
  '{"id":3,"name":"Rex","categoryId":1,"status":"available"}',
]
const SENTENCE =
  /^.+ was written by a newer version of this software \(schema \d+, this one knows \d+\); update the software\.$/

/** One key, and what the headers said of its limit last. */
interface Customer {
  readonly key: string
  remaining: number
  reset: string | null
}

async function ask(service: RunningService, customer: Customer, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${customer.key}`, 'content-type': 'application/json' }
  const method = body === undefined ? 'GET' : 'POST'
  const answer = await fetch(`${service.baseUrl}/pets`, { method, headers, body: JSON.stringify(body) ?? null })
  assert.equal(answer.status, body === undefined ? 200 : 201, await answer.clone().text())
  customer.remaining = Number(answer.headers.get('x-ratelimit-remaining'))
  customer.reset = answer.headers.get('x-ratelimit-reset')
  return answer.json()
}

async function succeed(args: readonly string[], options: Parameters<typeof pets>[1] = {}): Promise<string> {
  const { code, stdout, stderr } = await pets(args, options)
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
  return stdout
}

const exported = async (database: string, options: { root?: string } = {}) =>
  (await succeed(['export', '--database', database], options)).trim().split('\n').toSorted()

/** The program in `root` imports two animals, makes a key, serves, and adds a third animal. */
async function fill(root: string, database: string): Promise<Customer> {
  const named = ['--database', database]
  await succeed(['import', '-', ...named], { root, input: ROWS })
  const wide = ['--plan', 'enterprise', '--per-minute', '100000', '--per-day', '1000', '--label', 'of before']
  const { key } = JSON.parse(await succeed(['keys', 'create', '--create', ...wide, '--json', ...named], { root }))
  const customer = { key, remaining: 0, reset: null }
  const service = await startService({ database, root })
  await ask(service, customer, REX)
  assert.equal(await service.stop(), 0)
  return customer
}

/** This version serves what `fill` made, counts on, and adds a fourth animal. */
async function assertServed(database: string, customer: Customer): Promise<void> {
  await using service = await startService({ database })
  const before = { ...customer }
  assert.deepEqual(await ask(service, customer), FILLED.map((line) => JSON.parse(line)).toReversed())
  // The day may have ended in between.
  assert(customer.reset !== before.reset || customer.remaining === before.remaining - 1, JSON.stringify(customer))
  const metrics = await (await fetch(`${service.operatorUrl}/metrics`)).text()
  for (const counted of ['available"} 1', 'pending"} 0', 'sold"} 1', 'none"} 1']) {
    assert(metrics.includes(`pets_animals{status="${counted}\n`), `${counted}: ${metrics}`)
  }
  assert.deepEqual(await ask(service, customer, REX), { ...REX, id: 4 })
  assert.match(await succeed(['keys', 'list', '--database', database]), /enterprise .* active .* of before/)
}

/** The program in `root` refuses the database, whatever it is to do with it. */
async function assertRefused(root: string, database: string): Promise<void> {
  for (const command of [['serve', '--port', '0'], ['import', '-'], ['keys', 'list'], ['export']]) {
    const { code, stderr } = await pets([...command, '--database', database], { root, input: ROWS })
    assert.equal(code, 1, stderr)
    assert.match(stderr.trimEnd(), SENTENCE)
  }
}

/** The file and its log, byte for byte. The `-shm` is an index of the log that every reader makes anew. */
function contentOf(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => /^pets\.db(-wal)?$/.test(name))
  const bytes = names.map((name) => readFileSync(`${folder}/${name}`)).filter(({ length }) => length > 0)
  return bytes.map((content) => createHash('sha256').update(content).digest('hex'))
}

/** What 1.0.0 has filled is served, and then refused by 1.0.0 and left as it is; `state` is what it is. */
async function assertUpdated(root: string, database: string, state: () => Promise<unknown>): Promise<void> {
  const customer = await fill(root, database)
  const earlier = await state()
  await assertServed(database, customer)
  const later = await state()
  assert.notDeepEqual(later, earlier)
  await assertRefused(root, database)
  assert.deepEqual(await state(), later)
  assert.deepEqual(await exported(database), [...FILLED, JSON.stringify({ id: 4, ...REX })])
}

describe('a database of 1.0.0 is served with everything in it, and then refused by 1.0.0 and left as it is', {
  ...historyNeeded,
  concurrency: false,
}, () => {
  let root: string
  before(async () => {
    root = await treeOf(COMMIT_OF_1_0_0)
  })

  it('on SQLite', async () => {
    const folder = temporaryFolder()
    await assertUpdated(root, `sqlite:${folder}/pets.db`, async () => contentOf(folder))
  })

  it('on PostgreSQL', postgresNeeded, async (t) => {
    const postgres = await sharedPostgres()
    t.after(() => postgres.stop())
    const database = await postgres.createDatabase()
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    try {
      await assertUpdated(root, database, async () => (await client.query('SELECT version FROM pets_schema')).rows)
    } finally {
      await client.end()
    }
  })
})
