/**
 * Parses the three limit headers of an answer (R15), and `Retry-After` (R16) in both forms of HTTP (RFC 9110, 10.2.3),
 * and checks whether their values are plausible.
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

/** A month: longer than any known window or ban, but short enough to tell seconds from milliseconds. */
export const FAR_S = 31 * 86_400
/** The tolerance for travel time and for the whole seconds of `Date`. */
const SLACK_S = 2
/** A Reset that is further back than a day is not explained by a wrong clock. */
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

/** Whether a time is in the near future, by this machine's clock or by the answer's own `Date`. */
export function isPlausible(timeS: number, { answer, atMs }: Exchange): boolean {
  const clocksMs = [atMs, Date.parse(header(answer, 'Date') ?? '')]
  return clocksMs.some((ms) => timeS >= ms / 1000 - SLACK_S && timeS <= ms / 1000 + FAR_S)
}

/** Milliseconds from the arrival of an answer to its Reset, by the server's clock if that differs from this one. */
export function msToReset({ answer, atMs }: Pick<Exchange, 'answer' | 'atMs'>): number | undefined {
  const resetS = readLimitHeaders(answer)?.resetS
  if (resetS === undefined) return undefined
  const dateMs = Date.parse(header(answer, 'Date') ?? '')
  const isOtherClock = Math.abs(dateMs - atMs) > SLACK_S * 1000
  return resetS * 1000 - (isOtherClock ? dateMs : atMs)
}

/** A sentence if Reset is in the past and the answer has no `Date`: this machine's clock may be the wrong one. */
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
 * The wait of `Retry-After`, in ms from `atMs`, when the answer came; undefined if the header is missing or invalid. A
 * date is compared with the answer's own `Date`, because the two clocks may differ.
 */
export function retryAfterMs(answer: HttpResponse, atMs: number): number | undefined {
  const value = header(answer, 'Retry-After')
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const dateMs = Date.parse(header(answer, 'Date') ?? '')
  const sentMs = Number.isNaN(dateMs) ? atMs : dateMs
  return HTTP_DATE.test(value) ? Date.parse(value) - sentMs : undefined
}
