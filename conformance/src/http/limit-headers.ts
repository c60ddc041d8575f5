/** Reads the limit headers (R15) and `Retry-After` (R16), and checks whether their values are plausible. */
import { type Exchange, type HttpResponse, header, headerValues } from './transport.ts'

export interface LimitHeaders {
  readonly limit: number
  readonly remaining: number
  /** Unix seconds. */
  readonly resetS: number
}

const LIMIT = 'X-RateLimit-Limit'
const REMAINING = 'X-RateLimit-Remaining'
const RESET = 'X-RateLimit-Reset'

/** A month: longer than any window or ban, but short enough to tell seconds from milliseconds. */
const FAR_S = 31 * 86_400
/** Tolerance for travel time and for the whole seconds of `Date`. */
const SLACK_S = 2

/** Undefined if a header is missing or not one whole number. */
export function readLimitHeaders(answer: HttpResponse): LimitHeaders | undefined {
  const [limit, remaining, resetS] = [LIMIT, REMAINING, RESET].map((name) => wholeNumber(answer, name))
  return limit === undefined || remaining === undefined || resetS === undefined
    ? undefined
    : { limit, remaining, resetS }
}

/** The problem with the limit headers, as a phrase; undefined if there is none. */
export function limitHeaderProblem(exchange: Exchange): string | undefined {
  const { answer } = exchange
  for (const name of [LIMIT, REMAINING, RESET]) {
    const values = headerValues(answer, name)
    if (values.length === 0) return `${name} is missing`
    if (wholeNumber(answer, name) === undefined) return `${name} is "${values.join(', ')}", not one whole number`
  }
  const { limit, remaining, resetS } = readLimitHeaders(answer) ?? { limit: 0, remaining: 0, resetS: 0 }
  if (remaining > limit) return `${REMAINING} is above ${LIMIT}`
  return isPlausible(resetS, exchange) ? undefined : `${RESET} is ${resetS}, not a time ahead in Unix seconds`
}

/** Whether a time is in the near future, by this machine's clock or by the response's own `Date`. */
export function isPlausible(timeS: number, { answer, atMs }: Exchange): boolean {
  const clocksMs = [atMs, Date.parse(header(answer, 'Date') ?? '')]
  return clocksMs.some((ms) => timeS >= ms / 1000 - SLACK_S && timeS <= ms / 1000 + FAR_S)
}

/** Ms until the Reset, by the server's clock if it differs from this one. */
export function msToReset({ answer, atMs }: Pick<Exchange, 'answer' | 'atMs'>): number | undefined {
  const resetS = readLimitHeaders(answer)?.resetS
  if (resetS === undefined) return undefined
  const dateMs = Date.parse(header(answer, 'Date') ?? '')
  const isOtherClock = Math.abs(dateMs - atMs) > SLACK_S * 1000
  return resetS * 1000 - (isOtherClock ? dateMs : atMs)
}

function wholeNumber(answer: HttpResponse, name: string): number | undefined {
  const [value = '', ...others] = headerValues(answer, name)
  return others.length === 0 && /^\d+$/.test(value) ? Number(value) : undefined
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** The wait in ms; undefined if the header is missing or invalid. A date is compared with the response's own `Date`. */
export function retryAfterMs({ answer, atMs }: Pick<Exchange, 'answer' | 'atMs'>): number | undefined {
  const value = header(answer, 'Retry-After')
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const sentMs = Date.parse(header(answer, 'Date') ?? '') || atMs
  return HTTP_DATE.test(value) ? Date.parse(value) - sentMs : undefined
}
