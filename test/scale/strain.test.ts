/** The real process on a PostgreSQL that is gone, or asked for more than it can do at once. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { toCursor } from '../../src/http/pets.ts'
import { call } from '../support/http.ts'
import { postgresNeeded, startPostgres, type TestPostgres } from '../support/servers/postgres.ts'
import { type RunningService, startService } from '../support/service.ts'

describe('a node under strain', { concurrency: false, ...postgresNeeded }, () => {
  let server: TestPostgres

  before(async () => {
    server = await startPostgres()
  })
  after(() => server.stop())

  /** A database with so many animals named like this. */
  async function withAnimals(count: number, name: string, node: RunningService): Promise<void> {
    const client = new Client(node.database)
    await client.connect()
    await client.query('INSERT INTO pets (name, category_id) SELECT $1, 1 FROM generate_series(1, $2::int)', [
      name,
      count,
    ])
    await client.end()
  }

  const portOf = ({ baseUrl }: RunningService) => Number(new URL(baseUrl).port)
  const linesWith = (text: string, node: RunningService) => node.output().split(text).length - 1

  it('200 creates of 1 MB at once: each is stored, or reported as not stored (R9, O23)', async () => {
    await using node = await startService({
      database: await server.createDatabase(),
      args: ['--body-limit', '2000000'],
    })
    const { key } = await node.issueKey()
    const name = 'x'.repeat(1_000_000)
    const create = (n: number) =>
      call(portOf(node), { method: 'POST', key, body: JSON.stringify({ name: `${n} ${name}`, categoryId: n }) })
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => create(n)))
    const client = new Client(node.database)
    await client.connect()
    const { rows } = await client.query<{ category_id: string }>('SELECT category_id FROM pets')
    await client.end()
    const stored = new Set(rows.map(({ category_id }) => Number(category_id)))
    for (const [n, { status, body }] of answers.entries()) {
      if (status === 201) assert.ok(stored.has(n), `${n} was acknowledged`)
      else if (/cannot say whether/.test(body)) assert.equal(status, 503)
      else {
        assert.equal(status, 503)
        assert.ok(!stored.has(n), `${n} was refused, and stored: ${body}`)
      }
    }
    assert.ok(stored.size > 0)
  })

  it('an outage is two lines in the log, however many requests fail, with their number (O23)', async () => {
    await using node = await startService({ database: await server.createDatabase() })
    const { key } = await node.issueKey()
    const list = () => call(portOf(node), { key })
    assert.equal((await list()).status, 200)
    await server.kill()
    let refused = 0
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, list))
      refused += answers.filter(({ status }) => status === 503).length
      await sleep(100)
    }
    assert.equal(refused, 500)
    await server.restart()
    const count = Number((await node.says(/the database is back after [\d.]+ s; (\d+) requests got 503/))[1])
    assert.ok(count > 400 && count <= refused + 20, `${count} of ${refused}`)
    for (const once of ['the database is back after', 'the database does not answer: '])
      assert.equal(linesWith(once, node), 1)
    assert.equal(linesWith('answered with an error', node), 0)
    assert.ok(linesWith('\n', node) < 20, node.output())
    assert.equal((await list()).status, 200)
  })

  it('100 connections that ask for as many pages of 6 MB leave memory below 512 MiB (O19)', async () => {
    await using node = await startService({ database: await server.createDatabase(), args: ['--page-links'] })
    await withAnimals(210, 'x'.repeat(65_000), node)
    const { key } = await node.issueKey()
    let peakMiB = 0
    const watch = setInterval(() => {
      const kib = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${node.process.pid}/status`, 'utf8'))?.[1]
      peakMiB = Math.max(peakMiB, Number(kib ?? 0) / 1024)
    }, 10)
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        call(portOf(node), { key, path: `/v1/pets?limit=100&cursor=${toCursor(String(n + 102))}` }),
      ),
    )
    clearInterval(watch)
    for (const { status, body } of answers) assert.ok(status === 503 || body.length > 6_000_000, String(status))
    assert.ok(answers.filter(({ status }) => status === 200).length >= 1)
    assert.ok(peakMiB < 512, `${Math.round(peakMiB)} MiB`)
  })
})
