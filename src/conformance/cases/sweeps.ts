/** What has to hold of every answer, asked at the end of all the answers that the run has seen, whatever case they came from. */
import { OPERATIONS } from '../../contract/operations.ts'
import { inSection, NotRun } from '../case.ts'
import { errorCodeOf } from '../describe.ts'
import { expectError, expectJsonType, expectLimitHeaders } from '../expect.ts'
import { keylessList, refusedCreation } from '../fixtures.ts'
import type { Kit } from '../kit.ts'
import type { Exchange } from '../transport.ts'
import { Violation } from '../violation.ts'

/** Applies `expect` to each exchange; the first Violation is thrown, with the number of answers that have one. */
function expectOfAll(exchanges: readonly Exchange[], expect: (exchange: Exchange) => unknown): void {
  if (exchanges.length === 0) throw new NotRun('no such answer came')
  const violations: Violation[] = []
  for (const exchange of exchanges) {
    try {
      expect(exchange)
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      violations.push(error)
    }
  }
  const [first] = violations
  if (first === undefined) return
  const extent = ` (so or similar in ${violations.length} of ${exchanges.length} answers)`
  throw new Violation(first.statement, first.exchange, first.expected, first.came + extent)
}

/** The answers that the interface lists for each operation, but for 429, whose body is open (O9). */
const LISTED: readonly { method: string; path: RegExp; statuses: readonly number[]; goesWithGetPet: boolean }[] = [
  { ...OPERATIONS.listPets, path: /^\/pets$/, statuses: [200, 401], goesWithGetPet: false },
  { ...OPERATIONS.createPet, path: /^\/pets$/, statuses: [201, 400, 401], goesWithGetPet: false },
  { ...OPERATIONS.getPet, path: /^\/pets\/[^/]+$/, statuses: [200, 401, 404], goesWithGetPet: true },
]

function listedAnswers(kit: Kit): readonly Exchange[] {
  return kit.exchanges.filter(({ request, answer }) => {
    if ('raw' in request) return false
    const path = request.path.replace(/\?.*$/, '')
    return LISTED.some(
      (listed) =>
        listed.method === request.method &&
        listed.path.test(path) &&
        listed.statuses.includes(answer.status) &&
        (kit.getPetExists || !listed.goesWithGetPet),
    )
  })
}

export const sweepCases = inSection('Every answer of this run', [
  {
    id: 'every-answer-limit-headers',
    title: 'Every answer carries the three limit headers',
    cites: ['R15'],
    run: async (kit) => expectOfAll(kit.exchanges, expectLimitHeaders),
  },
  {
    id: 'every-answer-json',
    title: 'Every listed answer is application/json',
    cites: ['R1'],
    run: async (kit) => expectOfAll(listedAnswers(kit), expectJsonType),
  },
  {
    id: 'every-error-body',
    title: 'Every listed error answer carries an Error',
    cites: ['R6'],
    run: async (kit) =>
      expectOfAll(
        listedAnswers(kit).filter(({ answer }) => answer.status >= 400),
        expectError,
      ),
  },
  {
    id: 'error-codes',
    title: 'Which codes were seen',
    cites: ['O8'],
    run: async (kit) => {
      for (const make of [refusedCreation, keylessList]) await kit.once(make)
      const seen = new Map<number, Set<string>>()
      for (const { answer } of kit.exchanges) {
        const code = errorCodeOf(answer)
        if (code !== undefined) seen.set(answer.status, (seen.get(answer.status) ?? new Set()).add(code))
      }
      const byStatus = [...seen]
        .sort(([a], [b]) => a - b)
        .map(([status, codes]) => `${status} ${[...codes].join(', ')}`)
      return `Codes seen: ${byStatus.join('; ') || 'none'}.`
    },
  },
])
