/**
 * The three limit headers of an answer (R15), and `Retry-After` (R16) in both of the forms that HTTP gives it (RFC
 * 9110, 10.2.3): what they say, and whether they can be what the interface says they are.
 */
import { type HttpResponse, header, headerValues } from './answer.ts'
import type { Exchange } from './transport.ts'

export interface LimitHeaders {
  readonly limit: number
  readonly remaining: number
  /** Unix seconds. */
  readonly resetS: number
}

const LIMIT = 'X-RateLimit-Limit'
const REMAINING = 'X-RateLimit-Remaining'
const RESET = 'X-RateLimit-Reset'

/** A month: longer than any window or ban that is known, and short enough to tell seconds from milliseconds. */
export const FAR_S = 31 * 86_400
/** An answer takes its time, and a `Date` has whole seconds. */
const SLACK_S = 2
/** A clock that is further off than a day is no clock. */
const CLOCK_ERROR_S = 86_400

/** Undefined when a header is missing or is not one whole number. */
export function readLimitHeaders(answer: HttpResponse): LimitHeaders | undefined {
  const [limit, remaining, resetS] = [LIMIT, REMAINING, RESET].map((name) => wholeNumber(answer, name))
  return limit === undefined || remaining === undefined || resetS === undefined
    ? undefined
    : { limit, remaining, resetS }
}

/** What is wrong with the limit headers of an answer, in a phrase; undefined when nothing is. */
export function limitHeaderProblem(exchange: Exchange): string | undefined {
  const { answer } = exchange
  const problems: string[] = []
  for (const name of [LIMIT, REMAINING, RESET]) {
    const values = headerValues(answer, name)
    if (values.length === 0) problems.push(`${name} is missing`)
    else if (wholeNumber(answer, name) === undefined)
      problems.push(`${name} is "${values.join(', ')}", not one whole number`)
  }
  const headers = readLimitHeaders(answer)
  if (headers !== undefined) {
    if (headers.remaining > headers.limit) problems.push(`${REMAINING} is above ${LIMIT}`)
    if (!isPlausible(headers.resetS, exchange) && clockDoubt(exchange) === undefined)
      problems.push(`${RESET} is ${headers.resetS}, ${resetMistake(headers.resetS, exchange)}`)
  }
  return problems.length === 0 ? undefined : problems.join('; ')
}

/** Whether a time lies ahead at a distance that makes sense, by this machine's clock or by the answer's own `Date`. */
export function isPlausible(timeS: number, { answer, atMs }: Exchange): boolean {
  const clocksMs = [atMs, Date.parse(header(answer, 'Date') ?? '')]
  return clocksMs.some((ms) => timeS >= ms / 1000 - SLACK_S && timeS <= ms / 1000 + FAR_S)
}

/** From when the answer came until its Reset, in ms, by the other side's clock where that is another. */
export function msToReset({ answer, atMs }: Pick<Exchange, 'answer' | 'atMs'>): number | undefined {
  const resetS = readLimitHeaders(answer)?.resetS
  if (resetS === undefined) return undefined
  const dateMs = Date.parse(header(answer, 'Date') ?? '')
  const isOtherClock = Math.abs(dateMs - atMs) > SLACK_S * 1000
  return resetS * 1000 - (isOtherClock ? dateMs : atMs)
}

/** A Reset that lies behind where no `Date` tells the other clock: it may be this one that is wrong. */
export function clockDoubt(exchange: Exchange): string | undefined {
  const resetS = readLimitHeaders(exchange.answer)?.resetS
  if (resetS === undefined || isPlausible(resetS, exchange) || header(exchange.answer, 'Date') !== undefined)
    return undefined
  const behindS = Math.round(exchange.atMs / 1000 - resetS)
  if (behindS > CLOCK_ERROR_S) return undefined
  return `X-RateLimit-Reset lies ${behindS} s behind this machine's clock, and no Date tells what the other clock says`
}

function resetMistake(resetS: number, { atMs }: Exchange): string {
  if (resetS <= FAR_S) return 'which looks like the seconds to go, not like a Unix time'
  if (resetS > 1e11) return 'which looks like milliseconds, not like seconds'
  return resetS < atMs / 1000
    ? 'a time that lies behind'
    : 'a time that lies further ahead than any limit needs to reset'
}

function wholeNumber(answer: HttpResponse, name: string): number | undefined {
  const [value = '', ...others] = headerValues(answer, name)
  return others.length === 0 && /^\d+$/.test(value) ? Number(value) : undefined
}

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * The wait in ms from `atMs`, when the answer came; undefined when there is no such header, or when it has neither
 * form. A date is read against the answer's own `Date`, for the two clocks may differ.
 */
export function retryAfterMs(answer: HttpResponse, atMs: number): number | undefined {
  const value = header(answer, 'Retry-After')
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const dateMs = Date.parse(header(answer, 'Date') ?? '')
  const sentMs = Number.isNaN(dateMs) ? atMs : dateMs
  return HTTP_DATE.test(value) ? Date.parse(value) - sentMs : undefined
}
