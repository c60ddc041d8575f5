/** The samples behind the dashboard: true to what was counted, and no more than an hour of them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Metrics } from '../../src/http/metrics.ts'
import type { Sample } from '../../src/operator/dashboard-data.ts'
import { KEPT_MS, quantileMs, SAMPLE_EVERY_MS, Sampler } from '../../src/operator/samples.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { clockAt } from '../support/time/clock.ts'

describe('samples', () => {
  let app: TestApp
  before(async () => {
    app = await startApp()
  })
  after(() => app[Symbol.asyncDispose]())

  const start = () => {
    const clock = { nowMs: 1_000_000 }
    const metrics = new Metrics()
    const taken: Sample[] = []
    const sampler = new Sampler({
      store: app.store,
      metrics,
      clock: clockAt(() => clock.nowMs),
      onSample: (sample) => taken.push(sample),
    })
    return { clock, metrics, taken, sampler }
  }

  it('hold rates since the previous sample, not since the start', async () => {
    const { clock, metrics, taken, sampler } = start()
    for (let i = 0; i < 10; i += 1) metrics.answered('listPets', 200, 0.002)
    metrics.answered('listPets', 429, 0.002)
    metrics.limited('free', false, 'label')
    clock.nowMs += 5_000
    await sampler.take()
    metrics.answered('getPet', 404, 0.002)
    clock.nowMs += 2_000
    await sampler.take()
    assert.deepEqual(
      taken.map(({ requests, refused }) => ({ requests, refused })),
      [
        { requests: { 'listPets 200': 2, 'listPets 429': 0.2 }, refused: { free: 0.2 } },
        { requests: { 'getPet 404': 0.5 }, refused: {} },
      ],
    )
    assert.deepEqual(taken, sampler.samples)
  })

  it('count the animals and the rows of each commit', async () => {
    const { clock, taken, sampler } = start()
    await Promise.all([1n, 2n, 3n].map((categoryId) => app.store.pets.create({ name: 'Luna', categoryId })))
    clock.nowMs += 1_000
    await sampler.take()
    assert.deepEqual(taken[0]?.animals, { available: 0, pending: 0, sold: 0, none: 3 })
    assert.equal((taken[0]?.commits ?? 0) * (taken[0]?.rowsPerCommit ?? 0), 3)
    clock.nowMs += 1_000
    await sampler.take()
    assert.equal(taken[1]?.rowsPerCommit, undefined)
  })

  it('continue while the database does not answer, without the animals', async () => {
    const { clock, metrics, taken } = start()
    const pets = {
      count() {
        throw new StoreUnavailable('away')
      },
    }
    const store = { pets, commits: app.store.commits }
    const sampler = new Sampler({
      store,
      metrics,
      clock: clockAt(() => clock.nowMs),
      onSample: (sample) => taken.push(sample),
    })
    clock.nowMs += 1_000
    await sampler.take()
    assert.equal(taken[0]?.animals, undefined)
    assert.ok((taken[0]?.rssBytes ?? 0) > 0)
  })

  it('leave the pages out of the latency', async () => {
    const { clock, metrics, taken, sampler } = start()
    metrics.answered('page', 200, 2)
    clock.nowMs += 1_000
    await sampler.take()
    assert.equal(taken[0]?.p99Ms, undefined)
    assert.deepEqual(taken[0]?.requests, { 'page 200': 1 })
  })

  it('stay in order when the clock is set back', async () => {
    const { clock, sampler } = start()
    const times = () => sampler.samples.map(({ atMs }) => atMs)
    const take = async (byMs: number) => {
      clock.nowMs += byMs
      await sampler.take()
    }
    for (let n = 0; n < 3; n += 1) await take(5_000)
    assert.deepEqual(times(), [1_005_000, 1_010_000, 1_015_000])
    await take(-8_000)
    assert.deepEqual(times(), [1_005_000])
    await take(5_000)
    assert.deepEqual(times(), [1_005_000, 1_012_000])
  })

  it('cover one hour: the oldest are dropped', async () => {
    const { clock, sampler } = start()
    for (let i = 0; i < 2_000; i += 1) {
      clock.nowMs += SAMPLE_EVERY_MS
      await sampler.take()
    }
    assert.equal(sampler.samples.length, KEPT_MS / SAMPLE_EVERY_MS)
    assert.equal(sampler.samples.at(-1)?.atMs, clock.nowMs)
  })
})

describe('the quantile of a histogram', () => {
  const counts = (entries: Record<number, number>) => Array.from({ length: 15 }, (_, index) => entries[index] ?? 0)

  it('is in the bucket that contains it', () => {
    // Ninety-eight below 0.1 ms, two from 25 to 50 ms.
    const durations = counts({ 0: 98, 8: 2 })
    assert.ok((quantileMs(durations, 0.5) ?? 1) < 0.1)
    const p99 = quantileMs(durations, 0.99) ?? 0
    assert.ok(p99 > 25 && p99 <= 50, String(p99))
  })

  it('is the last bound beyond all bounds, and absent without requests', () => {
    assert.equal(quantileMs(counts({ 14: 1 }), 0.5), 2_500)
    assert.equal(quantileMs(counts({}), 0.5), undefined)
  })
})
