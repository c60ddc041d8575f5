/** Section 8, the limit headers: on each kind of answer, and what they say as requests go by. */

import { type Case, type CaseInSection, inSection } from '../case.ts'
import { expectLimitHeaders } from '../expect.ts'
import { ANIMALS, fetched, keylessList, listed, missingPet, refusedCreation, unknownKeyList } from '../fixtures.ts'
import { type LimitHeaders, readLimitHeaders } from '../http/limit-headers.ts'
import { type HttpRequest, listPets } from '../http/request.ts'
import type { Exchange } from '../http/transport.ts'
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
const briefList = listPets('?limit=1')

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
])
