/** What a node does in its database by itself, again and again: it announces itself, drops old counters and folds names. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pino from 'pino'
import { HOUR_MS } from '../../../src/common/clock.ts'
import { databaseLog } from '../../../src/service/service-log.ts'
import { openPostgres } from '../../../src/store/postgres/store.ts'
import { type OpenOptions, StoreUnusable } from '../../../src/store/store.ts'
import { keptLog } from '../../support/log.ts'
import { postgresNeeded, startPostgres, type TestPostgres } from '../../support/servers/postgres.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'
import { until } from '../../support/until.ts'
import { closeAfterEach } from '../closing.ts'

const NOTE = {
  database: '1 1',
  pid: 1,
  version: '2.1.0',
  sinceMs: 1,
  baseUrl: 'http://127.0.0.1:8080/v1',
  listensAt: 'http://127.0.0.1:8080',
  operatorUrl: undefined,
  officeUrl: undefined,
}
const WORK = {
  nodes: 'commands are not told that this node serves the database',
  counters: 'counters of the past are not deleted',
}

describe('a node on PostgreSQL', { concurrency: false, ...postgresNeeded }, () => {
  const { closing, clientOf } = closeAfterEach()
  let server: TestPostgres

  before(async () => {
    server = await startPostgres()
  })
  after(() => server.stop())

  const storeAt = async (url: string, options: Partial<OpenOptions> = {}) =>
    closing(await openPostgres(url, { serving: false, clock: new VirtualClock(), ...options }))

  it('reports once why background work fails, and again after a success', async () => {
    const clock = new VirtualClock()
    const { log, lines } = keptLog<{ msg: string; err?: { stack: string } }>({
      serializers: { err: pino.stdSerializers.err },
    })
    const { onAttempt, ...events } = databaseLog(log, clock, () => 0)
    const attempts = new Map<string, unknown[]>()
    const note = (trouble: string, error?: unknown) => {
      attempts.set(trouble, [...(attempts.get(trouble) ?? []), error])
      onAttempt(trouble, error)
    }
    const url = await server.createDatabase()
    const store = await storeAt(url, { serving: true, clock, events: { ...events, onAttempt: note } })
    store.announce(NOTE)
    closing(store.counters() as { close(): Promise<void> })
    const sql = await clientOf(url)
    const troubles = Object.values(WORK)
    const after = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        const before = troubles.map((one) => attempts.get(one)?.length ?? 0)
        clock.leap(HOUR_MS)
        await until('each is tried', () =>
          troubles.every((one, i) => (attempts.get(one)?.length ?? 0) > (before[i] ?? 0)),
        )
      }
      return troubles.map((one) => lines.filter(({ msg }) => msg === one).length)
    }
    await until('the first are done', () => attempts.size >= 1)
    assert.deepEqual(await after(1), [0, 0])
    for (const table of Object.keys(WORK)) await sql.query(`ALTER TABLE ${table} RENAME TO ${table}_away`)
    assert.deepEqual(await after(3), [1, 1])
    assert(lines.every(({ err }) => /relation "\w+" does not exist[\s\S]*\n +at /.test(err?.stack ?? '')))
    for (const table of Object.keys(WORK)) await sql.query(`ALTER TABLE ${table}_away RENAME TO ${table}`)
    assert.deepEqual(await after(1), [1, 1])
    for (const table of Object.keys(WORK)) await sql.query(`ALTER TABLE ${table} RENAME TO ${table}_away`)
    assert.deepEqual(await after(2), [2, 2])
  })

  it('is considered running for half a minute after it was killed', async () => {
    const url = await server.createDatabase()
    const store = await storeAt(url, { serving: true })
    store.announce(NOTE)
    const sql = await clientOf(url)
    const seen = async () => (await sql.query('SELECT seen_at_ms FROM nodes')).rows.length
    await until('it is announced', async () => (await seen()) === 1)
    await assert.rejects(storeAt(url, { alone: true }), StoreUnusable)
    for (const ms of [-31_000, 86_400_000]) {
      await sql.query(`UPDATE nodes SET seen_at_ms = floor(extract(epoch FROM clock_timestamp()) * 1000) + ${ms}`)
      await storeAt(url, { alone: true })
    }
  })
})
