/** The sample behind the dashboard: true to what was counted since the one before. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Metrics } from '../../src/http/metrics.ts'
import { quantileMs, Sampler } from '../../src/operator/samples.ts'
import { clockAt } from '../support/time/clock.ts'

describe('a sample', () => {
  const start = () => {
    const clock = { nowMs: 1_000_000 }
    const metrics = new Metrics()
    const store = { commits: { count: 0, rows: 0 } }
    const sampler = new Sampler({ store, metrics, clock: clockAt(() => clock.nowMs) })
    return { clock, metrics, store, sampler }
  }

  it('holds what happened since the one before, not since the start', () => {
    const { clock, metrics, store, sampler } = start()
    metrics.countResponse('listPets', 200, 2)
    store.commits.count = 10
    clock.nowMs += 5_000
    sampler.sample()
    assert.equal(sampler.latest?.commits, 2)
    assert.ok((sampler.latest?.p99Ms ?? 0) > 1_000)
    metrics.countResponse('getPet', 404, 0.00005)
    clock.nowMs += 2_000
    sampler.sample()
    assert.equal(sampler.latest?.commits, 0)
    assert.ok((sampler.latest?.p99Ms ?? 1) < 0.2)
    assert.ok((sampler.latest?.rssBytes ?? 0) > 0)
  })

  it('has the memory of the one before where no file can be opened to read it', (t) => {
    const { clock, sampler } = start()
    clock.nowMs += 5_000
    sampler.sample()
    const { rssBytes } = sampler.latest ?? {}
    t.mock.method(process.memoryUsage, 'rss', () => {
      throw new Error('too many open files')
    })
    clock.nowMs += 5_000
    sampler.sample()
    assert.equal(sampler.latest?.rssBytes, rssBytes)
  })

  it('leaves the pages out of the latency', () => {
    const { clock, metrics, sampler } = start()
    metrics.countResponse('page', 200, 2)
    clock.nowMs += 1_000
    sampler.sample()
    assert.equal(sampler.latest?.p99Ms, undefined)
  })

  it('is the one before when the clock is set back, and the next one is right', () => {
    const { clock, sampler } = start()
    clock.nowMs += 5_000
    sampler.sample()
    const { latest } = sampler
    clock.nowMs -= 8_000
    sampler.sample()
    assert.equal(sampler.latest, latest)
    clock.nowMs += 1_000
    sampler.sample()
    assert.notEqual(sampler.latest, latest)
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
