/**
 * The conformance kit as a library: checks any implementation of the interface from outside and reports. The command
 * `pets check` is this, so is the package pet-adoption-conformance, and so are the project's own tests of every engine:
 *
 *     const report = await runConformance({ baseUrl: 'http://127.0.0.1:8080/v1', key, limitedKey })
 *     assert.equal(report.verdict, 'passed', textReport(report))
 *
 * A run leaves at most five animals there, or some two hundred if it is `thorough`; `report.created` lists them. It
 * stays within the allowance of `key`, waiting where it must. `limitedKey` is used up; without it the cases about 429
 * are not run.
 */

import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Case, Level } from './case.ts'
import { CASES } from './cases/index.ts'
import type { Pool } from './http/request.ts'
import type { Patience, Trust } from './http/transport.ts'
import { INTERFACE_VERSION } from './interface.ts'
import { Judge } from './judge.ts'
import { FEW_ANIMALS, Kit } from './kit.ts'
import { OUTCOMES, type Outcome, type Report, type Result, type Verdict } from './reports/report.ts'
import { checkStart } from './start.ts'
import { isRequirement, type Statement } from './statements.ts'
import { KIT_VERSION, SUITE_VERSION } from './suite.ts'
import { CannotStart } from './verdicts.ts'

export { CannotStart }

/**
 * Which cases are run: those that cite one of `only` or are named by `ids`, all when neither is given; those that leave
 * animals of their own only when they are named or the run is `thorough`; and never those of `skip`.
 */
interface Choice {
  readonly thorough?: boolean | undefined
  readonly only?: readonly Statement[] | undefined
  readonly ids?: readonly string[] | undefined
  readonly skip?: readonly string[] | undefined
}

export interface ConformanceOptions extends Choice {
  /** Ends in `/v1`. */
  readonly baseUrl: string
  /** A valid key. It is not exhausted. */
  readonly key: string
  /** Another valid key, which is exhausted. */
  readonly limitedKey?: string | undefined
  /** A category that exists, for implementations that know only some (O1); by default that of an animal, or 1. */
  readonly category?: bigint | undefined
  /** When the run ends, whatever is left; 10 minutes unless given. */
  readonly maxMinutes?: number | undefined
  /** Ends the run; what is known by then is reported. */
  readonly signal?: AbortSignal | undefined
  /** Unix ms; the machine's clock when not given. Compared with what the implementation says of its resets. */
  readonly clock?: () => number
  readonly sleep?: (ms: number) => Promise<void>
  readonly patience?: Patience
  /** Whose certificates are believed; those that the platform knows unless given. */
  readonly trust?: Trust | undefined
  readonly onProgress?: (progress: Progress) => void
  /** Asked after the plan where the list holds animals, which may be somebody's: whether to go on. */
  readonly mayLeaveAnimals?: (() => Promise<boolean>) | undefined
}

export type Progress =
  /** Before the first case: what will be sent and left behind. `mostAnimals` is a bound but for a thorough run. */
  | {
      readonly kind: 'plan'
      readonly requests: number
      readonly mostAnimals: number
      readonly namePrefix: string
      readonly usesUp: boolean
    }
  | { readonly kind: 'case'; readonly number: number; readonly total: number; readonly case: Case }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'wait'; readonly ms: number; readonly pool: Pool }

const MAX_MINUTES = 10
export const PATIENCE: Patience = { httpMs: 20_000, rawMs: 5_000 }

/** Throws CannotStart when the base address is not one, when nothing answers there, or when a key is refused. */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const base = parseBaseUrl(options.baseUrl)
  if ('problems' in base) throw new CannotStart(base.problems.join(' '))
  const { clock = Date.now, onProgress = () => {}, signal, maxMinutes = MAX_MINUTES } = options
  const { sleep = (ms: number) => setTimeout(ms, undefined, { ...(signal && { signal }) }).catch(() => {}) } = options
  const secrets = { key: options.key, limitedKey: options.limitedKey }
  const startMs = clock()
  const kit = new Kit({
    base: base.value,
    secrets,
    patience: options.patience ?? PATIENCE,
    timing: {
      clock,
      sleep,
      onWait: (ms, pool) => onProgress({ kind: 'wait', ms, pool }),
      deadlineMs: startMs + maxMinutes * 60_000,
    },
    trust: options.trust,
    category: options.category,
    isThorough: options.thorough === true,
    isAborted: () => signal?.aborted === true,
  })
  const cases = chosenCases(options)
  try {
    const { holdsAnimals } = await checkStart(kit, cases)
    onProgress({ kind: 'plan', ...planOf(kit, cases), namePrefix: kit.namePrefix })
    if (holdsAnimals && (await options.mayLeaveAnimals?.()) === false) throw new CannotStart('Nothing was sent to it.')
    const judge = new Judge(kit, secrets)
    const results: Result[] = []
    for (const [i, each] of cases.entries()) {
      onProgress({ kind: 'case', number: i + 1, total: cases.length, case: each })
      const result = await judge.judge(each)
      results.push(result)
      onProgress({ kind: 'result', result })
    }
    return summary(kit, options, results, startMs)
  } finally {
    kit.close()
  }
}

/** What a run over all cases comes to on a right server, without the limited key: that is what is told before a run. */
const WHOLE_RUNS = {
  few: { requests: 235, animals: FEW_ANIMALS },
  thorough: { requests: 415, animals: 200 },
} as const

function planOf(kit: Kit, cases: readonly Case[]): { requests: number; mostAnimals: number; usesUp: boolean } {
  const { requests, animals } = kit.isThorough ? WHOLE_RUNS.thorough : WHOLE_RUNS.few
  const part = cases.length / chosenCases({ thorough: kit.isThorough }).length
  return {
    requests: Math.ceil(requests * part),
    mostAnimals: animals,
    usesUp: kit.hasLimitedKey && cases.some(({ needs }) => needs?.includes('limited key')),
  }
}

export function chosenCases({ only, ids, skip = [], thorough = false }: Choice): readonly Case[] {
  const isAsked = ({ id, cites, needs = [] }: Case): boolean => {
    if (ids?.includes(id)) return true
    if (needs.includes('thorough') && !thorough) return false
    return (only === undefined && ids === undefined) || cites.some((cited) => only?.includes(cited) === true)
  }
  return CASES.filter((each) => isAsked(each) && !skip.includes(each.id))
}

/** Reads a base address (R1): http or https, ending in `/v1`. */
export function parseBaseUrl(text: string): { readonly value: URL } | { readonly problems: readonly string[] } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return { problems: [`"${text}" is no http or https address; give one such as http://127.0.0.1:8080/v1.`] }
  }
  url.pathname = url.pathname.replace(/\/+$/, '')
  if (url.username !== '' || url.search !== '' || url.hash !== '' || !url.pathname.endsWith('/v1')) {
    return { problems: [`"${text}" is no base address of the interface: that ends in /v1, with nothing after it.`] }
  }
  return { value: url }
}

function summary(kit: Kit, choice: Choice, results: readonly Result[], startMs: number): Report {
  const count = (outcome: Outcome): number => results.filter((result) => result.outcome === outcome).length
  return {
    kit: { version: KIT_VERSION, suite: SUITE_VERSION, digest: digestOf(chosenCases(choice)) },
    interfaceVersion: INTERFACE_VERSION,
    baseUrl: kit.base.href,
    thorough: kit.isThorough,
    leftOut: chosenCases({ ...choice, thorough: true }).length - results.length,
    startedAt: new Date(startMs).toISOString(),
    endedAt: new Date(kit.clock()).toISOString(),
    verdict: verdictOf(results),
    core: verdictOf(results, 'core'),
    // Each outcome is there, for they are made from all of them.
    counts: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)])) as Report['counts'],
    requests: kit.exchanges.length,
    created: { namePrefix: kit.namePrefix, animals: kit.created },
    results,
  }
}

/** Of what the cases say of themselves; how they ask is the suite's version. */
function digestOf(cases: readonly Case[]): string {
  const told = cases.map(({ id, title, cites, level, since }) => [id, title, cites, level, since])
  return `sha256:${createHash('sha256')
    .update(JSON.stringify([SUITE_VERSION, told]))
    .digest('hex')}`
}

/** Passed is only what was asked: a requirement that could not be put to the test leaves the verdict open. */
function verdictOf(results: readonly Result[], level?: Level): Verdict {
  const judged = results.filter((result) => level === undefined || result.level === level)
  if (judged.some(({ outcome }) => outcome === 'failed')) return 'failed'
  const isLeftOut = judged.some(({ outcome, cites }) => outcome === 'not run' && cites.some(isRequirement))
  return isLeftOut ? 'incomplete' : 'passed'
}
