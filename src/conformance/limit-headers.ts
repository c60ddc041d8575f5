/** The three limit headers of an answer (R15): what they say, and whether they can be what the interface says they are. */
import { type Answer, type Exchange, header, headerValues } from './transport.ts'

export interface LimitHeaders {
  readonly limit: number
  readonly remaining: number
  /** Unix seconds. */
  readonly resetS: number
}

const LIMIT = 'X-RateLimit-Limit'
const REMAINING = 'X-RateLimit-Remaining'
const RESET = 'X-RateLimit-Reset'

/** No window is known to be longer than a day, but a ban may be; a month leaves room and still tells seconds from milliseconds. */
export const FAR_S = 31 * 86_400
/** Two clocks differ a little, and an answer takes its time. */
const SLACK_S = 5

/** Undefined when a header is missing or is not one whole number. */
export function readLimitHeaders(answer: Answer): LimitHeaders | undefined {
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
    if (!isPlausible(headers.resetS, exchange))
      problems.push(`${RESET} is ${headers.resetS}, ${resetMistake(headers.resetS)}`)
  }
  return problems.length === 0 ? undefined : problems.join('; ')
}

/** Whether a time lies ahead at a distance that makes sense, by this machine's clock or by the answer's own `Date`. */
export function isPlausible(timeS: number, { answer, atMs }: Exchange): boolean {
  const clocksS = [atMs, Date.parse(header(answer, 'Date') ?? '')].map((ms) => ms / 1000)
  return clocksS.some((nowS) => timeS >= nowS - SLACK_S && timeS <= nowS + FAR_S)
}

function resetMistake(resetS: number): string {
  if (resetS <= FAR_S) return 'which looks like the seconds to go, not like a Unix time'
  if (resetS > 1e11) return 'which looks like milliseconds, not like seconds'
  return `which is ${new Date(resetS * 1000).toISOString()}, no time at which a limit could reset next`
}

function wholeNumber(answer: Answer, name: string): number | undefined {
  const [value = '', ...others] = headerValues(answer, name)
  return others.length === 0 && /^\d+$/.test(value) ? Number(value) : undefined
}
