/** What must hold for every response of the run: media type, Error, limit headers, and Retry-After of a 429. */
import type { Case } from '../case.ts'
import { expectError, expectJson, expectLimitHeaders } from '../expect.ts'
import { readLimitHeaders } from '../http/limit-headers.ts'
import { listPets } from '../http/request.ts'
import type { Exchange } from '../http/transport.ts'
import { EACH_OPERATION } from '../interface.ts'
import { memberText, tryJson } from '../json-body.ts'
import type { Kit } from '../kit.ts'
import { RestsOn, Violation } from '../verdicts.ts'
import { STRICT_REQUESTS } from './open.ts'
import { expectRetryAfter } from './over-limit.ts'

/** Throws the first Violation that no case has found before, or else RestsOn. */
function expectOfAll(kit: Kit, exchanges: readonly Exchange[], expect: (exchange: Exchange) => unknown): void {
  const violations: Violation[] = []
  let foundBy: string | undefined
  for (const exchange of exchanges) {
    try {
      expect(exchange)
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      const first = error.cause === undefined ? undefined : kit.foundBy.get(error.cause)
      if (first === undefined) violations.push(error)
      else foundBy ??= first
    }
  }
  const [first] = violations
  if (first === undefined && foundBy !== undefined) throw new RestsOn(foundBy)
  if (first === undefined) return
  const extent = ` (so or similarly in ${violations.length} of ${exchanges.length} answers)`
  throw new Violation(first.statement, first.exchange, first.expected, first.came + extent, first.cause ?? null)
}

/** Whether a parser or a proxy might have answered. */
function isStrict({ request }: Exchange): boolean {
  return STRICT_REQUESTS.includes(request)
}

/** Whether the API lists the status for the operation. */
function isListed({ request, answer }: Exchange): boolean {
  return (
    !STRICT_REQUESTS.includes(request) &&
    EACH_OPERATION.some(({ method, path, statuses }) => {
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/, '-?\\d+')}(\\?|$)`)
      return method === request.method && pattern.test(request.path) && statuses.includes(answer.status)
    })
  )
}

/** Enough for Remaining to fall even if a window ends in between. */
const REQUESTS_TO_FALL = 12

export const remainingFalls: Case = {
  id: 'remaining-falls',
  title: 'Remaining falls as requests are answered',
  cites: ['R15'],
  restsOn: ['list'],
  run: async (kit) => {
    let last = await kit.send(listPets('?limit=1'))
    for (let count = 1; count < REQUESTS_TO_FALL; count += 1) {
      const next = await kit.send(listPets('?limit=1'))
      const [before, after] = [last, next].map(({ answer }) => readLimitHeaders(answer))
      if (before === undefined || after === undefined) return expectLimitHeaders(next)
      if (after.limit === before.limit && after.remaining < before.remaining) return
      last = next
    }
    throw new Violation('R15', last, 'Remaining to fall', `never less than before in ${REQUESTS_TO_FALL} requests`)
  },
}

type Sweep = readonly [
  id: string,
  title: string,
  cites: Case['cites'],
  isJudged: (exchange: Exchange) => boolean,
  expect: (exchange: Exchange) => unknown,
]

const SWEEPS: readonly Sweep[] = [
  ['every-json', 'Every listed answer is application/json', ['R1'], isListed, expectJson],
  [
    'every-error',
    'Every listed error answer carries an Error',
    ['R6'],
    (exchange) => isListed(exchange) && exchange.answer.status >= 400 && tryJson(exchange.answer) !== undefined,
    expectError,
  ],
  [
    'every-limit-headers',
    'Every answer of the program carries the three limit headers',
    ['R15'],
    (exchange) => !isStrict(exchange),
    expectLimitHeaders,
  ],
  [
    'every-429',
    'Every 429 carries a Retry-After, and its body, if any, is JSON',
    ['R16', 'R1', 'O9'],
    ({ answer }) => answer.status === 429,
    (exchange) => {
      expectRetryAfter(exchange)
      if (exchange.answer.body.length > 0) expectJson(exchange)
    },
  ],
  [
    'every-limit-headers-strict',
    'Every answer of a parser or a proxy carries the three limit headers',
    ['R15'],
    isStrict,
    expectLimitHeaders,
  ],
]

export const sweepCases: readonly Case[] = [
  ...SWEEPS.map(
    ([id, title, cites, isJudged, expect]): Case => ({
      id,
      title,
      cites,
      level: id.endsWith('strict') ? 'strict' : 'core',
      run: async (kit) => expectOfAll(kit, kit.exchanges.filter(isJudged), expect),
    }),
  ),
  {
    id: 'error-codes',
    title: 'Which codes were seen',
    cites: ['O8'],
    run: async (kit) => {
      const errors = kit.exchanges.filter(({ answer }) => answer.status >= 400)
      const codes = errors.map(({ answer }) => `${answer.status} ${memberText(answer, 'code')}`)
      return `Codes seen: ${[...new Set(codes)].sort().join('; ')}.`
    },
  },
]
