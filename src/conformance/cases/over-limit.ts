/**
 * Section 8, over the limit: what a key gets that has used up its allowance. Only a second key, given for the purpose,
 * is ever exhausted; and because going on after a 429 may bring a ban (R17), the refusals are few.
 */
import { type Case, inSection, NotRun } from '../case.ts'
import { outcome, withHeaders } from '../describe.ts'
import { expectJsonType, expectLimitHeaders, expectStatus } from '../expect.ts'
import { newPetJson, storedNames, UNUSED_ID } from '../fixtures.ts'
import { membersOf, tryJson } from '../json-body.ts'
import type { Kit } from '../kit.ts'
import { isPlausible, type LimitHeaders, readLimitHeaders } from '../limit-headers.ts'
import { LONGEST_WAIT_MS } from '../pacing.ts'
import { createPet, getPet, type HttpRequest, listPets, WITH_LIMITED_KEY } from '../request.ts'
import { retryAfterMs } from '../retry-after.ts'
import { type Exchange, header } from '../transport.ts'
import { Violation } from '../violation.ts'

/** A key with more left than this is not exhausted: it would be a load test. */
const MOST_REQUESTS = 2_500
/** Sent at once while there is plenty left; the last requests go one by one, so that the end is seen exactly. */
const BURST = 16
const ATTEMPTS = 3

const briefList = listPets('?limit=1', WITH_LIMITED_KEY)
const refusedName = (kit: Kit): string => `${kit.namePrefix}must not be stored over the limit`

/** How the limited key came to its limit. */
interface Drained {
  /** The last answer that was served; undefined when the key had nothing left to begin with. */
  readonly served: Exchange | undefined
  readonly refusal: Exchange
}

/**
 * Uses up the limited key. Throws a Violation when it goes on being served beyond the limit that its answers state,
 * and NotRun when it cannot be exhausted within reason.
 */
async function drain(kit: Kit): Promise<Drained> {
  let served: Exchange | undefined
  let first: LimitHeaders | undefined
  let latest: LimitHeaders | undefined
  for (let sent = 0; sent < MOST_REQUESTS; ) {
    const left = latest?.remaining ?? 0
    if (left > MOST_REQUESTS)
      throw new NotRun(`the limited key has ${left} requests left; give one with fewer to use up`)
    const burst = await Promise.all(
      Array.from({ length: Math.max(1, Math.min(left - 2, BURST)) }, () => kit.send(briefList)),
    )
    sent += burst.length
    const refusal = burst.find(({ answer }) => answer.status === 429)
    if (refusal !== undefined) return { served, refusal }
    const other = burst.find(({ answer }) => answer.status !== 200)
    if (other !== undefined) {
      throw new Violation('R16', other, 'status 200, or 429 over the limit', `status ${other.answer.status}`)
    }
    served = burst.reduce((a, b) => (remaining(b) < remaining(a) ? b : a))
    const said = readLimitHeaders(served.answer)
    first ??= said
    if (latest?.remaining === 0 && said?.resetS === latest.resetS) {
      throw new Violation('R16', served, '429, for nothing remained in this window', 'status 200')
    }
    // Twice the limit, because an allowance may come back little by little before it is whole again.
    if (first !== undefined && sent > 2 * first.limit && kit.clock() < first.resetS * 1000) {
      throw new Violation(
        'R16',
        served,
        `429 long before ${sent} requests, with a limit of ${first.limit}`,
        'status 200',
      )
    }
    latest = said
  }
  throw new NotRun(`${MOST_REQUESTS} requests brought no 429`)
}

function remaining({ answer }: Exchange): number {
  return readLimitHeaders(answer)?.remaining ?? Infinity
}

/**
 * What `request` is answered when the limited key is over its limit. A window may end in between, and then the key is
 * used up again; that it should end so every time is no accident, and the answer stands.
 */
async function overLimit(kit: Kit, request: HttpRequest): Promise<Exchange> {
  let { refusal } = await kit.once(drain)
  for (let attempt = 1; ; attempt += 1) {
    const exchange = await kit.send(request)
    const isSameWindow = readLimitHeaders(exchange.answer)?.resetS === readLimitHeaders(refusal.answer)?.resetS
    if (exchange.answer.status === 429 || isSameWindow || attempt === ATTEMPTS) return exchange
    refusal = (await drain(kit)).refusal
  }
}

function refusedCase(
  id: string,
  title: string,
  request: (kit: Kit) => HttpRequest,
  needs: Case['needs'] = [],
): Omit<Case, 'section'> {
  return {
    id,
    title,
    cites: ['R16'],
    needs: ['limited key', ...needs],
    run: async (kit) => {
      expectStatus(await overLimit(kit, request(kit)), 'R16', 429)
    },
  }
}

function openCase(id: string, what: string, request: HttpRequest): Omit<Case, 'section'> {
  return {
    id,
    title: `How ${what} is answered over the limit`,
    cites: ['O22'],
    needs: ['limited key'],
    run: async (kit) => `Over the limit, ${what}: ${outcome(await overLimit(kit, request))}.`,
  }
}

export const overLimitCases = inSection('8 Over the limit', [
  {
    id: 'over-limit-429',
    title: 'A request over the limit is answered with 429',
    cites: ['R16', 'O11'],
    needs: ['limited key'],
    run: async (kit) => {
      const { served } = await kit.once(drain)
      const said = served === undefined ? undefined : readLimitHeaders(served.answer)
      return said === undefined ? undefined : `Last answer before a 429: ${said.remaining} of ${said.limit} remaining.`
    },
  },
  {
    id: 'over-limit-headers',
    title: 'A 429 carries the limit headers',
    cites: ['R15', 'R16'],
    needs: ['limited key'],
    run: async (kit) => {
      expectLimitHeaders((await kit.once(drain)).refusal)
    },
  },
  {
    id: 'over-limit-remaining-0',
    title: 'Once nothing remains, the 429s of the same window say so',
    cites: ['R15', 'R16', 'O11'],
    needs: ['limited key'],
    run: async (kit) => {
      const { served, refusal } = await kit.once(drain)
      const before = served === undefined ? undefined : readLimitHeaders(served.answer)
      const at = readLimitHeaders(refusal.answer)
      if (at === undefined) throw new NotRun('the 429 does not carry the three limit headers')
      const isSameWindow = before?.resetS === at.resetS && before.limit === at.limit
      if (isSameWindow && before.remaining === 0 && at.remaining !== 0) {
        throw new Violation('R15', refusal, 'X-RateLimit-Remaining 0', `X-RateLimit-Remaining ${at.remaining}`)
      }
      return isSameWindow
        ? undefined
        : 'The limit headers of a 429: another window than those of the last answer before it.'
    },
  },
  {
    id: 'retry-after',
    title: 'A 429 has a Retry-After, in seconds or as an HTTP date',
    cites: ['R16', 'O11'],
    needs: ['limited key'],
    run: async (kit) => {
      const { refusal } = await kit.once(drain)
      const value = header(refusal.answer, 'Retry-After')
      if (value === undefined) throw new Violation('R16', refusal, 'a Retry-After', 'none')
      if (retryAfterMs(refusal.answer, refusal.atMs) === undefined) {
        throw new Violation(
          'R16',
          refusal,
          'a Retry-After in whole seconds or as an HTTP date',
          `Retry-After: ${value}`,
        )
      }
      return `Retry-After of a 429: ${value}.`
    },
  },
  {
    id: 'retry-after-is-a-wait',
    title: 'The Retry-After of a 429 is a time that can be waited, not a Unix time or milliseconds',
    cites: ['R16'],
    needs: ['limited key'],
    run: async (kit) => {
      const { refusal } = await kit.once(drain)
      const ms = retryAfterMs(refusal.answer, refusal.atMs)
      if (ms === undefined) throw new NotRun('there is no well-formed Retry-After')
      if (!isPlausible((refusal.atMs + ms) / 1000, refusal)) {
        const came = `Retry-After: ${header(refusal.answer, 'Retry-After')}, ${Math.round(ms / 1000)} s`
        throw new Violation('R16', refusal, 'a wait from now to a month', came)
      }
    },
  },
  {
    id: 'retry-after-and-reset',
    title: 'How Retry-After and X-RateLimit-Reset go together',
    cites: ['O11', 'O12'],
    needs: ['limited key'],
    run: async (kit) => {
      const { refusal } = await kit.once(drain)
      const resetS = readLimitHeaders(refusal.answer)?.resetS
      const waitMs = retryAfterMs(refusal.answer, refusal.atMs)
      if (resetS === undefined || waitMs === undefined) throw new NotRun('one of them is missing or malformed')
      const toResetS = Math.round(resetS - refusal.atMs / 1000)
      return `Retry-After and reset of a 429: ${Math.round(waitMs / 1000)} s and ${toResetS} s ahead.`
    },
  },
  {
    id: 'over-limit-body',
    title: 'A body of a 429 is application/json; whether it is an Error is open',
    cites: ['R1', 'O9'],
    needs: ['limited key'],
    run: async (kit) => {
      const { refusal } = await kit.once(drain)
      if (refusal.answer.body.length === 0) return 'Body of a 429: none.'
      expectJsonType(refusal)
      const names = [...(membersOf(tryJson(refusal.answer)?.value)?.keys() ?? [])]
      return `Body of a 429: ${names.length === 0 ? 'no JSON object' : `an object with ${names.join(', ')}`}.`
    },
  },
  refusedCase('over-limit-create', 'A creation over the limit is answered with 429', (kit) =>
    createPet(newPetJson(refusedName(kit), 1n, 'available'), WITH_LIMITED_KEY),
  ),
  {
    id: 'over-limit-not-stored',
    title: 'An animal that was refused with 429 is not stored',
    cites: ['R16'],
    needs: ['limited key'],
    run: async (kit) => {
      const { exchange, names } = await storedNames(kit)
      if (!names.includes(refusedName(kit))) return
      throw new Violation('R16', exchange, 'no animal that was refused with 429', `the animal "${refusedName(kit)}"`)
    },
  },
  refusedCase(
    'over-limit-get',
    'Fetching an animal over the limit is answered with 429',
    () => getPet(UNUSED_ID, WITH_LIMITED_KEY),
    ['getPet'],
  ),
  openCase('over-limit-invalid', 'an invalid creation', createPet('{}', WITH_LIMITED_KEY)),
  openCase('over-limit-path', 'an unknown path', {
    ...briefList,
    path: '/no-such-path',
  }),
  openCase('over-limit-head', 'HEAD /pets', { ...briefList, method: 'HEAD' }),
  {
    id: 'over-limit-other-key',
    title: 'Whether another key goes on being served',
    cites: ['O10'],
    needs: ['limited key'],
    run: async (kit) => {
      await kit.once(drain)
      return `Another key while one is over its limit: ${outcome(await kit.send(listPets('?limit=1')))}.`
    },
  },
  {
    id: 'over-limit-ban',
    title: 'Whether the refusals of this run brought a ban',
    cites: ['R17', 'O15'],
    needs: ['limited key'],
    run: async (kit) => {
      const { refusal } = await kit.once(drain)
      const latest = await overLimit(kit, briefList)
      const refusals = kit.exchanges.filter(({ answer }) => answer.status === 429).length
      const [first, last] = [refusal, latest].map(({ answer }) => readLimitHeaders(answer)?.resetS)
      const isLonger = first !== undefined && last !== undefined && last > first + 60
      return `A key after ${refusals} refusals: ${outcome(latest)}${withHeaders(latest, 'Retry-After')}, ${isLonger ? 'which looks like a ban' : 'no ban'}.`
    },
  },
  {
    id: 'over-limit-reset',
    title: 'After the reset, and the wait that was told, the key is served again',
    cites: ['R15', 'R16', 'O13'],
    needs: ['limited key'],
    run: async (kit) => {
      const refusal = await overLimit(kit, briefList)
      const resetS = readLimitHeaders(refusal.answer)?.resetS
      const waitMs = retryAfterMs(refusal.answer, refusal.atMs)
      if (resetS === undefined || waitMs === undefined)
        throw new NotRun('the 429 does not say when the key is served again')
      const ms = Math.max(waitMs, resetS * 1000 - kit.clock())
      if (ms > LONGEST_WAIT_MS) throw new NotRun(`the reset lies ${Math.round(ms / 1000)} s ahead, too far to wait for`)
      await kit.wait(ms + 1000)
      const exchange = await kit.send(briefList)
      if (exchange.answer.status === 429) {
        throw new Violation(
          'R15',
          exchange,
          'the limit reset at the time that X-RateLimit-Reset said',
          'status 429 once more',
        )
      }
      const said = readLimitHeaders(exchange.answer)
      return said === undefined
        ? undefined
        : `First answer after the reset: ${said.remaining} of ${said.limit} remaining.`
    },
  },
])
