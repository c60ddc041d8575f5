/** The conformance kit as a library. It exhausts `limitedKey`; without that key, cases about 429 are not run. */
import { setTimeout } from 'node:timers/promises'
import { isInt64 } from '../../client/src/json.ts'
import { SERVED } from './animals.ts'
import type { Case, Level } from './case.ts'
import { CASES } from './cases/index.ts'
import { readLimitHeaders } from './http/limit-headers.ts'
import { listPets, WITH_LIMITED_KEY } from './http/request.ts'
import { type Exchange, header } from './http/transport.ts'
import { INTERFACE_VERSION, isRequirement, KIT_VERSION } from './interface.ts'
import { isJsonType, membersOf, tryJson } from './json-body.ts'
import { Judge } from './judge.ts'
import { Kit } from './kit.ts'
import { OUTCOMES, type Report, type Result, type Verdict } from './reports/report.ts'
import { CannotStart, NoAnswer, NoBaseUrl, NotRun } from './verdicts.ts'

export interface ConformanceOptions {
  readonly baseUrl: string
  readonly key: string
  readonly limitedKey?: string | undefined
  /** Case ids or statements. */
  readonly only?: readonly string[] | undefined
  readonly skip?: readonly string[] | undefined
  /** A category that exists, for implementations that accept only some (O1). */
  readonly category?: bigint | undefined
  readonly maxMinutes?: number | undefined
  /** If aborted, the results so far are reported. */
  readonly signal?: AbortSignal | undefined
  /** Unix ms. Compared with the resets of the implementation. */
  readonly clock?: () => number
  readonly sleep?: (ms: number) => Promise<void>
  readonly onProgress?: (sentence: string) => void
}

const MAX_MINUTES = 10

/** Throws CannotStart if the base address is invalid, nothing responds, or a key is refused. */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const { clock = Date.now, onProgress = () => {}, signal, maxMinutes = MAX_MINUTES } = options
  const { sleep = (ms: number) => setTimeout(ms, undefined, { ...(signal && { signal }) }).catch(() => {}) } = options
  const secrets = { key: options.key, limitedKey: options.limitedKey }
  const startMs = clock()
  const deadlineMs = startMs + maxMinutes * 60_000
  const onWait = (ms: number, pool: string) => onProgress(`waiting ${Math.ceil(ms / 1000)} s for the ${pool}`)
  const timing = { clock, sleep, onWait, deadlineMs }
  const isAborted = () => signal?.aborted === true
  const kit = new Kit({ base: parseBaseUrl(options.baseUrl), secrets, timing, isAborted })
  const cases = chosenCases(options)
  const list = await firstList(kit)
  kit.category = options.category ?? categoryIn(list) ?? kit.category
  const judge = new Judge(kit, secrets)
  const results: Result[] = []
  for (const [i, each] of cases.entries()) {
    if (i % 10 === 0) onProgress(`case ${i + 1} of ${cases.length}: ${each.id}`)
    results.push(await judge.judge(each))
  }
  const counts = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, results.filter((result) => result.outcome === outcome).length]),
  ) as Report['counts']
  return {
    kit: KIT_VERSION,
    interfaceVersion: INTERFACE_VERSION,
    baseUrl: kit.base.href,
    startedAt: new Date(startMs).toISOString(),
    endedAt: new Date(clock()).toISOString(),
    verdict: verdictOf(results),
    core: verdictOf(results, 'core'),
    counts,
    requests: kit.exchanges.length,
    created: { namePrefix: kit.namePrefix, animals: kit.created },
    results,
  }
}

/** Lists with each key, so that a wrong address or key ends the run immediately. Throws CannotStart. */
async function firstList(kit: Kit): Promise<Exchange> {
  const at = kit.base.href
  try {
    const list = await kit.once(SERVED.listPets)
    if (list.answer.status === 401) throw new CannotStart(`The key was refused with 401 at ${at}. Give a valid --key.`)
    if (!isJsonType(list.answer) && readLimitHeaders(list.answer) === undefined) {
      const type = header(list.answer, 'Content-Type') ?? 'no Content-Type'
      throw new CannotStart(`${at} is not a base address of the API: ${list.answer.status} with ${type}.`)
    }
    if (kit.hasLimitedKey && (await kit.send(listPets('?limit=1', WITH_LIMITED_KEY))).answer.status === 401)
      throw new CannotStart(`The limited key was refused with 401 at ${at}. Give a valid --limited-key.`)
    return list
  } catch (error) {
    if (error instanceof NoAnswer || error instanceof NotRun)
      throw new CannotStart(`Nothing can be checked at ${at}: ${error.message}.`, { cause: error })
    throw error
  }
}

function categoryIn({ answer }: Exchange): bigint | undefined {
  const pets = tryJson(answer)?.value
  const categoryId = membersOf(Array.isArray(pets) ? pets[0] : undefined)?.get('categoryId')
  return isInt64(categoryId) ? categoryId : undefined
}

export function chosenCases({ only, skip = [] }: Pick<ConformanceOptions, 'only' | 'skip'>): readonly Case[] {
  const isIn = (names: readonly string[], { id, cites }: Case) =>
    names.includes(id) || cites.some((cited) => names.includes(cited))
  return CASES.filter((each) => (only === undefined || isIn(only, each)) && !isIn(skip, each))
}

/** Throws NoBaseUrl. */
export function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new NoBaseUrl(`"${text}" is not an http or https address. Give one such as http://127.0.0.1:8080/v1.`)
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '')
  if (url.username !== '' || url.search !== '' || url.hash !== '' || !url.pathname.endsWith('/v1'))
    throw new NoBaseUrl(`"${text}" is not a base address: it must end in /v1, with nothing after it.`)
  return url
}

/** An untested requirement makes the verdict `incomplete`, not `passed`. */
function verdictOf(results: readonly Result[], level?: Level): Verdict {
  const judged = results.filter((result) => level === undefined || result.level === level)
  if (judged.some(({ outcome }) => outcome === 'failed')) return 'failed'
  const leftOut = judged.filter(({ outcome, unasked }) => outcome === 'not run' && !unasked)
  return leftOut.some(({ cites }) => cites.some(isRequirement)) ? 'incomplete' : 'passed'
}
