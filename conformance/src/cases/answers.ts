/**
 * What must hold for every answer: the media type, the Error body, the limit headers and how they change over requests.
 * It is checked first on one answer of each kind, and at the end on all answers of the run.
 */
import { type Case, type CaseInSection, inSection, requirement } from '../case.ts'
import { expectError, expectJsonType, expectLimitHeaders, expectStatus } from '../expect.ts'
import { listed, missingPet, refusedCreation, SERVED, WITH_UNKNOWN_KEY, WITHOUT_KEY } from '../fixtures.ts'
import { type LimitHeaders, readLimitHeaders } from '../http/limit-headers.ts'
import { type HttpRequest, listPets } from '../http/request.ts'
import type { Exchange } from '../http/transport.ts'
import { EACH_OPERATION, OPERATIONS } from '../interface.ts'
import { jsonOf, tryJson } from '../json-body.ts'
import type { Kit } from '../kit.ts'
import { NotRun, RestsOn, Suspicious, Violation } from '../verdicts.ts'

interface Kind {
  readonly id: string
  readonly what: string
  readonly make: (kit: Kit) => Promise<Exchange>
  /** As in `OPERATIONS`. */
  readonly judgedBy: string
  readonly needs?: readonly ['getPet'] | undefined
}

const OF_OPERATIONS = EACH_OPERATION.map(({ name, id, answer, judgedBy, needs }): Kind => {
  return { id, what: answer, make: SERVED[name], judgedBy, needs }
})
const ERRORS: readonly (Kind & { status: 400 | 401 | 404 })[] = [
  { id: '400', what: 'A 400', make: refusedCreation, judgedBy: 'refuse-without-fields', status: 400 },
  {
    id: '401',
    what: 'A 401 without a key',
    make: WITHOUT_KEY.listPets,
    judgedBy: 'auth-list-without-key',
    status: 401,
  },
  {
    id: '401-unknown-key',
    what: 'A 401 with an unknown key',
    make: WITH_UNKNOWN_KEY.listPets,
    judgedBy: 'auth-unknown-key',
    status: 401,
  },
  { id: '404', what: 'A 404', make: missingPet, judgedBy: 'get-missing', status: 404, needs: OPERATIONS.getPet.needs },
]
/** Parts of the case ids, unchanged since the first suite. */
const JSON_ID: Readonly<Record<string, string>> = { create: 'creation' }
const HEADERS_ID: Readonly<Record<string, string>> = { list: '200-list', create: '201', get: '200-get' }
const STATEMENTS = { 400: 'R10', 401: 'R13', 404: 'R11' } as const

const KINDS = [...OF_OPERATIONS, ...ERRORS]

const jsonCases = KINDS.filter(({ id }) => id !== '401-unknown-key').map(
  ({ id, what, make, judgedBy, needs = [] }): CaseInSection => ({
    id: `json-${JSON_ID[id] ?? id}`,
    title: `${what} is application/json`,
    cites: ['R1'],
    needs,
    restsOn: [judgedBy],
    run: async (kit) => {
      const exchange = await kit.once(make)
      expectJsonType(exchange)
      jsonOf(exchange)
    },
  }),
)

const errorCases = ERRORS.map(
  ({ id, what, make, judgedBy, needs = [], status }): CaseInSection => ({
    id: `error-${id}`,
    title: `${what} carries an Error`,
    cites: ['R6', STATEMENTS[status]],
    needs,
    restsOn: [`json-${status}`, judgedBy],
    run: async (kit) => {
      const exchange = await kit.once(make)
      expectStatus(exchange, 'R6', status)
      expectError(exchange)
    },
  }),
)

const headersCases = KINDS.map(
  ({ id, what, make, needs = [] }): CaseInSection => ({
    id: `headers-${HEADERS_ID[id] ?? id}`,
    title: `${what} carries the limit headers`,
    cites: ['R15'],
    needs,
    run: async (kit) => expectLimitHeaders(await kit.once(make)),
  }),
)

/** Sends a request and reads its limit headers. Throws NotRun if one of the three is missing. */
export async function sendForLimits(
  kit: Kit,
  request: HttpRequest,
): Promise<{ exchange: Exchange; headers: LimitHeaders }> {
  const exchange = await kit.send(request)
  const headers = readLimitHeaders(exchange.answer)
  if (headers === undefined) throw new NotRun('an answer does not carry the three limit headers')
  return { exchange, headers }
}

/** Enough requests for Remaining to fall in any window, even one that slides or ends in the middle. */
const REQUESTS_TO_FALL = 12
export const oneAnimal = listPets('?limit=1')

const remainingFalls = requirement(
  { id: 'remaining-falls', cites: ['R15'], restsOn: ['headers-200-list'] },
  'Remaining falls as requests are answered',
  async (kit) => {
    let last = await sendForLimits(kit, oneAnimal)
    for (let count = 1; count < REQUESTS_TO_FALL; count += 1) {
      const next = await sendForLimits(kit, oneAnimal)
      if (next.headers.limit === last.headers.limit && next.headers.remaining < last.headers.remaining) return
      last = next
    }
    const came = `${last.headers.remaining}, and never less than before in ${REQUESTS_TO_FALL} requests`
    throw new Violation('R15', last.exchange, 'X-RateLimit-Remaining to fall from request to request', came)
  },
)

export const aboutEachKind: readonly Case[] = [
  ...inSection('1 Base address and bodies', jsonCases),
  ...inSection('7 Errors', errorCases),
  ...inSection('8 Limit headers', [...headersCases, remainingFalls]),
]

export const versionCases = inSection('9 Versioning', [
  requirement(
    { id: 'version-path-alone', cites: ['R18', 'R1'] },
    'The base address alone selects the version: no header or parameter for it is needed',
    async (kit) => {
      expectStatus(await kit.once(listed), 'R18', 200)
    },
  ),
])

/** Applies `expect` to each exchange; throws the first Violation that no case has found before, or else RestsOn. */
function expectOfAll(kit: Kit, exchanges: readonly Exchange[], expect: (exchange: Exchange) => unknown): void {
  const violations: Violation[] = []
  let firstValue: string | undefined
  for (const exchange of exchanges) {
    try {
      expect(exchange)
    } catch (error) {
      if (error instanceof Suspicious) continue
      if (!(error instanceof Violation)) throw error
      const foundBy = error.cause === undefined ? undefined : kit.foundBy.get(error.cause)
      if (foundBy === undefined) violations.push(error)
      firstValue ??= foundBy
    }
  }
  const [first] = violations
  if (first === undefined && firstValue !== undefined) throw new RestsOn(firstValue)
  if (first === undefined) return
  const extent = ` (so or similar in ${violations.length} of ${exchanges.length} answers)`
  throw new Violation(first.statement, first.exchange, first.expected, first.came + extent, first.cause ?? null)
}

/** The answers that the interface lists for each operation. */
const LISTED = EACH_OPERATION.map(({ path, ...operation }) => ({
  ...operation,
  path: new RegExp(`^${path.replace(/\{\w+\}/, '-?\\d+')}$`),
}))

/** A proxy may refuse a longer body by itself; other cases judge that. */
const LONGEST_PLAIN_BODY = 100_000

function listedAnswers(kit: Kit): readonly Exchange[] {
  return kit.exchanges.filter(({ request, answer }) => {
    if ('raw' in request || (request.body?.length ?? 0) > LONGEST_PLAIN_BODY) return false
    const path = request.path.replace(/\?.*/s, '')
    return LISTED.some(
      (listed) =>
        listed.method === request.method &&
        listed.path.test(path) &&
        path.length < 100 &&
        listed.statuses.includes(answer.status) &&
        (kit.getPetExists || listed.needs === undefined),
    )
  })
}

export const sweepCases = inSection('Every answer of this run', [
  requirement(
    { id: 'listed-answers-limit-headers', cites: ['R15'] },
    'Every listed answer carries the three limit headers',
    async (kit) => expectOfAll(kit, listedAnswers(kit), expectLimitHeaders),
  ),
  requirement(
    { id: 'every-answer-limit-headers', cites: ['R15'], level: 'strict' },
    'Every answer carries the three limit headers',
    async (kit) => expectOfAll(kit, kit.exchanges, expectLimitHeaders),
  ),
  requirement({ id: 'every-answer-json', cites: ['R1'] }, 'Every listed answer is application/json', async (kit) =>
    expectOfAll(kit, listedAnswers(kit), (exchange) => {
      expectJsonType(exchange)
      jsonOf(exchange)
    }),
  ),
  requirement({ id: 'every-error-body', cites: ['R6'] }, 'Every listed error answer carries an Error', async (kit) =>
    expectOfAll(
      kit,
      listedAnswers(kit).filter(({ answer }) => answer.status >= 400 && tryJson(answer) !== undefined),
      expectError,
    ),
  ),
])
