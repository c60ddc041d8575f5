/** `Retry-After` in both of the forms that HTTP gives it (RFC 9110, 10.2.3): whole seconds, or a date. */
import { type Answer, header } from './answer.ts'

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * The wait in ms from `atMs`, when the answer came; undefined when there is no such header, or when it has neither
 * form. A date is read against the answer's own `Date`, for the two clocks may differ.
 */
export function retryAfterMs(answer: Answer, atMs: number): number | undefined {
  const value = header(answer, 'Retry-After')
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const dateMs = Date.parse(header(answer, 'Date') ?? '')
  const sentMs = Number.isNaN(dateMs) ? atMs : dateMs
  return HTTP_DATE.test(value) ? Date.parse(value) - sentMs : undefined
}
