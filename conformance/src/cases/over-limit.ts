/** Exhausts a second key, with few requests after a 429, which might cause a ban (R17). */
import { expectNotStored, requestOf } from '../animals.ts'
import type { Case } from '../case.ts'
import { expectStatus, outcome } from '../expect.ts'
import { isPlausible, type LimitHeaders, msToReset, readLimitHeaders, retryAfterMs } from '../http/limit-headers.ts'
import { listPets, poolOf, type Request, WITH_LIMITED_KEY } from '../http/request.ts'
import { type Exchange, header } from '../http/transport.ts'
import { EACH_OPERATION } from '../interface.ts'
import type { Kit } from '../kit.ts'
import { LONGEST_WAIT_MS } from '../pacing.ts'
import { NotRun, Unasked, Violation } from '../verdicts.ts'

/** A key with more left is not exhausted: that would be a load test. */
const MOST_TO_DRAIN = 300
/** The pause before the first refusal, in which a sliding Reset would move. */
const PAUSE_MS = 3_000
const SECOND_MS = 1_000
/** Reset and Retry-After are whole seconds. */
const ROUNDING_MS = 2_000
const BRIEF_LIST = listPets('?limit=1', WITH_LIMITED_KEY)
const RESET = 'the limit reset when X-RateLimit-Reset said'

const limitsOf = (exchange: Exchange | undefined): LimitHeaders | undefined =>
  exchange && readLimitHeaders(exchange.answer)

interface Drained {
  readonly served: readonly Exchange[]
  readonly refusal: Exchange
}

/** Throws a Violation if the key is served beyond its limit, NotRun if the limit is too high. */
async function drain(kit: Kit): Promise<Drained> {
  const served: Exchange[] = []
  for (let hasPaused = false; served.length <= MOST_TO_DRAIN; ) {
    const last = served.at(-1)
    const { remaining, resetS } = limitsOf(last) ?? {}
    if ((remaining ?? 0) > MOST_TO_DRAIN) break
    if (remaining === 0 && !hasPaused && last !== undefined && (msToReset(last) ?? 0) > 2 * PAUSE_MS) {
      hasPaused = true
      await kit.wait(PAUSE_MS)
    }
    const exchange = await kit.send(BRIEF_LIST)
    expectStatus(exchange, 'R16', 200, 429)
    if (exchange.answer.status === 429) return { served, refusal: exchange }
    served.push(exchange)
    const first = limitsOf(served[0])
    const isPastZero = remaining === 0 && limitsOf(exchange)?.resetS === resetS
    // Twice the limit, because a quota might refill gradually.
    const isPastLimit = first && served.length > 2 * first.limit && kit.clock() < first.resetS * 1000
    if (isPastZero || isPastLimit)
      throw new Violation('R16', exchange, '429, for nothing remained', 'status 200', 'served over the limit')
  }
  throw new NotRun(`the limited key allows more than ${MOST_TO_DRAIN} requests; give one with fewer`)
}

/** Whether a 429 describes the window that blocks, which is open (O11): its reset must fit the wait. */
function describesBlocking(refusal: Exchange): boolean {
  const [waitMs, toResetMs] = [retryAfterMs(refusal), msToReset(refusal)]
  if (limitsOf(refusal)?.remaining === 0 || waitMs === undefined || toResetMs === undefined) return true
  return Math.abs(waitMs - toResetMs) <= ROUNDING_MS
}

/** Throws Unasked unless both answers describe the window that blocks. */
function assertSameWindow(refusal: Exchange, other: Exchange | undefined): void {
  if (!describesBlocking(refusal) || limitsOf(refusal)?.limit !== limitsOf(other)?.limit)
    throw new Unasked('an answer describes another window than the one that blocks')
}

/** The response over the limit. If the window ended in between, the key is exhausted again. */
async function overLimit(kit: Kit, request: Request): Promise<Exchange> {
  const { refusal } = await kit.once(drain)
  const exchange = await kit.send(request)
  const mustHold =
    limitsOf(exchange)?.resetS === limitsOf(refusal)?.resetS &&
    kit.clock() < refusal.atMs + (retryAfterMs(refusal) ?? Infinity)
  if (exchange.answer.status === 429 || mustHold) return exchange
  await drain(kit)
  return kit.send(request)
}

async function waitUntil(kit: Kit, atMs: number): Promise<void> {
  const ms = atMs - kit.clock()
  if (ms > LONGEST_WAIT_MS) throw new Unasked(`that lies ${Math.round(ms / 1000)} s ahead, too far to wait for`)
  if (ms > 0) await kit.wait(ms)
}

async function afterWait(kit: Kit): Promise<Exchange> {
  const { refusal } = await kit.once(drain)
  await waitUntil(kit, refusal.atMs + (retryAfterMs(refusal) ?? Infinity))
  return kit.send(BRIEF_LIST)
}

export function expectRetryAfter(refusal: Exchange): number {
  const value = header(refusal.answer, 'Retry-After')
  const ms = retryAfterMs(refusal)
  if (value === undefined) throw new Violation('R16', refusal, 'a Retry-After', 'none')
  const expected = 'a Retry-After in seconds or as an HTTP date ahead'
  if (ms === undefined || !isPlausible((refusal.atMs + ms) / 1000, refusal))
    throw new Violation('R16', refusal, expected, `Retry-After: ${value}`, 'Retry-After is not a wait')
  const isInMs = ms > LONGEST_WAIT_MS && Math.abs(ms / 1000 - (msToReset(refusal) ?? 0)) < ROUNDING_MS
  if (isInMs) throw new Violation('R16', refusal, expected, `${value}, which looks like milliseconds`)
  return ms
}

const limitCases: readonly Case[] = [
  {
    id: 'over-limit',
    title: 'A request over the limit is answered with 429',
    cites: ['R16'],
    run: async (kit) => {
      const limits = limitsOf((await kit.once(drain)).served.at(-1))
      return limits && `Last answer before a 429: ${limits.remaining} of ${limits.limit} remaining.`
    },
  },
  {
    id: 'remaining-is-served',
    title: 'Remaining requests are served before a 429 of the same window',
    cites: ['R15', 'R16', 'O11'],
    run: async (kit) => {
      const { served, refusal } = await kit.once(drain)
      assertSameWindow(refusal, served.at(-1))
      const ofWindow = served.filter((exchange) => limitsOf(exchange)?.resetS === limitsOf(refusal)?.resetS)
      for (const [i, exchange] of ofWindow.entries()) {
        const promised = limitsOf(exchange)?.remaining
        const followed = ofWindow.length - i - 1
        if (followed === promised) continue
        const came = `${followed}, then 429`
        throw new Violation('R15', exchange, `${promised} more requests served`, came, 'Remaining is wrong')
      }
      const [before, at] = [served.at(-1), refusal].map((exchange) => limitsOf(exchange)?.remaining)
      if (before === 0 && at !== 0) throw new Violation('R15', refusal, 'Remaining 0', `Remaining ${at}`)
    },
  },
  {
    id: 'reset-stays',
    title: 'A request that is refused does not move the Reset',
    cites: ['R15', 'R16', 'O12'],
    run: async (kit) => {
      const { served, refusal } = await kit.once(drain)
      const last = served.at(-1)
      assertSameWindow(refusal, last)
      const elapsedMs = refusal.atMs - (last?.atMs ?? refusal.atMs)
      const movedMs = ((limitsOf(refusal)?.resetS ?? 0) - (limitsOf(last)?.resetS ?? 0)) * 1000
      // A ban might move it too (R17), but not by exactly the elapsed time.
      if (elapsedMs >= PAUSE_MS && movedMs >= PAUSE_MS - SECOND_MS && movedMs <= elapsedMs + SECOND_MS)
        throw new Violation('R15', refusal, 'the Reset of the previous response', `a Reset ${movedMs / 1000} s later`)
    },
  },
  {
    id: 'retry-after',
    title: 'A 429 has a Retry-After in seconds or as an HTTP date, not in milliseconds or as a Unix time',
    cites: ['R16', 'O11'],
    run: async (kit) => {
      const { refusal } = await kit.once(drain)
      const seconds = [expectRetryAfter(refusal), msToReset(refusal) ?? 0].map((ms) => Math.round(ms / 1000))
      return `Retry-After and reset of a 429: ${seconds.join(' and ')} s ahead.`
    },
  },
  {
    id: 'retry-after-suffices',
    title: 'The next request after the wait of Retry-After is served',
    cites: ['R16', 'R15'],
    restsOn: ['retry-after', 'reset-stays'],
    run: async (kit) => {
      const exchange = await kit.once(afterWait)
      const expected = 'the key served after the Retry-After of the 429 before'
      if (exchange.answer.status === 429) throw new Violation('R16', exchange, expected, 'status 429 once more')
    },
  },
  {
    id: 'reset-is-true',
    title: 'The limit resets when X-RateLimit-Reset of a 429 said, not earlier and not later',
    cites: ['R15', 'O13'],
    restsOn: ['retry-after-suffices'],
    run: async (kit) => {
      const { refusal } = await kit.once(drain)
      const exchange = await kit.once(afterWait)
      assertSameWindow(refusal, exchange)
      const { limit = 0, remaining = 0 } = limitsOf(exchange) ?? {}
      const resetMs = refusal.atMs + (msToReset(refusal) ?? 0)
      const earlyMs = resetMs - exchange.atMs
      // A quota that refills gradually has little left by then.
      if (limit > 2 && remaining >= limit - 1 && earlyMs > ROUNDING_MS)
        throw new Violation('R15', refusal, RESET, `the whole limit ${Math.round(earlyMs / 1000)} s before`)
      await waitUntil(kit, resetMs + SECOND_MS)
      const later = await kit.send(BRIEF_LIST)
      if (later.answer.status === 429) throw new Violation('R15', later, RESET, 'status 429 once more')
    },
  },
]

const REFUSED = 'over'

const refusedCases: readonly Case[] = [
  ...EACH_OPERATION.map(
    ({ name, id, asking, needs }): Case => ({
      id: `over-limit-${id}`,
      title: `${asking} over the limit is answered with 429, and so is HEAD if it is a GET`,
      cites: ['R16'],
      needs: needs === undefined ? [] : [needs],
      run: async (kit) => {
        const request = await requestOf(kit, name, WITH_LIMITED_KEY, REFUSED)
        expectStatus(await overLimit(kit, request), 'R16', 429)
        // Whether HEAD exists is open (O23).
        if (request.method === 'GET')
          expectStatus(await overLimit(kit, { ...request, method: 'HEAD' }), 'R16', 429, 405, 501)
      },
    }),
  ),
  {
    id: 'over-limit-other-key',
    title: 'Another key, of which requests remain, is served while one is over its limit',
    cites: ['R15', 'R16', 'O10'],
    run: async (kit) => {
      await overLimit(kit, BRIEF_LIST)
      const latest = kit.exchanges.findLast(({ request }) => poolOf(request) === 'key')
      if ((limitsOf(latest)?.remaining ?? 0) < 2) throw new Unasked('nothing remains of the other key')
      const exchange = await kit.sendOnce(listPets('?limit=1'))
      if (exchange.answer.status === 429) throw new Violation('R15', exchange, 'the other key served', 'status 429')
    },
  },
  {
    id: 'over-limit-not-stored',
    title: 'An animal that was refused with 429 is not stored',
    cites: ['R16'],
    restsOn: ['over-limit-create', 'list-as-created', 'filter-pending'],
    run: (kit) => expectNotStored(kit, REFUSED, 'R16'),
  },
  {
    id: 'over-limit-ban',
    title: 'Whether the refusals of this run caused a ban',
    cites: ['R17', 'O15'],
    run: async (kit) => {
      const latest = await overLimit(kit, BRIEF_LIST)
      const refusals = kit.exchanges.filter(
        ({ request, answer }) => answer.status === 429 && poolOf(request) === 'limited key',
      )
      // Refusals of one window report one Reset. Another Reset belongs to a ban.
      const resets = refusals.map((each) => (limitsOf(each)?.resetS ?? 0) * 1000).filter((ms) => ms > kit.clock())
      const isBan = Math.max(...resets) - Math.min(...resets) > ROUNDING_MS
      return `A key after ${refusals.length} refusals: ${outcome(latest, 'Retry-After')}, ${isBan ? 'which looks like a ban' : 'no ban'}.`
    },
  },
]

export const overLimitCases = [...limitCases, ...refusedCases].map(
  ({ needs = [], restsOn = [], ...each }): Case => ({
    ...each,
    needs: ['limited key', ...needs],
    restsOn: each.id === 'over-limit' ? ['list'] : ['over-limit', ...restsOn],
  }),
)
