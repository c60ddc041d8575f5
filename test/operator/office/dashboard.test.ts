/** The dashboard's routes: the last hour over a restart, a stream that ends with its session, and what is known of backups. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Sample } from '../../../src/operator/dashboard-data.ts'
import { addDashboardRoutes } from '../../../src/operator/office/dashboard-routes.ts'
import { SAVE_EVERY_MS, SampleLog } from '../../../src/operator/sample-log.ts'
import { KEPT_MS, SAMPLE_EVERY_MS } from '../../../src/operator/samples.ts'
import { openStore } from '../../../src/store/open.ts'
import type { SampleStore } from '../../../src/store/samples.ts'
import { type Store, StoreUnavailable } from '../../../src/store/store.ts'
import { storeEngines } from '../../store/engines.ts'
import { START_MS } from '../../support/app.ts'
import { type OfficeRoutes, startRoutes } from '../../support/office-app.ts'
import { freePort } from '../../support/servers.ts'

const sampleAt = (atMs: number): Sample => ({
  ...{ atMs, requests: { 'listPets 200': 2.5 }, p50Ms: 1, p99Ms: undefined, refused: {}, animals: undefined },
  ...{ commits: 0, rowsPerCommit: undefined, loopDelayMs: 0, rssBytes: 1, heapBytes: 1 },
})

for (const engine of storeEngines.slice(0, 2)) {
  describe(`samples on ${engine.name}`, engine.needed, () => {
    let running: Awaited<ReturnType<typeof engine.start>>
    let store: Store
    before(async () => {
      running = await engine.start()
      store = await openStore(await running.createDatabase(), { serving: true })
    })
    after(async () => {
      await store?.close()
      await running?.stop()
    })
    const logOf = (node: string, clock: { nowMs: number }) =>
      new SampleLog({ store: store.samples, clock: () => clock.nowMs, node })

    it('are of one node, and of one hour, whatever its clock did', async () => {
      const clock = { nowMs: START_MS }
      const [log, other] = [logOf('a:1', clock), logOf('b:1', clock)]
      for (const at of [START_MS - KEPT_MS, START_MS - KEPT_MS + 1, START_MS, START_MS + 2 * KEPT_MS])
        log.note(sampleAt(at))
      await log.close()
      other.note(sampleAt(START_MS - 5))
      await other.close()
      assert.deepEqual(
        (await logOf('a:1', clock).load()).map(({ atMs }) => atMs),
        [START_MS - KEPT_MS + 1, START_MS],
      )
      clock.nowMs += KEPT_MS
      other.note(sampleAt(clock.nowMs))
      await other.close()
      assert.deepEqual(await store.samples.load('a:1', 0), [], 'those of a node that is no more go too')
      assert.equal((await store.samples.load('b:1', 0)).length, 1)
    })

    it('come back as they were', async () => {
      const clock = { nowMs: START_MS }
      const log = logOf('c:1', clock)
      log.note(sampleAt(START_MS))
      await log.close()
      assert.deepEqual(await log.load(), [JSON.parse(JSON.stringify(sampleAt(START_MS)))])
    })
  })
}

describe('the log of samples', () => {
  /** Counts commits, and refuses them while `isAway`. */
  const watched = () => {
    const saved: number[] = []
    const at = { isAway: false, commits: 0, saved }
    const store: SampleStore = {
      load: () => [],
      save(_node, samples) {
        if (at.isAway) throw new StoreUnavailable('away')
        at.commits += 1
        saved.push(...samples.map(({ atMs }) => atMs))
      },
    }
    return { at, store }
  }

  it('commits about once a minute', async () => {
    const { at, store } = watched()
    const clock = { nowMs: START_MS }
    const log = new SampleLog({ store, clock: () => clock.nowMs, node: 'a:1' })
    for (let n = 1; n <= 120; n += 1) {
      clock.nowMs = START_MS + n * SAMPLE_EVERY_MS
      log.note(sampleAt(clock.nowMs))
      await Promise.resolve()
    }
    await log.close()
    assert.ok(at.commits <= (120 * SAMPLE_EVERY_MS) / SAVE_EVERY_MS + 1, `${at.commits} commits`)
    assert.equal(at.saved.length, 120)
  })

  it('keeps what could not be saved, in order and never more than an hour of it', async () => {
    const { at, store } = watched()
    const clock = { nowMs: START_MS }
    const log = new SampleLog({ store, clock: () => clock.nowMs, node: 'a:1' })
    at.isAway = true
    for (let n = 1; n <= 1_000; n += 1) {
      clock.nowMs = START_MS + n * SAMPLE_EVERY_MS
      log.note(sampleAt(clock.nowMs))
      await new Promise(setImmediate)
    }
    at.isAway = false
    await log.close()
    assert.ok(at.saved.length <= KEPT_MS / SAMPLE_EVERY_MS + SAVE_EVERY_MS / SAMPLE_EVERY_MS, `${at.saved.length}`)
    assert.equal(at.saved.at(-1), clock.nowMs)
    assert.deepEqual(
      at.saved,
      at.saved.toSorted((a, b) => a - b),
    )
  })
})

describe('the dashboard’s routes', () => {
  const database = async () => (await storeEngines[0]?.start())?.createDatabase() ?? ''

  it('send the hour before a restart first', async () => {
    const [file, port] = [await database(), await freePort()]
    {
      await using office = await startRoutes(file, addDashboardRoutes, { port })
      office.clock.nowMs += SAMPLE_EVERY_MS
      await withStream(office, async (next) => {
        assert.deepEqual(await next(), ['history', []])
        const [name, sample] = await next()
        assert.deepEqual([name, (sample as Sample).atMs], ['sample', office.clock.nowMs])
      })
    }
    await using again = await startRoutes(file, addDashboardRoutes, { port, nowMs: START_MS + 60_000 })
    await withStream(again, async (next) => {
      const [name, samples] = await next()
      assert.deepEqual([name, (samples as Sample[]).map(({ atMs }) => atMs)], ['history', [START_MS + SAMPLE_EVERY_MS]])
    })
  })

  it('end a stream when its session ends', async () => {
    await using office = await startRoutes(await database(), addDashboardRoutes)
    const response = await fetch(`${office.operatorUrl}/api/dashboard/events`)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    office.session.goesOn = false
    office.clock.nowMs += SAMPLE_EVERY_MS
    assert.doesNotMatch(await response.text(), /event: sample/)
  })

  it('do not wait for streams at the end', async () => {
    const office = await startRoutes(await database(), addDashboardRoutes)
    const response = await fetch(`${office.operatorUrl}/api/dashboard/events`)
    await office[Symbol.asyncDispose]()
    assert.match(await response.text(), /^event: history/)
  })

  it('say what is known of backups and counters', async () => {
    const made = { failures: 2, lastSuccessMs: START_MS - 1, everyMs: 3_600_000 }
    await using office = await startRoutes(await database(), addDashboardRoutes, { backups: made })
    const { status, body } = await office.ask('GET', '/api/dashboard')
    assert.equal(status, 200)
    assert.deepEqual(
      [body.backups, body.countersTrouble, body.startedAtMs, body.atMs],
      [{ lastSuccessMs: START_MS - 1, failures: 2, everyMs: 3_600_000 }, null, START_MS, START_MS],
    )
    office.trouble.counters = 'counters cannot be saved'
    assert.equal((await office.ask('GET', '/api/dashboard')).body.countersTrouble, 'Counters cannot be saved.')
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
