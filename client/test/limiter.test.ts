/**
 * Limiters against a service in virtual time that keeps a limit by the minute and by the day as the interface's does,
 * while requests and answers overtake one another and some answers are lost.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { runs } from '../../test/support/draws.ts'
import { retryAfterMs, serviceMs } from '../src/backoff.ts'
import { Limiter, type RateLimit, type Turn } from '../src/limiter.ts'
import { leapingClock } from './support/client.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MAX_WAIT_MS = 90_000

interface World {
  readonly perMinute: number
  readonly perDay: number
  readonly startMs: number
  /** How far the client's clock is ahead of the service's. */
  readonly aheadMs: number
  /** When each call is made, counted from the start. */
  readonly callsMs: readonly number[]
  /** Of each request in turn: its way there and back, in milliseconds, and whether the answer is lost. */
  readonly ways: readonly { readonly thereMs: number; readonly backMs: number; readonly isLost: boolean }[]
  /** So many programs make the calls in turn, each knowing only its own responses. */
  readonly programs: number
}

const world = {
  perMinute: fc.integer({ min: 1, max: 40 }),
  perDay: fc.integer({ min: 1, max: 120 }),
  startMs: fc.integer({ min: Date.UTC(2030, 0, 1), max: Date.UTC(2030, 0, 2) }),
  aheadMs: fc.constantFrom(0, 5_000, -5_000, 3_600_000, -3_600_000),
  callsMs: fc.array(fc.constantFrom(0, 0, 0, 1, 20, 1_000, 59_000, 61_000), { minLength: 1, maxLength: 150 }),
  ways: fc.array(
    fc.record({
      thereMs: fc.integer({ min: 0, max: 2_000 }),
      backMs: fc.integer({ min: 0, max: 2_000 }),
      isLost: fc.boolean(),
    }),
    { minLength: 1, maxLength: 20 },
  ),
  programs: fc.constant(1),
}

/**
 * What happened to all calls: refusals that were seen, by the minute in which they were made, and how many calls ended
 * how.
 */
async function live(world: World) {
  const time = leapingClock(world.startMs)
  const options = { maxWait: MAX_WAIT_MS, clock: time, random: () => 0.5 }
  const limiters = Array.from({ length: world.programs }, () => new Limiter(options))
  const counts = new Map<string, number>()
  const refusals = new Map<number, number>()
  const ended = { served: 0, unsent: 0, refused: 0 }
  let sent = 0

  /** Counts the request in both windows, or in neither, and says what the headers of the answer do. */
  const serve = (): { isRefused: boolean; rateLimit: RateLimit; date: string; retryAfterS: number } => {
    const serviceMs = time.now() - world.aheadMs
    const windows = [
      { limit: world.perMinute, lengthMs: MINUTE_MS },
      { limit: world.perDay, lengthMs: DAY_MS },
    ].map(({ limit, lengthMs }) => {
      const id = `${lengthMs} ${Math.floor(serviceMs / lengthMs)}`
      return { id, limit, used: counts.get(id) ?? 0, resetMs: (Math.floor(serviceMs / lengthMs) + 1) * lengthMs }
    })
    const isRefused = windows.some(({ limit, used }) => used >= limit)
    if (!isRefused) for (const { id, used } of windows) counts.set(id, used + 1)
    const left = windows.map(({ limit, used, resetMs }) => ({
      limit,
      resetMs,
      left: limit - used - (isRefused ? 0 : 1),
    }))
    const [first] = left.toSorted((a, b) => a.left - b.left || b.resetMs - a.resetMs)
    assert(first !== undefined)
    return {
      isRefused,
      rateLimit: { limit: first.limit, remaining: Math.max(0, first.left), reset: new Date(first.resetMs) },
      date: new Date(serviceMs).toUTCString(),
      retryAfterS: Math.max(1, Math.ceil((first.resetMs - serviceMs) / 1000)),
    }
  }

  const exchange = (limiter: Limiter, turn: Turn, done: (isRefused: boolean) => void) => {
    const way = world.ways[sent++ % world.ways.length]
    assert(way !== undefined)
    time.after(way.thereMs, () => {
      const { isRefused, rateLimit, date, retryAfterS } = serve()
      time.after(way.backMs, () => {
        if (way.isLost) limiter.end(turn)
        else {
          const minute = Math.floor((time.now() - way.backMs - world.aheadMs) / MINUTE_MS)
          if (isRefused) refusals.set(minute, (refusals.get(minute) ?? 0) + 1)
          const askedMs = retryAfterMs(`${retryAfterS}`, time.now())
          const refusal = isRefused ? { askedMs } : undefined
          limiter.end(turn, { rateLimit, serviceMs: serviceMs(date, time.now()), refusal })
        }
        done(isRefused && !way.isLost)
      })
    })
  }

  const call = async (limiter: Limiter): Promise<void> => {
    const turn = await limiter.take(undefined)
    if ('blockedMs' in turn) ended.unsent += 1
    else {
      exchange(limiter, turn, (isRefused) => {
        if (!isRefused) ended.served += 1
        else if (limiter.blockedMs > MAX_WAIT_MS) ended.refused += 1
        else void call(limiter)
      })
    }
  }
  for (const [index, ms] of world.callsMs.entries()) {
    const limiter = limiters[index % limiters.length]
    assert(limiter !== undefined)
    time.after(ms, () => void call(limiter))
  }
  do await nextTurn()
  while (time.timers() > 0)
  return { refusals, ended }
}

describe('a limiter', () => {
  it('lets at most one request a minute be refused, and ends every call (R16, R17, O11)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record(world), async (world) => {
        const { refusals, ended } = await live(world)
        for (const [minute, count] of refusals) assert(count <= 1, `${count} refusals in minute ${minute}`)
        assert.equal(ended.served + ended.unsent + ended.refused, world.callsMs.length)
      }),
      { numRuns: runs(500) },
    )
  })

  it('lets fewer than ten requests a minute of four programs with one key be refused (R16, R17, O15)', async () => {
    const four = fc.record({
      ...world,
      perMinute: fc.constantFrom(30, 60, 300),
      perDay: fc.constant(10_000),
      callsMs: fc.array(fc.constantFrom(0, 0, 0, 1, 1_000), { minLength: 240, maxLength: 240 }),
      programs: fc.constant(4),
    })
    await fc.assert(
      fc.asyncProperty(four, async (world) => {
        const { refusals, ended } = await live(world)
        for (const [minute, count] of refusals) assert(count < 10, `${count} refusals in minute ${minute}`)
        assert.equal(ended.served + ended.unsent + ended.refused, world.callsMs.length)
      }),
      { numRuns: runs(50) },
    )
  })
})
