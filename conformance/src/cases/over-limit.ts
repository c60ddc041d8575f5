/**
 * Section 8, over the limit: exhausts a key and compares each answer with what the limit headers and Retry-After
 * promised. Only a second key, given for the purpose, is exhausted. Sending on after a 429 may bring a ban (R17), so
 * refusals are few, and those that the waiting cases do not need come last.
 */
import { type CaseInSection, inSection, requirement } from '../case.ts'
import { expectJsonType, expectLimitHeaders, expectStatus } from '../expect.ts'
import { requestOf, storedNames } from '../fixtures.ts'
import { header } from '../http/answer.ts'
import { isPlausible, type LimitHeaders, msToReset, readLimitHeaders, retryAfterMs } from '../http/limit-headers.ts'
import { type HttpRequest, LIMITED_KEY, listPets, WITH_LIMITED_KEY } from '../http/request.ts'
import type { Exchange } from '../http/transport.ts'
import { EACH_OPERATION } from '../interface.ts'
import { membersOf, tryJson } from '../json-body.ts'
import type { Kit } from '../kit.ts'
import { LONGEST_WAIT_MS } from '../pacing.ts'
import { NotRun, Unasked, Violation } from '../verdicts.ts'

/** A key with more left than this is not exhausted: it would be a load test. */
const MOST_TO_DRAIN = 2_500
/** Requests sent at once while many remain. The last ones go one by one, so that the end is seen exactly. */
const BURST = 16
const ONE_BY_ONE = 64
/** After this many attempts, a window that ends in between is no accident. */
const ATTEMPTS = 3

export const briefList = listPets('?limit=1', WITH_LIMITED_KEY)

interface Drained {
  /** The answers with 200, in order; those of a burst are ordered by their Remaining. */
  readonly served: readonly Exchange[]
  readonly refusal: Exchange
}

/** Exhausts the limited key. Throws a Violation if it is served beyond its limit, NotRun if the limit is too high. */
export async function drain(kit: Kit): Promise<Drained> {
  const served: Exchange[] = []
  for (;;) {
    const latest = readLimits(served.at(-1))
    const remaining = latest?.remaining ?? 0
    if (remaining > MOST_TO_DRAIN)
      throw new NotRun(`the limited key has ${remaining} requests left; give one with fewer to use up`)
    if (served.length > MOST_TO_DRAIN) throw new NotRun(`${MOST_TO_DRAIN} requests brought no 429`)
    const burst = await Promise.all(
      Array.from({ length: remaining > ONE_BY_ONE ? BURST : 1 }, () => kit.send(briefList)),
    )
    const refusal = burst.find(({ answer }) => answer.status === 429)
    const other = burst.find(({ answer }) => answer.status !== 200 && answer.status !== 429)
    if (other !== undefined) {
      const { status } = other.answer
      // The cause that the list cases give this status, so that both are one finding.
      const cause = `status 200|${status}`
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
  const limits = readLimits(last)
  if (last === undefined) return
  const cause = 'served over the limit'
  if (before?.remaining === 0 && limits?.resetS === before.resetS) {
    throw new Violation('R16', last, '429, for nothing remained in this window', 'status 200', cause)
  }
  // Twice the limit, because a quota may refill gradually.
  const first = readLimits(served[0])
  if (first !== undefined && served.length > 2 * first.limit && kit.clock() < first.resetS * 1000) {
    const expected = `429 long before ${served.length} requests, with a limit of ${first.limit}`
    throw new Violation('R16', last, expected, 'status 200', cause)
  }
}

export function readLimits(exchange: Exchange | undefined): LimitHeaders | undefined {
  return exchange === undefined ? undefined : readLimitHeaders(exchange.answer)
}

/** Reset and Retry-After are both in whole seconds. */
const ROUNDING_MS = 2_000

/**
 * Whether a 429 describes the window that blocks. Which one the headers describe is open (O11). If the described window
 * has requests left and ends at another time than the wait, the key was not refused because of it.
 */
function describesBlocking(refusal: Exchange): boolean {
  const waitMs = retryAfterMs(refusal.answer, refusal.atMs)
  const toResetMs = msToReset(refusal)
  if (readLimits(refusal)?.remaining === 0 || waitMs === undefined || toResetMs === undefined) return true
  return Math.abs(waitMs - toResetMs) <= ROUNDING_MS
}

/** Whether a refusal must still hold: neither its wait nor the window that it described is over. */
function mustHold(kit: Kit, refusal: Exchange, later: Exchange): boolean {
  const waitMs = retryAfterMs(refusal.answer, refusal.atMs) ?? Infinity
  return readLimits(later)?.resetS === readLimits(refusal)?.resetS && kit.clock() < refusal.atMs + waitMs
}

function isSameWindow(a: LimitHeaders | undefined, b: LimitHeaders | undefined): boolean {
  return a !== undefined && a.resetS === b?.resetS && a.limit === b.limit
}

/**
 * The answer to `request` while the limited key is over its limit. If a window ends in between, the key is exhausted
 * again. If that happens every time it is no accident, and the answer stands.
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

/** Which window is described is open (O11), and what is said of one proves nothing about another. */
const OTHER_WINDOW = 'an answer describes another window than that which blocks'

/** The label of an animal that is sent over the limit. */
const REFUSED = 'over limit'

/** What nearly all of these cases need and rest on. */
const OVER_LIMIT: Pick<CaseInSection, 'needs' | 'restsOn'> = { needs: ['limited key'], restsOn: ['over-limit-429'] }

const toldCases: readonly CaseInSection[] = [
  requirement(
    { id: 'over-limit-429', cites: ['R16', 'O11'] },
    'A request over the limit is answered with 429',
    async (kit) => {
      const limits = readLimits((await kit.once(drain)).served.at(-1))
      return limits === undefined
        ? undefined
        : `Last answer before a 429: ${limits.remaining} of ${limits.limit} remaining.`
    },
  ),
  requirement({ id: 'over-limit-headers', cites: ['R15', 'R16'] }, 'A 429 carries the limit headers', async (kit) => {
    expectLimitHeaders((await kit.once(drain)).refusal)
  }),
  requirement(
    { id: 'remaining-is-served', cites: ['R15', 'R16'], restsOn: ['over-limit-headers', 'remaining-falls'] },
    'What an answer says remains is served before a 429 of the same window',
    async (kit) => {
      const { served, refusal } = await kit.once(drain)
      const ofWindow = served.filter((exchange) => isSameWindow(readLimits(exchange), readLimits(refusal)))
      if (ofWindow.length === 0 || !describesBlocking(refusal)) throw new Unasked(OTHER_WINDOW)
      for (const [i, exchange] of ofWindow.entries()) {
        const promised = readLimits(exchange)?.remaining
        const followed = ofWindow.length - i - 1
        if (followed === promised) continue
        const expected = `${promised} more requests served, as X-RateLimit-Remaining says`
        const cause = 'Remaining is not what is served'
        throw new Violation('R15', exchange, expected, `${followed} more were served, then 429`, cause)
      }
    },
  ),
  requirement(
    { id: 'over-limit-remaining-0', cites: ['R15', 'R16', 'O11'], restsOn: ['remaining-is-served'] },
    'Once nothing remains, the 429s of the same window say so',
    async (kit) => {
      const { served, refusal } = await kit.once(drain)
      const [before, at] = [readLimits(served.at(-1)), readLimits(refusal)]
      if (at === undefined) throw new NotRun('the 429 does not carry the three limit headers')
      if (!isSameWindow(before, at) || !describesBlocking(refusal)) throw new Unasked(OTHER_WINDOW)
      if (before?.remaining === 0 && at.remaining !== 0) {
        throw new Violation('R15', refusal, 'X-RateLimit-Remaining 0', `X-RateLimit-Remaining ${at.remaining}`)
      }
    },
  ),
  requirement(
    { id: 'retry-after', cites: ['R16', 'O11'] },
    'A 429 has a Retry-After, in seconds or as an HTTP date',
    async (kit) => {
      const { refusal } = await kit.once(drain)
      const value = header(refusal.answer, 'Retry-After')
      if (value === undefined) throw new Violation('R16', refusal, 'a Retry-After', 'none')
      if (retryAfterMs(refusal.answer, refusal.atMs) === undefined) {
        const expected = 'a Retry-After in whole seconds or as an HTTP date'
        throw new Violation('R16', refusal, expected, `Retry-After: ${value}`)
      }
      return `Retry-After of a 429: ${value}.`
    },
  ),
  requirement(
    { id: 'retry-after-is-a-wait', cites: ['R16'], restsOn: ['retry-after'] },
    'The Retry-After of a 429 is a time that can be waited, not a Unix time or milliseconds',
    async (kit) => {
      const { refusal } = await kit.once(drain)
      const ms = retryAfterMs(refusal.answer, refusal.atMs) ?? 0
      const came = `Retry-After: ${header(refusal.answer, 'Retry-After')}, ${Math.round(ms / 1000)} s`
      if (!isPlausible((refusal.atMs + ms) / 1000, refusal))
        throw new Violation('R16', refusal, 'a wait from now to a month', came)
      const toResetMs = msToReset(refusal) ?? 0
      // The seconds to the reset times a thousand: milliseconds were sent for seconds.
      if (
        readLimits(refusal)?.remaining === 0 &&
        toResetMs > 0 &&
        ms > 300_000 &&
        Math.abs(ms / 1000 - toResetMs) < 2_500
      )
        throw new Violation('R16', refusal, 'a wait in seconds', `${came}, which looks like milliseconds`)
    },
  ),
  requirement(
    { id: 'over-limit-body', cites: ['R1', 'O9'] },
    'A body of a 429 is application/json; whether it is an Error is open',
    async (kit) => {
      const { refusal } = await kit.once(drain)
      if (refusal.answer.body.length === 0) return 'Body of a 429: none.'
      expectJsonType(refusal)
      const names = [...(membersOf(tryJson(refusal.answer)?.value)?.keys() ?? [])]
      return `Body of a 429: ${names.length === 0 ? 'no JSON object' : `an object with ${names.join(', ')}`}.`
    },
  ),
]

/** The list itself is what uses up the key. */
const operationCases = EACH_OPERATION.filter(({ name }) => name !== 'listPets').map(
  ({ name, id, asking, needs = [] }): CaseInSection => ({
    id: `over-limit-${id}`,
    title: `${id === 'create' ? 'A creation' : asking} over the limit is answered with 429`,
    cites: ['R16'],
    needs: ['limited key', ...needs],
    restsOn: [`auth-${id}-unknown-key`],
    run: async (kit) =>
      expectStatus(await overLimit(kit, await requestOf(kit, name, WITH_LIMITED_KEY, REFUSED)), 'R16', 429),
  }),
)

const refusalCases: readonly CaseInSection[] = [
  ...operationCases,
  requirement(
    { id: 'over-limit-not-stored', cites: ['R16'], restsOn: ['over-limit-create', 'list', 'filter-pending'] },
    'An animal that was refused with 429 is not stored',
    async (kit) => {
      const name = kit.namePrefix + REFUSED
      const { exchange, names } = await storedNames(kit, 'pending')
      if (names.includes(name))
        throw new Violation('R16', exchange, 'no animal that was refused with 429', `the animal "${name}"`)
    },
  ),
]

/** The cases about the first refusal. */
export const overLimitCases = inSection('8 Over the limit', toldCases, OVER_LIMIT)

/** Run after all cases that wait, because their refusals may bring a ban (R17). */
export const refusedOverLimitCases = inSection('8 Over the limit', refusalCases, OVER_LIMIT)

/** A Reset is in whole seconds, so it may be that much early. */
const SECOND_MS = 1_000

/**
 * A refusal, and the first answer after its wait: that of Retry-After, to the millisecond, or that of Reset if it is
 * earlier. Throws NotRun if the wait is too long.
 */
async function waitedOut(kit: Kit): Promise<{ refusal: Exchange; isByReset: boolean; exchange: Exchange }> {
  const { refusal } = await kit.once(drain)
  const waitMs = retryAfterMs(refusal.answer, refusal.atMs)
  if (refusal.answer.status !== 429 || waitMs === undefined)
    throw new NotRun('the 429 does not say when the key is served again')
  const toResetMs = msToReset(refusal) ?? Infinity
  const isByReset = describesBlocking(refusal) && toResetMs > 0 && toResetMs + SECOND_MS < waitMs
  if (isByReset) await waitForReset(kit, refusal)
  else await waitAtMost(kit, refusal.atMs + waitMs - kit.clock(), 'Retry-After')
  return { refusal, isByReset, exchange: await kit.send(briefList) }
}

/** The first answer after the reset, or after the wait if the headers describe a window that does not block. */
async function afterReset(kit: Kit): Promise<Exchange> {
  const { refusal, exchange } = await kit.once(waitedOut)
  if (!describesBlocking(refusal)) return exchange
  const resetMs = refusal.atMs + (msToReset(refusal) ?? 0)
  if (kit.clock() >= resetMs) return exchange
  await waitForReset(kit, refusal)
  return kit.send(briefList)
}

async function waitForReset(kit: Kit, exchange: Exchange): Promise<void> {
  const toResetMs = msToReset(exchange)
  if (toResetMs === undefined) throw new NotRun('the answer does not say when the limit resets')
  await waitAtMost(kit, exchange.atMs + toResetMs - kit.clock() + SECOND_MS, 'The reset')
}

async function waitAtMost(kit: Kit, ms: number, what: string): Promise<void> {
  if (ms > LONGEST_WAIT_MS) throw new NotRun(`${what} lies ${Math.round(ms / 1000)} s ahead, too far to wait for`)
  await kit.wait(ms)
}

const RESET_EXPECTED = 'the limit reset at the time that X-RateLimit-Reset said'

export const waitCases = inSection(
  '8 Over the limit',
  [
    requirement(
      { id: 'retry-after-suffices', cites: ['R16', 'R15'], restsOn: ['retry-after-is-a-wait', 'over-limit-headers'] },
      'After just the wait that Retry-After tells, the next request is served',
      async (kit) => {
        const { refusal, isByReset, exchange } = await kit.once(waitedOut)
        const isServed = exchange.answer.status !== 429
        const retryAfter = header(refusal.answer, 'Retry-After')
        if (isServed)
          return isByReset ? `Served at the reset, before the Retry-After of ${retryAfter} was over.` : undefined
        // Reset was earlier than Retry-After and was waited for: the limit must have reset then.
        if (isByReset) throw new Violation('R15', exchange, RESET_EXPECTED, 'status 429 once more')
        const expected = `the key served again after ${retryAfter}, the Retry-After of the 429 before`
        throw new Violation('R16', exchange, expected, 'status 429 once more')
      },
    ),
    requirement(
      { id: 'over-limit-reset', cites: ['R15', 'R16', 'O13'], restsOn: ['retry-after-suffices', 'over-limit-headers'] },
      'After the reset the key is served again',
      async (kit) => {
        const exchange = await kit.once(afterReset)
        if (exchange.answer.status === 429) throw new Violation('R15', exchange, RESET_EXPECTED, 'status 429 once more')
        const limits = readLimits(exchange)
        return limits === undefined
          ? undefined
          : `First answer after the reset: ${limits.remaining} of ${limits.limit} remaining.`
      },
    ),
    requirement(
      { id: 'limit-is-served', cites: ['R15'], restsOn: ['over-limit-reset', 'remaining-is-served'] },
      'In a new window as much remains as X-RateLimit-Limit says, less what was asked since',
      async (kit) => {
        const { refusal } = await kit.once(waitedOut)
        let exchange = await kit.once(afterReset)
        for (let attempt = 0; ; attempt += 1) {
          const limits = readLimits(exchange)
          if (limits === undefined) throw new NotRun('an answer does not carry the three limit headers')
          const before = readLimits(refusal)
          if (!describesBlocking(refusal) || limits.limit !== before?.limit) throw new Unasked(OTHER_WINDOW)
          if (limits.remaining >= limits.limit - 1) return
          const expected = `${limits.limit - 1} remaining of the ${limits.limit} in force`
          const came = `${limits.remaining} after the first request`
          if (attempt === 1) throw new Violation('R15', exchange, expected, came, 'the limit is not what is served')
          // Waits a whole window without a request, because a quota may also refill gradually.
          await waitForReset(kit, exchange)
          exchange = await kit.send(briefList)
        }
      },
    ),
  ],
  OVER_LIMIT,
)

/** The burst is sent if at most this many requests remain, and exceeds them by TOO_MANY. */
const MOST_AT_ONCE = 100
const TOO_MANY = 6

/** Sends more requests at once than remain of the limited key; also returns how many remained. */
async function burst(kit: Kit): Promise<{ remaining: number; answers: readonly Exchange[]; elapsedMs: number }> {
  const { refusal } = await kit.once(drain)
  if (!describesBlocking(refusal)) throw new Unasked(OTHER_WINDOW)
  const { remaining, resetS } = readLimits(await kit.send(briefList)) ?? { remaining: 0, resetS: 0 }
  if (remaining === 0 || remaining > MOST_AT_ONCE)
    throw new Unasked(`${remaining} requests are left of the limited key`)
  const sinceMs = kit.clock()
  const answers = await Promise.all(Array.from({ length: remaining + TOO_MANY }, () => kit.send(briefList)))
  const isOver = answers.some(
    (exchange) => (readLimits(exchange)?.resetS ?? 0) > resetS + 1 && exchange.answer.status === 200,
  )
  if (isOver) throw new Unasked('the window ended meanwhile')
  return { remaining, answers, elapsedMs: kit.clock() - sinceMs }
}

/** Other spellings of the same credential. Accepting them is open; if accepted, they must count as the same key. */
const SPELLINGS: readonly HttpRequest[] = [
  { authorization: `Bearer ${LIMITED_KEY}` },
  { Authorization: `bearer ${LIMITED_KEY}` },
  { Authorization: `Bearer  ${LIMITED_KEY}` },
  { Authorization: `BEARER ${LIMITED_KEY} ` },
].map((headers) => listPets('?limit=1', headers))

export const atOnceCases = inSection(
  '8 Over the limit',
  [
    requirement(
      { id: 'over-limit-at-once', cites: ['R16', 'R15'], restsOn: ['limit-is-served'] },
      'Of several requests at once no more are served than remain',
      async (kit) => {
        const { remaining, answers, elapsedMs } = await kit.once(burst)
        const served = answers.filter(({ answer }) => answer.status === 200)
        // A quota may refill gradually meanwhile.
        const most = remaining + 1 + Math.ceil((elapsedMs / 1000) * ((readLimits(served[0])?.limit ?? 0) / 10))
        if (served[most] === undefined) return
        const expected = `${remaining} of ${answers.length} requests at once served, for ${remaining} remained`
        throw new Violation('R16', served[most], expected, `${served.length} served`)
      },
    ),
    requirement(
      { id: 'at-once-headers', cites: ['R15', 'R16'], restsOn: ['over-limit-at-once'] },
      'Each of several answers at once carries the limit headers, and is a list or a 429',
      async (kit) => {
        for (const exchange of (await kit.once(burst)).answers) {
          expectStatus(exchange, 'R16', 429, 200)
          expectLimitHeaders(exchange)
        }
      },
    ),
    requirement(
      { id: 'over-limit-spelling', cites: ['R16'], restsOn: ['over-limit-reset', 'auth-list-without-key'] },
      'Over the limit the key is refused however its header is written',
      async (kit) => {
        for (const request of SPELLINGS) expectStatus(await overLimit(kit, request), 'R16', 429, 401, 400)
      },
    ),
  ],
  OVER_LIMIT,
)
