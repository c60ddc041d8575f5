/**
 * From 1.0.0 to this version and back. The code of 1.0.0 itself writes a database; this version serves it; 1.0.0
 * refuses it from then on, and runs again on a backup from before (docs/backups.md, "Updating"). The earlier code
 * runs on today's node and packages.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import pg from 'pg'
import { COMMITS, historyNeeded, treeOf } from '../support/earlier.ts'
import { temporaryFolder } from '../support/folder.ts'
import { postgresNeeded } from '../support/servers/postgres.ts'
import { sharedPostgres } from '../support/servers/shared-postgres.ts'
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

for (const [name, commit] of Object.entries(COMMITS)) {
  let root: string
  const provide = () => {
    root ??= treeOf(commit)
  }

  describe(`a SQLite file of ${name}`, { ...historyNeeded, concurrency: false }, () => {
    const folder = temporaryFolder()
    const database = `sqlite:${folder}/pets.db`
    const backup = `${temporaryFolder()}/before.db`
    let customer: Customer
    before(async () => {
      provide()
      customer = await fill(root, database)
    })

    it('is saved by `backup` and checked by `verify` of this version, and not changed by that', async () => {
      const content = contentOf(folder)
      await succeed(['backup', backup, '--database', database])
      await succeed(['verify', '--database', database])
      assert.deepEqual(contentOf(folder), content)
    })

    it('is served with every animal, the key, its count and the numbers of animals', () =>
      assertServed(database, customer))

    it('is then refused by the earlier code in one sentence, and left as it is', async () => {
      const content = contentOf(folder)
      await assertRefused(root, database)
      assert.deepEqual(contentOf(folder), content)
    })

    it('is served by the earlier code again once the backup is restored, without what came after it', async () => {
      await succeed(['restore', backup, '--database', database])
      assert.deepEqual(await exported(database, { root }), FILLED)
      await using service = await startService({ database, root })
      assert.deepEqual(await ask(service, customer, REX), { ...REX, id: 4 })
    })
  })

  describe(`a PostgreSQL database of ${name}`, { skip: historyNeeded.skip || postgresNeeded.skip }, () => {
    it('is served with everything in it, and then refused by the earlier code and left as it is', async () => {
      provide()
      const postgres = await sharedPostgres()
      const database = await postgres.createDatabase()
      const client = new pg.Client({ connectionString: database })
      try {
        await client.connect()
        const schema = async () => (await client.query('SELECT version FROM pets_schema')).rows
        const customer = await fill(root, database)
        const earlier = await schema()
        await assertServed(database, customer)
        const later = await schema()
        assert.notDeepEqual(later, earlier)
        await assertRefused(root, database)
        assert.deepEqual(await schema(), later)
        assert.deepEqual(await exported(database), [...FILLED, JSON.stringify({ id: 4, ...REX })])
      } finally {
        await client.end()
        await postgres.stop()
      }
    })
  })
}
