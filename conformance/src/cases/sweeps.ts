/**
 * What has to hold of every answer, asked at the end of all the answers that the run has seen, whatever case they came
 * from.
 */

import { inSection } from '../case.ts'
import { expectError, expectJsonType, expectLimitHeaders } from '../expect.ts'
import type { Exchange } from '../http/transport.ts'
import { OPERATIONS } from '../interface.ts'
import { jsonOf, tryJson } from '../json-body.ts'
import type { Kit } from '../kit.ts'
import { RestsOn, Suspicious, Violation } from '../verdicts.ts'

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
