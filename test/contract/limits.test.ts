/** The limiter compared with the model (test/model/windows.ts), by a virtual clock and random bursts. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type BanPolicy,
  type Counter,
  consume,
  expiresAtMs,
  isExpired,
  type LimitState,
  type Limits,
  longestWaitMs,
  newCounter,
  peek,
  type Verdict,
} from '../../src/contract/limits.ts'
import { type Verdict as Judged, judge, UNUSED } from '../model/windows.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const LENGTHS_MS = { minute: MINUTE_MS, day: DAY_MS } as const

/** What the model of the interface has counted of one bucket, and how it judges the limiter's verdicts. */
class Bucket {
  readonly #limits: Limits
  #use = UNUSED

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Holds the verdict on one more request to the model, which counts it. */
  assertTaken(verdict: Verdict, now: number): void {
    const judged = judge(this.#use, this.#limits, this.#limits.ban, now)
    this.#use = judged.after
    this.#assertTold(verdict, judged, now)
    const { minute, day } = this.#left(now)
    const left = judged.admitted ? [minute, day] : [undefined, undefined]
    assert.deepEqual([verdict.minuteLeft, verdict.dayLeft], left)
  }

  /** Holds what is told without counting to the model: a request that is admitted would be one of the remaining. */
  assertStanding(standing: LimitState, now: number): void {
    const { perMinute, perDay = 0 } = this.#limits
    const { minute, day = 0 } = this.#left(now)
    const judged = judge(this.#use, this.#limits, undefined, now)
    const { banned, minuteUsed, dayUsed } = standing
    const isBanned = this.#banUntilMs(now) !== undefined
    assert.deepEqual([banned, minuteUsed, dayUsed], [isBanned, perMinute - minute, perDay - day])
    const remaining = judged.admitted ? judged.remaining + 1 : 0
    // In the last minute of a day both end together: either may be told (O11).
    const limit = now % DAY_MS >= DAY_MS - MINUTE_MS && minute === day ? standing.limit : judged.limit
    const told = isBanned ? judged : { ...judged, limit, admitted: true, retryAfterS: 0 }
    this.#assertTold(standing, { ...told, remaining }, now)
  }

  #assertTold({ window, bannedUntilMs, ...verdict }: Verdict, judged: Omit<Judged, 'after'>, now: number): void {
    const { admitted, limit, remaining, resetS, retryAfterS = 0 } = judged
    assert.partialDeepStrictEqual(verdict, { admitted, limit, remaining, resetS, retryAfterS, atMs: now })
    assert.equal(bannedUntilMs, this.#banUntilMs(now))
    assert.equal(window === 'ban', bannedUntilMs !== undefined)
    if (window === 'ban') return
    assert.equal(limit, window === 'day' ? this.#limits.perDay : this.#limits.perMinute)
    assert.equal(resetS * 1_000, now - (now % LENGTHS_MS[window]) + LENGTHS_MS[window])
  }

  #banUntilMs(now: number): number | undefined {
    const { ban } = this.#use
    return ban !== undefined && now < ban.untilMs ? ban.untilMs : undefined
  }

  #left(now: number) {
    const { perMinute, perDay } = this.#limits
    const used = (ms: number) => this.#use.admitted.filter((atMs) => atMs >= now - (now % ms)).length
    return { minute: perMinute - used(MINUTE_MS), day: perDay === undefined ? undefined : perDay - used(DAY_MS) }
  }
}

const START = Date.UTC(2026, 10, 21, 23, 58, 30)

/** Bursts around the minute's and the day's end, gaps of less than a second up to a day. */
const steps = fc.array(
  fc.record({
    waitMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 1, max: 999 }),
      fc.integer({ min: 1_000, max: 90_000 }),
      fc.integer({ min: 3_600_000, max: 90_000_000 }),
    ),
    requests: fc.integer({ min: 1, max: 8 }),
  }),
  { minLength: 1, maxLength: 25 },
)

const ban: fc.Arbitrary<BanPolicy | undefined> = fc.option(
  fc.record({
    refusals: fc.integer({ min: 1, max: 6 }),
    withinMs: fc.integer({ min: 1_000, max: 86_400_000 }),
    forMs: fc.integer({ min: 1, max: 200_000_000 }),
  }),
  { nil: undefined },
)

const limits: fc.Arbitrary<Limits> = fc.record({
  perMinute: fc.integer({ min: 1, max: 12 }),
  perDay: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  ban,
})

describe('the limiter (R14-R17, O11-O15)', () => {
  it('agrees with the model on every verdict, even if expired counters are dropped', () => {
    fc.assert(
      fc.property(limits, steps, fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }), (limits, steps, sweeps) => {
        let counter: Counter = newCounter()
        const bucket = new Bucket(limits)
        let now = START
        for (const [index, { waitMs, requests }] of steps.entries()) {
          now += waitMs
          if (sweeps[index] && isExpired(counter, now)) counter = newCounter()
          bucket.assertStanding(peek(counter, limits, now), now)
          for (let i = 0; i < requests; i += 1) bucket.assertTaken(consume(counter, limits, now), now)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  /** Steps of at most a day back and forth, mostly small. */
  const wanderings = fc.array(
    fc.record({
      stepMs: fc.oneof(
        fc.constantFrom(0, 1, -1, MINUTE_MS, -MINUTE_MS, -DAY_MS),
        fc.integer({ min: -3 * MINUTE_MS, max: 3 * MINUTE_MS }),
        fc.integer({ min: -DAY_MS, max: DAY_MS }),
      ),
      requests: fc.integer({ min: 1, max: 8 }),
    }),
    { minLength: 1, maxLength: 30 },
  )

  it('a clock that steps back and forth within a day opens no window twice (R14, O12)', () => {
    fc.assert(
      fc.property(limits, wanderings, ({ perMinute, perDay }, steps) => {
        const counter = newCounter()
        const admitted = { minutes: new Map<number, number>(), days: new Map<number, number>() }
        let [now, latest] = [START, START]
        for (const { stepMs, requests } of steps) {
          now = Math.max(now + stepMs, latest - DAY_MS)
          latest = Math.max(latest, now)
          for (let i = 0; i < requests; i += 1) {
            const before = { ...counter }
            const verdict = consume(counter, { perMinute, perDay, ban: undefined }, now)
            assert(counter.minute >= before.minute && counter.day >= before.day, 'no window is left for an earlier one')
            if (!verdict.admitted) continue
            for (const [windows, number] of [
              [admitted.minutes, counter.minute],
              [admitted.days, counter.day],
            ] as const) {
              windows.set(number, (windows.get(number) ?? 0) + 1)
            }
          }
        }
        for (const count of admitted.minutes.values()) assert(count <= perMinute)
        if (perDay !== undefined) for (const count of admitted.days.values()) assert(count <= perDay)
      }),
      { numRuns: 1_000 },
    )
  })

  it('keeps windows and ban after the clock steps back a day, and drops them after a longer step', () => {
    const at = Date.UTC(2026, 10, 21, 12)
    const minute: Limits = { perMinute: 1, perDay: undefined, ban: undefined }
    const day: Limits = { perMinute: 9, perDay: 1, ban: undefined }
    const banned: Limits = { perMinute: 1, perDay: undefined, ban: { refusals: 1, withinMs: 1_000, forMs: 300_000 } }
    for (const [limits, backMs, furtherMs] of [
      [minute, DAY_MS, MINUTE_MS],
      [day, DAY_MS, DAY_MS],
      [banned, DAY_MS, 1],
    ] as const) {
      const counter = newCounter()
      for (let i = 0; i < 2; i += 1) consume(counter, limits, at)
      assert.equal(peek(counter, limits, at - backMs).remaining, 0)
      assert.equal(peek(counter, limits, at - backMs).banned, limits === banned)
      assert(!consume({ ...counter }, limits, at - backMs).admitted)
      assert.ok(!peek(counter, limits, at - backMs - furtherMs).banned)
      if (limits !== banned) assert(consume(counter, limits, at - backMs - furtherMs).admitted)
    }
  })

  it('a ban counts only the refusals within its time, and ends at its instant (O15)', () => {
    const limits: Limits = { perMinute: 1, perDay: undefined, ban: { refusals: 2, withinMs: 10_000, forMs: 300_000 } }
    const at = Date.UTC(2026, 10, 21, 12)
    const secondRefusal = (firstAtMs: number) => {
      const counter = newCounter()
      consume(counter, limits, at)
      counter.refusedAtMs = [firstAtMs]
      consume(counter, limits, at)
      return counter.bannedUntilMs
    }
    const untilMs = at + 300_000
    assert.deepEqual([at - 10_000, at - 9_999].map(secondRefusal), [0, untilMs])
    assert.deepEqual([at + DAY_MS, at + DAY_MS + 1].map(secondRefusal), [untilMs, 0])
    const counter = newCounter()
    for (let i = 0; i < 3; i += 1) consume(counter, limits, at)
    assert(peek(counter, limits, untilMs - 1).banned && !peek(counter, limits, untilMs).banned)
    assert(!peek(counter, { ...limits, ban: undefined }, untilMs - 1).banned, 'and with the policy')
    assert(consume(counter, limits, untilMs).admitted)
  })

  it('serves a banned client that waits as long as Retry-After says (R16, O15)', () => {
    const at = Date.UTC(2026, 10, 21, 12)
    for (const [perMinute, perDay, forMs, untilMs] of [
      [1, 1, 20_000, Date.UTC(2026, 10, 22)],
      [1, 100, 20_000, at + MINUTE_MS],
      [1, undefined, 20_000, at + MINUTE_MS],
      [1, 100, 5 * MINUTE_MS, at + 5 * MINUTE_MS],
    ] as const) {
      const limits: Limits = { perMinute, perDay, ban: { refusals: 2, withinMs: MINUTE_MS, forMs } }
      const counter = newCounter()
      for (let i = 0; i < 3; i += 1) consume(counter, limits, at)
      for (const { resetS, retryAfterS, bannedUntilMs } of [
        consume(counter, limits, at + 1_000),
        peek(counter, limits, at + 1_000),
      ]) {
        assert.deepEqual([resetS * 1_000, bannedUntilMs], [untilMs, at + forMs])
        assert(consume({ ...counter }, limits, at + (1 + retryAfterS) * 1_000).admitted)
      }
    }
  })

  it('keeps a counter for a day after its day, and an address until its minute ends', () => {
    const at = Date.UTC(2026, 10, 21, 12)
    const address: Limits = { perMinute: 1, perDay: undefined, ban: undefined }
    const kept = (limits: Limits, requests: number) => {
      const counter = newCounter()
      for (let i = 0; i < requests; i += 1) consume(counter, limits, at)
      assert(!isExpired(counter, expiresAtMs(counter) - 1) && isExpired(counter, expiresAtMs(counter)))
      return expiresAtMs(counter)
    }
    const withBan = (refusals: number): Limits => ({ ...address, ban: { refusals, withinMs: 1, forMs: 10 * DAY_MS } })
    assert.equal(kept(address, 2), at + MINUTE_MS)
    assert.equal(kept({ ...address, perDay: 1 }, 2), Date.UTC(2026, 10, 23))
    assert.equal(kept(withBan(2), 2), at + DAY_MS)
    assert.equal(kept(withBan(1), 2), at + 10 * DAY_MS)
  })

  it('a limit that is now lower than what was used leaves nothing, never less (R15)', () => {
    const counter = newCounter()
    for (let i = 0; i < 5; i += 1) consume(counter, { perMinute: 9, perDay: 9, ban: undefined }, START)
    assert.deepEqual(peek(counter, { perMinute: 3, perDay: 9, ban: undefined }, START).remaining, 0)
    assert.deepEqual(peek(counter, { perMinute: 9, perDay: 3, ban: undefined }, START).remaining, 0)
  })

  it('a refused client is never told to wait for longer than a window, a ban or the step back takes', () => {
    fc.assert(
      fc.property(limits, wanderings, fc.integer({ min: -400, max: 400 }), (limits, steps, days) => {
        const counter = newCounter()
        let now = START + days * DAY_MS
        consume(counter, limits, now)
        now = START
        for (const { stepMs, requests } of steps) {
          now += stepMs
          for (let i = 0; i < requests; i += 1) {
            assert(consume(counter, limits, now).retryAfterS * 1000 <= longestWaitMs(limits) + 999)
          }
        }
      }),
    )
  })
})
