/** Section 8, the limit headers: on each kind of answer, and what they say as requests go by. */

import { type Case, type CaseInSection, inSection } from '../case.ts'
import { expectLimitHeaders } from '../expect.ts'
import {
  ANIMALS,
  fetched,
  keylessList,
  listed,
  missingPet,
  refusedCreation,
  UNUSED_ID,
  unknownKeyList,
} from '../fixtures.ts'
import { type LimitHeaders, readLimitHeaders } from '../http/limit-headers.ts'
import { createPet, getPet, type HttpRequest, listPets } from '../http/request.ts'
import type { Exchange } from '../http/transport.ts'
import { PLANS } from '../interface.ts'
import type { Kit } from '../kit.ts'
import { NotRun, Violation } from '../verdicts.ts'

function carried(
  id: string,
  what: string,
  make: (kit: Kit) => Promise<Exchange>,
  needs: Case['needs'] = [],
): CaseInSection {
  return {
    id: `headers-${id}`,
    title: `${what} carries the limit headers`,
    cites: ['R15'],
    needs,
    run: async (kit) => {
      expectLimitHeaders(await kit.once(make))
    },
  }
}

async function said(kit: Kit, request: HttpRequest): Promise<{ exchange: Exchange; headers: LimitHeaders }> {
  const exchange = await kit.send(request)
  const headers = readLimitHeaders(exchange.answer)
  if (headers === undefined) throw new NotRun('an answer does not carry the three limit headers')
  return { exchange, headers }
}

/** More than enough for any window to show a fall, also one that slides or ends in the middle. */
const REQUESTS_TO_FALL = 12
/** How often a window may end in the middle of a measurement before it is given up. */
const ATTEMPTS = 3

const briefList = listPets('?limit=1')

/** What one `request` takes from Remaining, by the answers before and after it. */
function costCase(id: string, what: string, request: HttpRequest, needs: Case['needs'] = []): CaseInSection {
  return {
    id: `cost-${id}`,
    title: `What ${what} costs`,
    cites: ['O13'],
    needs,
    run: async (kit) => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const before = (await said(kit, briefList)).headers
        await kit.send(request)
        const after = (await said(kit, briefList)).headers
        if (before.limit !== after.limit || before.resetS !== after.resetS) continue
        const cost = before.remaining - after.remaining - 1
        return `Cost of ${what}: ${cost} ${cost === 1 ? 'request' : 'requests'}.`
      }
      throw new NotRun('the limit or its reset changed from one request to the next')
    },
  }
}

const PLAN_LIMITS = Object.entries(PLANS).flatMap(([plan, { perMinute, perDay }]) => [
  { limit: perMinute, meaning: `the requests per minute of the plan ${plan}` },
  { limit: perDay, meaning: `the requests per day of the plan ${plan}` },
])

export const limitCases = inSection('8 Limit headers', [
  carried('200-list', 'A list', listed),
  carried('201', 'The answer to a creation', async (kit) => (await kit.once(ANIMALS.available)).exchange),
  carried('200-get', 'A fetched animal', fetched, ['getPet']),
  carried('400', 'A 400', refusedCreation),
  carried('401', 'A 401 without a key', keylessList),
  carried('401-unknown-key', 'A 401 with an unknown key', unknownKeyList),
  carried('404', 'A 404', missingPet, ['getPet']),
  {
    id: 'remaining-falls',
    title: 'Remaining falls as requests are answered',
    cites: ['R15'],
    restsOn: ['headers-200-list'],
    run: async (kit) => {
      let last = await said(kit, briefList)
      for (let sent = 1; sent < REQUESTS_TO_FALL; sent += 1) {
        const next = await said(kit, briefList)
        if (next.headers.limit === last.headers.limit && next.headers.remaining < last.headers.remaining) return
        last = next
      }
      const came = `${last.headers.remaining}, and never less than before in ${REQUESTS_TO_FALL} requests`
      throw new Violation('R15', last.exchange, 'X-RateLimit-Remaining to fall from request to request', came)
    },
  },
  {
    id: 'limit-plan',
    title: 'Which limit is in force, and whether it is one of a plan',
    cites: ['R14', 'O10'],
    run: async (kit) => {
      const { limit } = (await said(kit, briefList)).headers
      const meaning = PLAN_LIMITS.filter((plan) => plan.limit === limit).map((plan) => plan.meaning)
      return `Limit in force: ${limit}, ${meaning.join(', or ') || 'no figure of a listed plan'}.`
    },
  },
  {
    id: 'limit-window',
    title: 'Which window the headers describe, and when it ends',
    cites: ['O11', 'O12'],
    run: async (kit) => {
      const { exchange, headers } = await said(kit, briefList)
      const aheadS = headers.resetS - Math.floor(exchange.atMs / 1000)
      const edge =
        headers.resetS % 86_400 === 0
          ? 'the end of a UTC day'
          : headers.resetS % 60 === 0
            ? 'the end of a minute'
            : 'neither the end of a minute nor of a day'
      return `Window of the limit headers: it resets in ${aheadS} s, at ${edge}.`
    },
  },
  costCase('400', 'a creation answered with 400', createPet('{}')),
  costCase('404', 'a fetch answered with 404', getPet(UNUSED_ID), ['getPet']),
  costCase('head', 'a HEAD', { ...briefList, method: 'HEAD' }),
  costCase('401', 'a request without a key, for the key', listPets('', {})),
  {
    id: 'limit-401',
    title: 'What the limit headers of a 401 describe',
    cites: ['O14'],
    run: async (kit) => {
      const first = (await said(kit, listPets('', {}))).headers
      const second = (await said(kit, listPets('', {}))).headers
      const falls = second.remaining < first.remaining ? 'falling' : 'not falling'
      return `Limit headers of a 401: limit ${second.limit}, ${second.remaining} remaining, ${falls} from one 401 to the next.`
    },
  },
])
