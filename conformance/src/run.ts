/**
 * The conformance kit as a library: checks any implementation of the interface from outside and reports. The package
 * pet-adoption-conformance runs it, and so do the project's own tests of every engine:
 *
 *     const report = await runConformance({ baseUrl: 'http://127.0.0.1:8080/v1', key, limitedKey })
 *     assert.equal(report.verdict, 'passed', textReport(report))
 *
 * A run leaves at most five animals behind, or some two hundred if it is `thorough`; `report.created` lists them. It
 * stays within the quota of `key`, waiting if it must. It exhausts `limitedKey`; without that key, the cases about 429
 * are not run.
 */

import { setTimeout } from 'node:timers/promises'
import { isInt64 } from '../../client/src/json.ts'
import type { Case, Level } from './case.ts'
import { CASES } from './cases/index.ts'
import { listed, refusedCreation } from './fixtures.ts'
import { readLimitHeaders } from './http/limit-headers.ts'
import { listPets, type Pool, WITH_LIMITED_KEY } from './http/request.ts'
import { type Exchange, NoAnswer, type Timeouts, type Trust } from './http/transport.ts'
import { INTERFACE_VERSION, isRequirement, KIT_VERSION, type Statement, SUITE_VERSION } from './interface.ts'
import { isJsonType, membersOf, tryJson } from './json-body.ts'
import { Judge } from './judge.ts'
import { FEW_ANIMALS, Kit } from './kit.ts'
import { QuotaExhausted } from './pacing.ts'
import { OUTCOMES, type Outcome, type Report, type Result, type Verdict } from './reports/report.ts'
import { CannotStart, NoBaseUrl, RunOver } from './verdicts.ts'

export { CannotStart, NoBaseUrl }

/**
 * Which cases run: those that cite one of `only` or are named by `ids`, or all if neither is given. Cases that leave
 * animals of their own run only if named, or if the run is `thorough`. Cases in `skip` never run.
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
  /** A valid key. The kit stays within its limits. */
  readonly key: string
  /** Another valid key, which the kit exhausts. */
  readonly limitedKey?: string | undefined
  /** A category that exists, for implementations that know only some (O1); by default that of an animal, or 1. */
  readonly category?: bigint | undefined
  /** The maximum duration of the run. Default 10 minutes. */
  readonly maxMinutes?: number | undefined
  /** Aborts the run; the results so far are reported. */
  readonly signal?: AbortSignal | undefined
  /** Unix ms, compared with the resets of the implementation. Default: the machine's clock. */
  readonly clock?: () => number
  readonly sleep?: (ms: number) => Promise<void>
  readonly timeouts?: Timeouts
  /** Which TLS certificates are trusted. Default: those that the platform trusts. */
  readonly trust?: Trust | undefined
  readonly onProgress?: (progress: Progress) => void
  /** Called after the plan and before any animal is created: whether to go on. */
  readonly mayLeaveAnimals?: ((plan: Plan) => Promise<boolean>) | undefined
}

/** What a run will send and leave behind. */
export interface Plan {
  readonly requests: number
  /** An upper bound; in a thorough run, an estimate. */
  readonly mostAnimals: number
  readonly namePrefix: string
  readonly usesUp: boolean
  /** The estimated duration. Most of it is waiting for the quota of the key. */
  readonly seconds: number
  /** Whether the list shows animals, which may be somebody's. */
  readonly holdsAnimals: boolean
}

export type Progress =
  /** Before the first case. */
  | ({ readonly kind: 'plan' } & Plan)
  | { readonly kind: 'case'; readonly number: number; readonly total: number; readonly case: Case }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'wait'; readonly ms: number; readonly pool: Pool }

export const MAX_MINUTES = 10
const TIMEOUTS: Timeouts = { httpMs: 20_000, rawMs: 5_000 }

/** Throws CannotStart when the base address is not one, when nothing answers there, or when a key is refused. */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const base = parseBaseUrl(options.baseUrl)
  const { clock = Date.now, onProgress = () => {}, signal, maxMinutes = MAX_MINUTES } = options
  const { sleep = (ms: number) => setTimeout(ms, undefined, { ...(signal && { signal }) }).catch(() => {}) } = options
  const secrets = { key: options.key, limitedKey: options.limitedKey }
  const startMs = clock()
  const kit = new Kit({
    base,
    secrets,
    timeouts: options.timeouts ?? TIMEOUTS,
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
    const list = await beginWith(kit, cases)
    kit.category = options.category ?? categoryIn(list) ?? kit.category
    const plan = planOf(kit, cases, animalsIn(list).length > 0)
    onProgress({ kind: 'plan', ...plan })
    if ((await options.mayLeaveAnimals?.(plan)) === false) throw new CannotStart('No animal was sent to it.')
    if (!isOfTheInterface(list) && !isOfTheInterface(await kit.once(refusedCreation))) throw notTheInterface(kit, list)
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

/** Requests a list with each key, so that a wrong address or key ends the run at once. Throws CannotStart. */
async function beginWith(kit: Kit, cases: readonly Case[]): Promise<Exchange> {
  try {
    const list = await kit.once(listed)
    if (list.answer.status === 401) throw refusedKey(kit, 'key', '--key')
    if (ELSEWHERE.includes(list.answer.status) && readLimitHeaders(list.answer) === undefined)
      throw notTheInterface(kit, list)
    if (!kit.hasLimitedKey || !usesLimitedKey(cases)) return list
    const limited = await kit.send(listPets('?limit=1', WITH_LIMITED_KEY))
    if (limited.answer.status === 401) throw refusedKey(kit, 'limited key', '--limited-key')
    return list
  } catch (error) {
    if (error instanceof NoAnswer)
      throw new CannotStart(`No answer from ${kit.base.href}: ${error.message}.`, { cause: error })
    if (error instanceof QuotaExhausted || error instanceof RunOver)
      throw new CannotStart(`There is nothing to check with: ${error.message}.`, { cause: error })
    throw error
  }
}

function refusedKey(kit: Kit, which: string, option: string): CannotStart {
  return new CannotStart(`The ${which} is refused with 401 at ${kit.base.href}; give a valid one with ${option}.`)
}

/** The category of the first animal of a list; undefined where there is none, or where the list is wrong. */
function categoryIn(list: Exchange): bigint | undefined {
  const categoryId = membersOf(animalsIn(list)[0])?.get('categoryId')
  return isInt64(categoryId) ? categoryId : undefined
}

/** The animals of a list; none if the list is wrong. */
function animalsIn({ answer }: Exchange): readonly unknown[] {
  const pets = tryJson(answer)?.value
  return Array.isArray(pets) ? pets : []
}

/** The statuses for a path that does not exist or has moved. */
const ELSEWHERE = [301, 302, 303, 307, 308, 404, 405]

/** An answer that an operation of the interface could give, though it may be wrong in some ways. */
function isOfTheInterface({ answer }: Exchange): boolean {
  return !ELSEWHERE.includes(answer.status) && (isJsonType(answer) || readLimitHeaders(answer) !== undefined)
}

function notTheInterface(kit: Kit, { answer }: Exchange): CannotStart {
  const type = answer.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? 'no Content-Type'
  return new CannotStart(
    `${kit.base.href} is not a base address of the interface: GET ${kit.base.pathname}/pets is answered ${answer.status} with ${type}. Is it the right address?`,
  )
}

/** What a whole run sends and creates on a correct server, without the limited key. The plan shows these figures. */
const WHOLE_RUNS = {
  few: { requests: 238, animals: FEW_ANIMALS },
  thorough: { requests: 420, animals: 200 },
} as const
/** The share of requests that is sent with the key; the others count against the address. */
const WITH_KEY = 0.9
/** The shortest window of the plans; the limited key is waited for once. */
const WINDOW_S = 60

function planOf(kit: Kit, cases: readonly Case[], holdsAnimals: boolean): Plan {
  const whole = kit.isThorough ? WHOLE_RUNS.thorough : WHOLE_RUNS.few
  const part = cases.length / chosenCases({ thorough: kit.isThorough }).length
  const requests = Math.ceil(whole.requests * part)
  const usesUp = kit.hasLimitedKey && usesLimitedKey(cases)
  return {
    requests,
    mostAnimals: whole.animals,
    namePrefix: kit.namePrefix,
    usesUp,
    seconds: Math.max(kit.secondsFor(requests * WITH_KEY), usesUp ? WINDOW_S : 0),
    holdsAnimals,
  }
}

function usesLimitedKey(cases: readonly Case[]): boolean {
  return cases.some(({ needs }) => needs?.includes('limited key'))
}

export function chosenCases({ only, ids, skip = [], thorough = false }: Choice): readonly Case[] {
  const isAsked = ({ id, cites, needs = [] }: Case): boolean => {
    if (ids?.includes(id)) return true
    if (needs.includes('thorough') && !thorough) return false
    return (only === undefined && ids === undefined) || cites.some((cited) => only?.includes(cited) === true)
  }
  return CASES.filter((each) => isAsked(each) && !skip.includes(each.id))
}

/** Reads a base address (R1): http or https, ending in `/v1`. Throws NoBaseUrl. */
export function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new NoBaseUrl(`"${text}" is no http or https address; give one such as http://127.0.0.1:8080/v1.`)
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '')
  if (url.username !== '' || url.search !== '' || url.hash !== '' || !url.pathname.endsWith('/v1'))
    throw new NoBaseUrl(`"${text}" is no base address of the interface: that ends in /v1, with nothing after it.`)
  return url
}

function summary(kit: Kit, choice: Choice, results: readonly Result[], startMs: number): Report {
  const count = (outcome: Outcome): number => results.filter((result) => result.outcome === outcome).length
  return {
    kit: { version: KIT_VERSION, suite: SUITE_VERSION },
    interfaceVersion: INTERFACE_VERSION,
    baseUrl: kit.base.href,
    thorough: kit.isThorough,
    leftOut: chosenCases({ ...choice, thorough: true }).length - results.length,
    startedAt: new Date(startMs).toISOString(),
    endedAt: new Date(kit.clock()).toISOString(),
    verdict: verdictOf(results),
    core: verdictOf(results, 'core'),
    asked: {
      cases: results.filter(({ outcome, cites }) => JUDGED.includes(outcome) && cites.some(isRequirement)).length,
      of: chosenCases({ ...choice, thorough: true }).filter(({ cites }) => cites.some(isRequirement)).length,
    },
    // `fromEntries` loses the type of the keys, but every outcome has an entry.
    counts: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)])) as Report['counts'],
    requests: kit.exchanges.length,
    created: { namePrefix: kit.namePrefix, animals: kit.created },
    results,
  }
}

const JUDGED: readonly Outcome[] = ['passed', 'failed', 'suspicious']

/** A requirement that could not be tested makes the verdict `incomplete`, not `passed`. */
function verdictOf(results: readonly Result[], level?: Level): Verdict {
  const judged = results.filter((result) => level === undefined || result.level === level)
  if (judged.some(({ outcome }) => outcome === 'failed')) return 'failed'
  const leftOut = judged.filter(({ outcome, unasked }) => outcome === 'not run' && !unasked)
  return leftOut.some(({ cites }) => cites.some(isRequirement)) ? 'incomplete' : 'passed'
}
