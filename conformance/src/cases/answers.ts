/**
 * What holds of answers whatever was asked: their media type, the Error of those that are errors, the limit headers and
 * what they say as requests go by; first of one answer of each kind, and at the end of all that the run has seen.
 */
import { type Case, type CaseInSection, inSection } from '../case.ts'
import { expectError, expectJsonType, expectLimitHeaders, expectStatus } from '../expect.ts'
import { ANIMALS, fetched, keylessList, listed, missingPet, refusedCreation, unknownKeyList } from '../fixtures.ts'
import { type LimitHeaders, readLimitHeaders } from '../http/limit-headers.ts'
import { type HttpRequest, listPets } from '../http/request.ts'
import type { Exchange } from '../http/transport.ts'
import { OPERATIONS } from '../interface.ts'
import { jsonOf, tryJson } from '../json-body.ts'
import type { Kit } from '../kit.ts'
import { NotRun, RestsOn, Suspicious, Violation } from '../verdicts.ts'

/** `judgedBy` is the case about the answer itself, which has to be there before its body can be. */
function jsonCase(
  id: string,
  what: string,
  judgedBy: string,
  make: (kit: Kit) => Promise<Exchange>,
  ...needs: ['getPet'?]
): CaseInSection {
  return {
    id: `json-${id}`,
    title: `${what} is application/json`,
    cites: ['R1'],
    needs: needs.filter((need) => need !== undefined),
    restsOn: [judgedBy],
    run: async (kit) => {
      const exchange = await kit.once(make)
      expectJsonType(exchange)
      jsonOf(exchange)
    },
  }
}

export const baseCases = inSection('1 Base address and bodies', [
  jsonCase('list', 'The list', 'list', listed),
  jsonCase(
    'creation',
    'The answer to a creation',
    'create-available',
    async (kit) => (await kit.once(ANIMALS.available)).exchange,
  ),
  jsonCase('get', 'A fetched animal', 'get', fetched, 'getPet'),
  jsonCase('400', 'The Error of a 400', 'refuse-without-fields', refusedCreation),
  jsonCase('401', 'The Error of a 401', 'auth-list-without-key', keylessList),
  jsonCase('404', 'The Error of a 404', 'get-missing', missingPet, 'getPet'),
])

function isError(make: (kit: Kit) => Promise<Exchange>, status: number) {
  return async (kit: Kit) => {
    const exchange = await kit.once(make)
    expectStatus(exchange, 'R6', status)
    expectError(exchange)
  }
}

export const errorCases = inSection('7 Errors', [
  {
    id: 'error-400',
    title: 'The 400 to an invalid creation carries an Error',
    cites: ['R6', 'R10'],
    restsOn: ['json-400', 'refuse-without-fields'],
    run: isError(refusedCreation, 400),
  },
  {
    id: 'error-401',
    title: 'The 401 without a key carries an Error',
    cites: ['R6', 'R13'],
    restsOn: ['json-401', 'auth-list-without-key'],
    run: isError(keylessList, 401),
  },
  {
    id: 'error-401-unknown-key',
    title: 'The 401 with an unknown key carries an Error',
    cites: ['R6', 'R13'],
    restsOn: ['json-401', 'auth-unknown-key'],
    run: isError(unknownKeyList, 401),
  },
  {
    id: 'error-404',
    title: 'The 404 of an animal that is not there carries an Error',
    cites: ['R6', 'R11'],
    needs: ['getPet'],
    restsOn: ['json-404', 'get-missing'],
    run: isError(missingPet, 404),
  },
])

export const versionCases = inSection('9 Versioning', [
  {
    id: 'version-path-alone',
    title: 'The base address alone selects the version: no header or parameter for it is needed',
    cites: ['R18', 'R1'],
    run: async (kit) => {
      expectStatus(await kit.once(listed), 'R18', 200)
    },
  },
])

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

/** Applies `expect` to each exchange; throws the first Violation that no case has found before, or else RestsOn. */
function expectOfAll(kit: Kit, exchanges: readonly Exchange[], expect: (exchange: Exchange) => unknown): void {
  const violations: Violation[] = []
  let known: string | undefined
  for (const exchange of exchanges) {
    try {
      expect(exchange)
    } catch (error) {
      if (error instanceof Suspicious) continue
      if (!(error instanceof Violation)) throw error
      const foundBy = error.cause === undefined ? undefined : kit.foundBy.get(error.cause)
      if (foundBy === undefined) violations.push(error)
      known ??= foundBy
    }
  }
  const [first] = violations
  if (first === undefined && known !== undefined) throw new RestsOn(known)
  if (first === undefined) return
  const extent = ` (so or similar in ${violations.length} of ${exchanges.length} answers)`
  throw new Violation(first.statement, first.exchange, first.expected, first.came + extent, first.cause ?? null)
}

/** The answers that the interface lists for each operation, but for 429, whose body is open (O9). */
const LISTED: readonly { method: string; path: RegExp; statuses: readonly number[]; goesWithGetPet: boolean }[] = [
  { ...OPERATIONS.listPets, path: /^\/pets$/, statuses: [200, 401], goesWithGetPet: false },
  { ...OPERATIONS.createPet, path: /^\/pets$/, statuses: [201, 400, 401], goesWithGetPet: false },
  { ...OPERATIONS.getPet, path: /^\/pets\/-?\d+$/, statuses: [200, 401, 404], goesWithGetPet: true },
]

/** What a proxy before the program may answer by itself is left to the cases about that. */
const LONGEST_PLAIN_BODY = 100_000

function listedAnswers(kit: Kit): readonly Exchange[] {
  return kit.exchanges.filter(({ request, answer }) => {
    if ('raw' in request || (request.body?.length ?? 0) > LONGEST_PLAIN_BODY) return false
    const path = request.path.replace(/\?.*$/, '')
    return LISTED.some(
      (listed) =>
        listed.method === request.method &&
        listed.path.test(path) &&
        path.length < 100 &&
        listed.statuses.includes(answer.status) &&
        (kit.getPetExists || !listed.goesWithGetPet),
    )
  })
}

export const sweepCases = inSection('Every answer of this run', [
  {
    id: 'listed-answers-limit-headers',
    title: 'Every listed answer carries the three limit headers',
    cites: ['R15'],
    run: async (kit) => expectOfAll(kit, listedAnswers(kit), expectLimitHeaders),
  },
  {
    id: 'every-answer-limit-headers',
    title: 'Every answer carries the three limit headers',
    cites: ['R15'],
    level: 'strict',
    run: async (kit) => expectOfAll(kit, kit.exchanges, expectLimitHeaders),
  },
  {
    id: 'every-answer-json',
    title: 'Every listed answer is application/json',
    cites: ['R1'],
    run: async (kit) =>
      expectOfAll(kit, listedAnswers(kit), (exchange) => {
        expectJsonType(exchange)
        jsonOf(exchange)
      }),
  },
  {
    id: 'every-error-body',
    title: 'Every listed error answer carries an Error',
    cites: ['R6'],
    run: async (kit) =>
      expectOfAll(
        kit,
        listedAnswers(kit).filter(({ answer }) => answer.status >= 400 && tryJson(answer) !== undefined),
        expectError,
      ),
  },
])
