/**
 * The conformance kit as a library: checks any implementation of the interface from outside and reports. The command
 * `pets check` is this, and so are the project's own tests of every engine and deployment:
 *
 *     const report = await runConformance({ baseUrl: 'http://127.0.0.1:8080/v1', key, limitedKey })
 *     assert.equal(report.verdict, 'passed', textReport(report))
 *
 * A run adds up to some forty animals, whose names begin with `report.created.namePrefix`, and leaves them there. It stays
 * within the allowance of `key`, waiting where it must. `limitedKey` is used up; without it the cases about 429 are
 * not run.
 */
import { setTimeout } from 'node:timers/promises'
import { INTERFACE_VERSION } from '../contract/operations.ts'
import type { Checked } from '../contract/validate.ts'
import type { Case } from './case.ts'
import { CASES } from './cases/index.ts'
import { listed } from './fixtures.ts'
import { judge } from './judge.ts'
import { Kit } from './kit.ts'
import { AllowanceSpent } from './pacing.ts'
import type { Report, Result } from './report.ts'
import { listPets, type Pool, WITH_LIMITED_KEY } from './request.ts'
import { isRequirement, type Statement } from './statements.ts'
import { NoAnswer } from './transport.ts'

export interface ConformanceOptions {
  /** Ends in `/v1`. */
  readonly baseUrl: string
  /** A valid key. It is not exhausted. */
  readonly key: string
  /** Another valid key, which is exhausted. */
  readonly limitedKey?: string | undefined
  /** Only the cases that cite one of these; all cases when not given. */
  readonly only?: readonly Statement[] | undefined
  /** Unix ms; the machine's clock when not given. Compared with what the implementation says of its resets. */
  readonly clock?: () => number
  readonly sleep?: (ms: number) => Promise<void>
  readonly onProgress?: (progress: Progress) => void
}

export type Progress =
  | { readonly kind: 'case'; readonly number: number; readonly total: number; readonly case: Case }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'wait'; readonly ms: number; readonly pool: Pool }

/** The run could not begin; the message says why, and what to do. */
export class CannotStart extends Error {}

/** Throws CannotStart when the base address is not one, when nothing answers there, or when a key is refused. */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const base = parseBaseUrl(options.baseUrl)
  if ('problems' in base) throw new CannotStart(base.problems.join(' '))
  const { clock = Date.now, sleep = (ms: number) => setTimeout(ms), onProgress = () => {} } = options
  const secrets = { key: options.key, limitedKey: options.limitedKey }
  const kit = new Kit(base.value, secrets, {
    clock,
    sleep,
    onWait: (ms, pool) => onProgress({ kind: 'wait', ms, pool }),
  })
  const cases = casesCiting(options.only)
  const startedAt = new Date(clock()).toISOString()
  try {
    await checkStart(kit, cases)
    const results: Result[] = []
    for (const [i, each] of cases.entries()) {
      onProgress({ kind: 'case', number: i + 1, total: cases.length, case: each })
      const result = await judge(each, kit, secrets)
      results.push(result)
      onProgress({ kind: 'result', result })
    }
    return summary(kit, results, startedAt)
  } finally {
    kit.close()
  }
}

/** The cases that cite at least one of `statements`; all when there is nothing to choose by. */
export function casesCiting(statements: readonly Statement[] | undefined): readonly Case[] {
  return statements === undefined
    ? CASES
    : CASES.filter(({ cites }) => cites.some((cited) => statements.includes(cited)))
}

/** Reads a base address (R1): http or https, ending in `/v1`. */
export function parseBaseUrl(text: string): Checked<URL> {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { problems: [`"${text}" is no http or https address; give one such as http://127.0.0.1:8080/v1.`] }
  }
  url.pathname = url.pathname.replace(/\/+$/, '')
  if (url.username !== '' || url.search !== '' || url.hash !== '' || !url.pathname.endsWith('/v1')) {
    return { problems: [`"${text}" is no base address of the interface: that ends in /v1, with nothing after it.`] }
  }
  return { value: url }
}

/** One request with each key tells whether there is anything to check, before a hundred cases fail for the same reason. */
async function checkStart(kit: Kit, cases: readonly Case[]): Promise<void> {
  try {
    const { answer } = await kit.once(listed)
    if (answer.status === 401)
      throw new CannotStart(`The key is refused with 401 at ${kit.base.href}; give a valid one with --key.`)
    if (!kit.hasLimitedKey || !cases.some(({ needs }) => needs?.includes('limited key'))) return
    const limited = await kit.send(listPets('?limit=1', WITH_LIMITED_KEY))
    if (limited.answer.status === 401) {
      throw new CannotStart(
        `The limited key is refused with 401 at ${kit.base.href}; give a valid one with --limited-key.`,
      )
    }
  } catch (error) {
    if (error instanceof NoAnswer)
      throw new CannotStart(`No answer from ${kit.base.href}: ${error.message}.`, { cause: error })
    if (error instanceof AllowanceSpent)
      throw new CannotStart(`There is nothing to check with: ${error.message}.`, { cause: error })
    throw error
  }
}

function summary(kit: Kit, results: readonly Result[], startedAt: string): Report {
  const count = (outcome: Result['outcome']): number => results.filter((result) => result.outcome === outcome).length
  const counts = {
    passed: count('passed'),
    failed: count('failed'),
    observed: count('observed'),
    'not run': count('not run'),
  }
  const isCut = results.some(({ interrupted, cites }) => interrupted && cites.some(isRequirement))
  return {
    interfaceVersion: INTERFACE_VERSION,
    baseUrl: kit.base.href,
    startedAt,
    endedAt: new Date(kit.clock()).toISOString(),
    verdict: counts.failed > 0 ? 'failed' : isCut ? 'incomplete' : 'passed',
    counts,
    requests: kit.exchanges.length,
    created: { namePrefix: kit.namePrefix, animals: kit.created },
    results,
  }
}
