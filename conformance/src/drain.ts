/**
 * Using up the limited key: how it came to its limit, told answer by answer, so that what the limit headers promised
 * can be held against what followed.
 */

import { type LimitHeaders, msToReset, readLimitHeaders } from './http/limit-headers.ts'
import { type HttpRequest, listPets, WITH_LIMITED_KEY } from './http/request.ts'
import { retryAfterMs } from './http/retry-after.ts'
import type { Exchange } from './http/transport.ts'
import type { Kit } from './kit.ts'
import { NotRun, Violation } from './verdicts.ts'

/** A key with more left than this is not exhausted: it would be a load test. */
const MOST_REQUESTS = 2_500
/** Sent at once while there is plenty left; the last requests go one by one, so that the end is seen exactly. */
const BURST = 16
const ONE_BY_ONE = 64
/** How often a window may end in between before it is no accident. */
const ATTEMPTS = 3

export const briefList = listPets('?limit=1', WITH_LIMITED_KEY)

interface Drained {
  /** The answers that were served, in order; those of a burst by what they said remained. */
  readonly served: readonly Exchange[]
  readonly refusal: Exchange
}

/**
 * Uses up the limited key. Throws a Violation when it goes on being served beyond the limit that its answers state,
 * and NotRun when it cannot be exhausted within reason.
 */
export async function drain(kit: Kit): Promise<Drained> {
  const served: Exchange[] = []
  for (;;) {
    const latest = readLimits(served.at(-1))
    const left = latest?.remaining ?? 0
    if (left > MOST_REQUESTS)
      throw new NotRun(`the limited key has ${left} requests left; give one with fewer to use up`)
    if (served.length > MOST_REQUESTS) throw new NotRun(`${MOST_REQUESTS} requests brought no 429`)
    const burst = await Promise.all(Array.from({ length: left > ONE_BY_ONE ? BURST : 1 }, () => kit.send(briefList)))
    const refusal = burst.find(({ answer }) => answer.status === 429)
    const other = burst.find(({ answer }) => answer.status !== 200 && answer.status !== 429)
    if (other !== undefined) {
      const { status } = other.answer
      // A list that is always answered so is a finding of its own.
      const cause = { cause: `status 200|${status}` }
      throw new Violation('R16', other, 'status 200, or 429 over the limit', `status ${status}`, cause)
    }
    const answered = burst.filter(({ answer }) => answer.status === 200)
    served.push(...answered.sort((a, b) => (readLimits(b)?.remaining ?? 0) - (readLimits(a)?.remaining ?? 0)))
    if (refusal !== undefined) return { served, refusal }
    expectEnd(kit, served, latest)
  }
}

function expectEnd(kit: Kit, served: readonly Exchange[], before: LimitHeaders | undefined): void {
  const last = served.at(-1)
  const said = readLimits(last)
  if (last === undefined) return
  const cause = { cause: 'served over the limit' }
  if (before?.remaining === 0 && said?.resetS === before.resetS) {
    throw new Violation('R16', last, '429, for nothing remained in this window', 'status 200', cause)
  }
  // Twice the limit, because an allowance may come back little by little before it is whole again.
  const first = readLimits(served[0])
  if (first !== undefined && served.length > 2 * first.limit && kit.clock() < first.resetS * 1000) {
    const expected = `429 long before ${served.length} requests, with a limit of ${first.limit}`
    throw new Violation('R16', last, expected, 'status 200', cause)
  }
}

export function readLimits(exchange: Exchange | undefined): LimitHeaders | undefined {
  return exchange === undefined ? undefined : readLimitHeaders(exchange.answer)
}

/** A Reset has whole seconds, and so has a Retry-After. */
const ROUNDING_MS = 2_000

/**
 * Whether a 429 describes the window that blocks. Which one the headers describe is open (O11); one that has something
 * left, and ends at another time than the wait that the 429 tells, is not what the key was refused for.
 */
export function describesBlocking(refusal: Exchange): boolean {
  const waitMs = retryAfterMs(refusal.answer, refusal.atMs)
  const toResetMs = msToReset(refusal)
  if (readLimits(refusal)?.remaining === 0 || waitMs === undefined || toResetMs === undefined) return true
  return Math.abs(waitMs - toResetMs) <= ROUNDING_MS
}

/** Whether a refusal must still hold: neither the wait that it told is over, nor the window that it described. */
function mustHold(kit: Kit, refusal: Exchange, later: Exchange): boolean {
  const waitMs = retryAfterMs(refusal.answer, refusal.atMs) ?? Infinity
  return readLimits(later)?.resetS === readLimits(refusal)?.resetS && kit.clock() < refusal.atMs + waitMs
}

export function isSameWindow(a: LimitHeaders | undefined, b: LimitHeaders | undefined): boolean {
  return a !== undefined && a.resetS === b?.resetS && a.limit === b.limit
}

/**
 * What `request` is answered when the limited key is over its limit. A window may end in between, and then the key is
 * used up again; that it should end so every time is no accident, and the answer stands.
 */
export async function overLimit(kit: Kit, request: HttpRequest): Promise<Exchange> {
  let { refusal } = await kit.once(drain)
  for (let attempt = 1; ; attempt += 1) {
    const exchange = await kit.send(request)
    const isOver = exchange.answer.status === 429
    if (isOver || mustHold(kit, refusal, exchange) || attempt === ATTEMPTS) return exchange
    refusal = (await drain(kit)).refusal
  }
}
