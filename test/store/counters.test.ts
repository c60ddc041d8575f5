/** What every engine of counters guarantees, compared with the arithmetic of src/contract/limits.ts on one clock. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { type Counter, consume, type Limits, newCounter, peek } from '../../src/contract/limits.ts'
import { clockAt } from '../support/time/clock.ts'
import { type AnyCounters, countersEngines } from './engines.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const NOON_MS = Date.UTC(2026, 10, 21, 12)

const BAN = { refusals: 3, withinMs: 90_000, forMs: 150_000 }
const FREE: Limits = { perMinute: 60, perDay: 1_000, ban: undefined }

/** Small numbers, so that every edge is reached soon. */
const LIMITS: readonly Limits[] = [
  { perMinute: 3, perDay: 7, ban: undefined },
  { perMinute: 5, perDay: 5, ban: undefined },
  { perMinute: 4, perDay: undefined, ban: undefined },
  { perMinute: 2, perDay: 6, ban: BAN },
  { perMinute: 2, perDay: 3, ban: { refusals: 1, withinMs: 1_000, forMs: 2 * DAY_MS } },
  { perMinute: 2, perDay: undefined, ban: BAN },
]

const step = fc.record({
  advanceMs: fc.oneof(
    fc.nat(2_000),
    fc.nat(2 * MINUTE_MS),
    fc.constantFrom(0, 1, MINUTE_MS - 1, MINUTE_MS, BAN.withinMs, BAN.forMs, DAY_MS - 1, DAY_MS),
    // Clocks step back too, and once in a while they are a year off.
    fc.integer({ min: -2 * MINUTE_MS, max: 0 }),
    fc.constantFrom(-MINUTE_MS, -DAY_MS, -DAY_MS - 1, -3 * DAY_MS, 365 * DAY_MS, -365 * DAY_MS),
  ),
  subject: fc.constantFrom('a', 'b', 'ключ {1}'),
  limits: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, fc.constantFrom(...LIMITS)),
  together: fc.integer({ min: 1, max: 9 }),
  look: fc.boolean(),
})

let subjects = 0
function newSubject(): string {
  subjects += 1
  return `subject ${subjects}`
}

for (const engine of countersEngines) {
  describe(`counters in ${engine.name}`, { concurrency: false, ...engine.needed }, () => {
    let running: Awaited<ReturnType<typeof engine.start>>
    let nowMs = NOON_MS
    const clock = clockAt(() => nowMs)
    let counters: AnyCounters

    before(async () => {
      running = await engine.start()
      counters = await running.open(clock)
    })
    after(async () => {
      await counters.close()
      await running.stop()
    })

    it('every verdict is that of the arithmetic, for any requests in any order (R14-R17, O11-O15)', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...LIMITS),
          fc.array(step, { minLength: 1, maxLength: 25 }),
          async (usual, steps) => {
            const run = newSubject()
            const counterOf = new Map<string, Counter>()
            nowMs = NOON_MS
            for (const { advanceMs, subject, limits = usual, together, look } of steps) {
              nowMs += advanceMs
              const counter = counterOf.get(subject) ?? newCounter()
              counterOf.set(subject, counter)
              const asked = Array.from({ length: together }, () => counters.consume(`${run} ${subject}`, limits))
              const expected = asked.map(() => consume(counter, limits, nowMs))
              assert.deepEqual(await Promise.all(asked), expected)
              if (look) assert.deepEqual(await counters.peek(`${run} ${subject}`, limits), peek(counter, limits, nowMs))
            }
          },
        ),
        { numRuns: 60 },
      )
    })

    it('lifting a ban ends it immediately, and keeps the used requests and other bans (R17)', async () => {
      const limits = { perMinute: 1, perDay: 100, ban: { ...BAN, refusals: 2 } }
      const subject = newSubject()
      nowMs = NOON_MS
      const ask = async (times: number) => {
        let verdict = await counters.consume(subject, limits)
        for (let n = 1; n < times; n += 1) verdict = await counters.consume(subject, limits)
        return verdict
      }
      const { bannedUntilMs } = await ask(3)
      assert.equal(bannedUntilMs, NOON_MS + BAN.forMs)
      await counters.unban(subject, NOON_MS + BAN.forMs - 1)
      assert.equal((await ask(1)).bannedUntilMs, bannedUntilMs, 'of another ban')
      await counters.unban(subject, NOON_MS + BAN.forMs)
      await counters.unban(newSubject(), NOON_MS + BAN.forMs)
      const { banned, minuteUsed, remaining } = await counters.peek(subject, limits)
      assert.deepEqual([banned, minuteUsed, remaining], [false, 1, 0])
      const after = await ask(1)
      assert.deepEqual([after.admitted, after.bannedUntilMs, after.retryAfterS], [false, undefined, 60])
      nowMs += MINUTE_MS
      assert((await ask(1)).admitted)
    })

    it('numbers as large as an operator may choose stay exact', async () => {
      const subject = newSubject()
      nowMs = NOON_MS
      const most = Number.MAX_SAFE_INTEGER
      const limits = { perMinute: most, perDay: most, ban: undefined }
      await counters.consume(subject, limits)
      const { limit, remaining, resetS } = await counters.consume(subject, limits)
      assert.deepEqual({ limit, remaining, resetS }, { limit: most, remaining: most - 2, resetS: 1_795_305_600 })
      assert.partialDeepStrictEqual(await counters.peek(subject, limits), { minuteUsed: 2, dayUsed: 2, banned: false })
    })

    if (!engine.shared) return

    it('three busy nodes together admit exactly the limit of a minute (R14-R16)', async () => {
      const subject = newSubject()
      nowMs = NOON_MS
      const nodes = await Promise.all([running.open(clock), running.open(clock), running.open(clock)])
      const waves = Array.from({ length: 20 }, async () =>
        Promise.all(nodes.flatMap((node) => Array.from({ length: 5 }, () => node.consume(subject, FREE)))),
      )
      const verdicts = (await Promise.all(waves)).flat()
      const admitted = verdicts.filter((verdict) => verdict.admitted)
      assert.equal(admitted.length, 60)
      assert.deepEqual(
        admitted.map(({ remaining }) => remaining).sort((a, b) => a - b),
        Array.from({ length: 60 }, (_, remaining) => remaining),
      )
      assert.equal((await nodes[1]?.peek(subject, { ...FREE, perMinute: 1_000 }))?.remaining, 940)
      await Promise.all(nodes.map((node) => node.close()))
    })

    it('nodes that ask for the same subjects in opposite orders do not deadlock', async () => {
      nowMs = NOON_MS
      const names = Array.from({ length: 30 }, newSubject)
      const nodes = await Promise.all([running.open(clock), running.open(clock)])
      for (let round = 0; round < 10; round += 1) {
        await Promise.all([
          ...names.map((name) => nodes[0]?.consume(name, FREE)),
          ...names.toReversed().map((name) => nodes[1]?.consume(name, FREE)),
        ])
      }
      for (const name of names) assert.equal((await counters.peek(name, FREE)).remaining, 40)
      await Promise.all(nodes.map((node) => node.close()))
    })
  })
}
