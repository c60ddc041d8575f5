/**
 * The dashboard's routes: what the process has seen of the last hour, a stream that ends with its session, and what is
 * known of backups.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addDashboardRoutes } from '../../src/office/routes/dashboard-routes.ts'
import type { Sample } from '../../src/operator/dashboard-data.ts'
import { SAMPLE_EVERY_MS } from '../../src/operator/samples.ts'
import { storeEngines } from '../store/engines.ts'
import { START_MS } from '../support/app.ts'
import { type OfficeRoutes, startRoutes } from '../support/office-app.ts'
import { until } from '../support/until.ts'

describe('the dashboard’s routes', () => {
  const database = async () => (await storeEngines[0]?.start())?.createDatabase() ?? ''

  it('send what the process has seen first, and then each sample as it is taken', async () => {
    await using office = await startRoutes(await database(), addDashboardRoutes)
    office.clock.nowMs += SAMPLE_EVERY_MS
    const first = office.clock.nowMs
    await withStream(office, async (next) => {
      assert.deepEqual(await next(), ['history', []])
      const [name, sample] = await next()
      assert.deepEqual([name, (sample as Sample).atMs], ['sample', first])
    })
    await withStream(office, async (next) => {
      const [name, samples] = await next()
      assert.deepEqual([name, (samples as Sample[]).map(({ atMs }) => atMs)], ['history', [first]])
    })
  })

  it('end a stream when its session ends', async () => {
    await using office = await startRoutes(await database(), addDashboardRoutes)
    const response = await fetch(`${office.operatorUrl}/api/dashboard/events`)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    office.session.goesOn = false
    office.clock.nowMs += SAMPLE_EVERY_MS
    assert.doesNotMatch(await response.text(), /event: sample/)
  })

  it('send a bounded number of streams, and another one when one of them has ended', async () => {
    await using office = await startRoutes(await database(), addDashboardRoutes)
    // A response that nobody holds may be collected, and its connection ended with it.
    const held: Response[] = []
    const open = async (signal: AbortSignal) => {
      const response = await fetch(`${office.operatorUrl}/api/dashboard/events`, { signal })
      held.push(response)
      return response.status
    }
    const [first, others] = [new AbortController(), new AbortController()]
    const statuses = [await open(first.signal)]
    for (let n = 1; n < 40; n += 1) statuses.push(await open(others.signal))
    assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.at(-1)], [32, 503])
    first.abort()
    await until('there is room for one', async () => (await open(others.signal)) === 200)
    others.abort()
    assert.ok(held.length > 40)
  })

  it('do not wait for streams at the end', async () => {
    const office = await startRoutes(await database(), addDashboardRoutes)
    const response = await fetch(`${office.operatorUrl}/api/dashboard/events`)
    await office[Symbol.asyncDispose]()
    assert.match(await response.text(), /^event: history/)
  })

  it('say what is known of backups, and each trouble in a sentence', async () => {
    const made = { failures: 2, failure: undefined, lastSuccessMs: START_MS - 1, everyMs: 3_600_000 }
    await using office = await startRoutes(await database(), addDashboardRoutes, { backups: made })
    const { status, body } = await office.ask('GET', '/api/dashboard')
    assert.equal(status, 200)
    assert.deepEqual(
      [body.backups, body.troubles, body.startedAtMs, body.atMs],
      [{ lastSuccessMs: START_MS - 1, failures: 2, everyMs: 3_600_000 }, [], START_MS, START_MS],
    )
    office.troubles.push('Counters cannot be saved.')
    assert.deepEqual((await office.ask('GET', '/api/dashboard')).body.troubles, office.troubles)
    await using without = await startRoutes(await database(), addDashboardRoutes)
    assert.equal((await without.ask('GET', '/api/dashboard')).body.backups, null)
  })

  /** Reads events one by one: their names and their data. */
  async function withStream(office: OfficeRoutes, read: (next: () => Promise<[string, unknown]>) => Promise<void>) {
    const end = new AbortController()
    const response = await fetch(`${office.operatorUrl}/api/dashboard/events`, { signal: end.signal })
    let text = ''
    const decoder = new TextDecoder()
    const chunks = response.body?.[Symbol.asyncIterator]()
    await read(async () => {
      while (!text.includes('\n\n')) text += decoder.decode((await chunks?.next())?.value, { stream: true })
      const [message = '', ...rest] = text.split('\n\n')
      text = rest.join('\n\n')
      const [, name = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(message) ?? []
      return [name, JSON.parse(data)]
    })
    end.abort()
  }
})
