/** A mirror's part of the allowance, on the real service and in time that a clock leaps over. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { PLANS as NAMED } from '../../src/contract/plans.ts'
import { PLANS, Share } from '../src/share.ts'
import { Copy, startPlace } from './support/mirrored.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Waits are fractions of a millisecond here, and their sum is that much too short or too long. */
const ROUNDING_MS = 1e-6

/** The most that fall into one of these windows of UTC. */
function mostIn(atMs: readonly number[], lengthMs: number): number {
  const counts = Map.groupBy(atMs, (ms) => Math.floor(ms / lengthMs))
  return Math.max(...[...counts.values()].map((each) => each.length))
}

describe('the share of a mirror', () => {
  it('is known to be that of the plans of the interface (R14)', () => {
    const named = Object.values(NAMED).flatMap((plan) => (plan === undefined ? [] : [[plan.perMinute, plan.perDay]]))
    assert.deepEqual(PLANS, named)
  })

  it('is at most that part of every minute and of every day, whatever the limits and the responses take', () => {
    const worlds = fc.record({
      share: fc.constantFrom(1, 0.5, 0.9, 1 / 3, 0.05),
      perMinute: fc.constantFrom(60, 300, 7, 40),
      tookMs: fc.array(fc.constantFrom(0, 1, 30, 5_000, 900_000), { minLength: 1, maxLength: 9 }),
    })
    fc.assert(
      fc.property(worlds, ({ share, perMinute, tookMs }) => {
        const perDay = PLANS.find(([minute]) => minute === perMinute)?.[1] ?? perMinute * 1_440
        const atMs: number[] = []
        const part = new Share(share)
        let nowMs = 0
        while (nowMs < 2 * DAY_MS) {
          nowMs += Math.max(0, part.waitMs(nowMs))
          const sentMs = nowMs
          nowMs += tookMs[atMs.length % tookMs.length] ?? 0
          // The service may count it at any instant between.
          atMs.push(atMs.length % 2 === 0 ? sentMs : nowMs)
          part.spend(nowMs)
          part.learn({ limit: perMinute, remaining: 1, reset: new Date(nowMs + MINUTE_MS) }, nowMs)
        }
        for (const [lengthMs, limit] of [
          [MINUTE_MS, perMinute],
          [DAY_MS, perDay],
        ] as const) {
          let first = 0
          for (const [last, ms] of atMs.entries()) {
            while (ms - (atMs[first] ?? 0) >= lengthMs - ROUNDING_MS) first += 1
            const most = Math.max(1, Math.ceil(share * limit))
            assert(last - first + 1 <= most, `${last - first + 1} of ${most} in ${lengthMs} ms`)
          }
        }
      }),
      { numRuns: 20 },
    )
  })

  for (const [plan, share, perMinute, perDay] of [
    ['free', 0.5, 30, 500],
    ['pro', 0.02, 6, 200],
  ] as const) {
    it(`of ${share} is kept on a ${plan} key by the minute and by the day, beginning at once (R14, R15)`, async () => {
      await using place = await startPlace(Date.UTC(2026, 10, 21))
      const client = place.clientOf(await place.app.issue(plan))
      const startMs = place.clock.now()
      const copy = new Copy(client.mirror({ share }))
      await copy.reach(0)
      assert.equal(place.clock.now(), startMs)
      await copy.reach(startMs + 1.1 * DAY_MS)
      const most = [mostIn(place.atMs, MINUTE_MS), mostIn(place.atMs, DAY_MS)]
      assert(most[0] === perMinute && (most[1] ?? 0) <= perDay && (most[1] ?? 0) > perDay * 0.9, `${most}`)
    })
  }

  it('is kept of a day that the headers tell late, from the next day on, and nothing is refused (O11)', async () => {
    await using place = await startPlace(Date.UTC(2026, 10, 21, 12))
    const client = place.clientOf(await place.app.issue('enterprise', { perMinute: 100, perDay: 120 }))
    const copy = new Copy(client.mirror({ share: 0.5 }))
    await copy.reach(Date.UTC(2026, 10, 24))
    const days = Map.groupBy(place.atMs, (ms) => new Date(ms).getUTCDate())
    const first = days.get(21)?.length ?? Infinity
    assert(first < 85, `${first}`)
    for (const day of [22, 23]) assert((days.get(day)?.length ?? Infinity) <= 60, `${days.get(day)?.length}`)
    assert((days.get(23)?.length ?? 0) > 20)
  })

  it('is spread evenly over a day that is told before the minute, and a new plan is taken up (O11)', async () => {
    const part = new Share(0.5)
    const atMs = Date.UTC(2026, 10, 21, 12, 0, 30)
    const day = new Date(Date.UTC(2026, 10, 22))
    const minute = new Date(Date.UTC(2026, 10, 21, 12, 1))
    const spacingMs = () => {
      part.spend(atMs)
      return Math.round(part.waitMs(atMs))
    }
    part.learn({ limit: 1_440_000, remaining: 1_439_999, reset: day }, atMs)
    assert.equal(spacingMs(), 60_000 / 500)
    // By a clock that is five minutes behind, as where a browser hides `Date`.
    part.learn({ limit: 2_000, remaining: 1_999, reset: minute }, atMs - 300_000)
    assert.equal(spacingMs(), 60_000 / 1_000)
    // A Business key's minute has the number of a Free key's day.
    for (const [perMinute, perDay] of [...PLANS, ...PLANS.filter(([minute]) => minute !== 300)]) {
      part.learn({ limit: perMinute, remaining: 1, reset: minute }, atMs)
      assert.equal(spacingMs(), 60_000 / (perMinute / 2))
      // In the last minute of the day.
      part.learn({ limit: perDay, remaining: 1, reset: day }, day.getTime() - 30_000)
      assert.equal(spacingMs(), 60_000 / (perMinute / 2))
    }
  })

  it('of less than a request a minute is saved up to one request', () => {
    const part = new Share(0.001)
    part.spend(0)
    assert(part.waitMs(0) >= DAY_MS)
    assert(part.waitMs(3 * DAY_MS) <= 0)
    part.spend(3 * DAY_MS)
    assert(part.waitMs(3 * DAY_MS) > 0)
  })
})
