/**
 * Section 8, over the limit: what a key gets that has used up its allowance. Only a second key, given for the purpose,
 * is ever exhausted; and because going on after a 429 may bring a ban (R17), the refusals are few.
 */

import { type CaseInSection, inSection } from '../case.ts'
import { outcome, withHeaders } from '../describe.ts'
import { briefList, describesBlocking, drain, isSameWindow, overLimit, readLimits } from '../drain.ts'
import { expectJsonType, expectLimitHeaders, expectStatus } from '../expect.ts'
import { newPetJson, storedNames, UNUSED_ID } from '../fixtures.ts'
import { header } from '../http/answer.ts'
import { isPlausible, msToReset } from '../http/limit-headers.ts'
import { createPet, getPet, type HttpRequest, listPets, WITH_LIMITED_KEY } from '../http/request.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import { membersOf, tryJson } from '../json-body.ts'
import type { Kit } from '../kit.ts'
import { NotRun, Violation } from '../verdicts.ts'

const refusedName = (kit: Kit): string => `${kit.namePrefix}over limit`

function refusedCase(
  id: string,
  title: string,
  request: (kit: Kit) => HttpRequest,
  more: Pick<CaseInSection, 'needs' | 'restsOn'>,
): CaseInSection {
  return {
    id,
    title,
    cites: ['R16'],
    ...more,
    needs: ['limited key', ...(more.needs ?? [])],
    run: async (kit) => {
      expectStatus(await overLimit(kit, request(kit)), 'R16', 429)
    },
  }
}

function openCase(id: string, what: string, request: HttpRequest): CaseInSection {
  return {
    id,
    title: `How ${what} is answered over the limit`,
    cites: ['O22'],
    needs: ['limited key'],
    run: async (kit) => `Over the limit, ${what}: ${outcome(await overLimit(kit, request))}.`,
  }
}

const firstCases = inSection('8 Over the limit', [
  {
    id: 'over-limit-429',
    title: 'A request over the limit is answered with 429',
    cites: ['R16', 'O11'],
    needs: ['limited key'],
    run: async (kit) => {
      const said = readLimits((await kit.once(drain)).served.at(-1))
      return said === undefined ? undefined : `Last answer before a 429: ${said.remaining} of ${said.limit} remaining.`
    },
  },
])

const toldCases: readonly CaseInSection[] = [
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
    id: 'remaining-is-served',
    title: 'What an answer says remains is served before a 429 of the same window',
    cites: ['R15', 'R16'],
    since: '1.1',
    needs: ['limited key'],
    restsOn: ['over-limit-headers', 'remaining-falls'],
    run: async (kit) => {
      const { served, refusal } = await kit.once(drain)
      const ofWindow = served.filter((exchange) => isSameWindow(readLimits(exchange), readLimits(refusal)))
      // Which of several windows the headers describe is open (O11): another one than the 429's says nothing about it.
      if (ofWindow.length === 0 || !describesBlocking(refusal))
        return 'Remaining before a 429: of another window than the 429.'
      for (const [i, exchange] of ofWindow.entries()) {
        const promised = readLimits(exchange)?.remaining
        const followed = ofWindow.length - i - 1
        if (followed === promised) continue
        const expected = `${promised} more requests served, as X-RateLimit-Remaining says`
        const cause = { cause: 'Remaining is not what is served' }
        throw new Violation('R15', exchange, expected, `${followed} more were served, then 429`, cause)
      }
    },
  },
  {
    id: 'over-limit-remaining-0',
    title: 'Once nothing remains, the 429s of the same window say so',
    cites: ['R15', 'R16', 'O11'],
    needs: ['limited key'],
    restsOn: ['over-limit-headers', 'remaining-is-served'],
    run: async (kit) => {
      const { served, refusal } = await kit.once(drain)
      const [before, at] = [readLimits(served.at(-1)), readLimits(refusal)]
      if (at === undefined) throw new NotRun('the 429 does not carry the three limit headers')
      if (!isSameWindow(before, at) || !describesBlocking(refusal)) {
        return 'The limit headers of a 429: another window than that which blocks, or than those of the last answer before it.'
      }
      if (before?.remaining === 0 && at.remaining !== 0) {
        throw new Violation('R15', refusal, 'X-RateLimit-Remaining 0', `X-RateLimit-Remaining ${at.remaining}`)
      }
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
        const expected = 'a Retry-After in whole seconds or as an HTTP date'
        throw new Violation('R16', refusal, expected, `Retry-After: ${value}`)
      }
      return `Retry-After of a 429: ${value}.`
    },
  },
  {
    id: 'retry-after-is-a-wait',
    title: 'The Retry-After of a 429 is a time that can be waited, not a Unix time or milliseconds',
    cites: ['R16'],
    needs: ['limited key'],
    restsOn: ['retry-after'],
    run: async (kit) => {
      const { refusal } = await kit.once(drain)
      const ms = retryAfterMs(refusal.answer, refusal.atMs) ?? 0
      const came = `Retry-After: ${header(refusal.answer, 'Retry-After')}, ${Math.round(ms / 1000)} s`
      if (!isPlausible((refusal.atMs + ms) / 1000, refusal))
        throw new Violation('R16', refusal, 'a wait from now to a month', came)
      const toResetMs = msToReset(refusal) ?? 0
      // Seconds to the reset, a thousand times over.
      if (
        readLimits(refusal)?.remaining === 0 &&
        toResetMs > 0 &&
        ms > 300_000 &&
        Math.abs(ms / 1000 - toResetMs) < 2_500
      )
        throw new Violation(
          'R16',
          refusal,
          `a wait in seconds, such as ${Math.ceil(toResetMs / 1000)}`,
          `${came}, which looks like milliseconds`,
        )
    },
  },
  {
    id: 'retry-after-and-reset',
    title: 'How Retry-After and X-RateLimit-Reset go together',
    cites: ['O11', 'O12'],
    needs: ['limited key'],
    run: async (kit) => {
      const { refusal } = await kit.once(drain)
      const resetS = readLimits(refusal)?.resetS
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
]

const refusalCases: readonly CaseInSection[] = [
  refusedCase(
    'over-limit-create',
    'A creation over the limit is answered with 429',
    (kit) => createPet(newPetJson(refusedName(kit), kit.category, 'pending'), WITH_LIMITED_KEY),
    { restsOn: ['auth-list-without-key', 'auth-create-without-key', 'auth-create-unknown-key'] },
  ),
  {
    id: 'over-limit-not-stored',
    title: 'An animal that was refused with 429 is not stored',
    cites: ['R16'],
    needs: ['limited key'],
    restsOn: ['over-limit-create', 'list', 'filter-pending'],
    run: async (kit) => {
      const { exchange, names } = await storedNames(kit, 'pending')
      if (!names.includes(refusedName(kit))) return
      throw new Violation('R16', exchange, 'no animal that was refused with 429', `the animal "${refusedName(kit)}"`)
    },
  },
  refusedCase(
    'over-limit-get',
    'Fetching an animal over the limit is answered with 429',
    () => getPet(UNUSED_ID, WITH_LIMITED_KEY),
    { needs: ['getPet'], restsOn: ['auth-list-without-key', 'auth-get-without-key', 'auth-get-unknown-key'] },
  ),
  openCase('over-limit-invalid', 'an invalid creation', createPet('{}', WITH_LIMITED_KEY)),
  openCase('over-limit-path', 'an unknown path', { ...briefList, path: '/no-such-path' }),
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
      const [first, last] = [refusal, latest].map((exchange) => readLimits(exchange)?.resetS)
      const isLonger = first !== undefined && last !== undefined && last > first + 60
      return `A key after ${refusals} refusals: ${outcome(latest)}${withHeaders(latest, 'Retry-After')}, ${isLonger ? 'which looks like a ban' : 'no ban'}.`
    },
  },
]

/** What the first refusal says. */
export const overLimitCases = [
  ...firstCases,
  ...inSection('8 Over the limit', toldCases, { restsOn: ['over-limit-429'] }),
]

/** Further refusals, after all that waits: they may bring a ban (R17). */
export const refusedOverLimitCases = inSection('8 Over the limit', refusalCases, { restsOn: ['over-limit-429'] })
