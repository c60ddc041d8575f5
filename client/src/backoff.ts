/** When to retry, and how long to wait first. A client that keeps sending after a 429 might have its key banned. */
import type { AnswerError } from './errors.ts'

/** The maximum random wait after the first failed attempt. It doubles with each failure, up to CAP_MS. */
const BASE_MS = 500
const CAP_MS = 30_000
/** The longest window of the interface. A longer wait is an error of the server. */
export const DAY_MS = 86_400_000
/** Remaining requests per request in flight. The margin shows other programs that use the key the limit in time. */
const LEFT_FOR_EACH = 8

/** After a 429 nothing was done. After other failures, a call must not have been carried out, or be safe to repeat. */
export function mayRetry({ status, mayBeDone }: Pick<AnswerError, 'mayBeDone'> & Partial<AnswerError>): boolean {
  if (status === 429) return true
  return !mayBeDone && status !== 501 && (status === undefined || status >= 500)
}

/**
 * The service's time in Unix milliseconds: the `Date` of a response that has just arrived, or this machine's time. It is
 * early rather than late, so that no wait until a time of the service is too short.
 */
export function serviceMs(date: string | null, nowMs: number): number {
  return Date.parse(date ?? '') || nowMs
}

/** The wait in milliseconds, at most a day. A date in `Retry-After` is compared with the service's clock. */
export function retryAfterMs(header: string | null, atServiceMs: number): number | undefined {
  const text = header ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(/GMT$/.test(text) ? text : '') - atServiceMs
  return Number.isNaN(ms) ? undefined : Math.min(DAY_MS, Math.max(0, ms))
}

/** Milliseconds to wait after consecutive failures. A random part keeps clients from retrying at the same instant. */
export function backoffMs(
  failures: number,
  { askedMs = 0, isRefusal = false }: { readonly askedMs?: number | undefined; readonly isRefusal?: boolean },
  random: () => number,
): number {
  const spanMs = Math.min(CAP_MS, BASE_MS * 2 ** (failures - 1))
  return Math.max(askedMs, isRefusal ? 2 * spanMs : spanMs) + random() * spanMs
}

export interface Window {
  readonly remaining: number
  /** In milliseconds on the clock of `elapsedMs`. */
  readonly resetMs: number
}

/**
 * Milliseconds to hold the next request, with `unanswered` requests in flight. While the window is unknown, one request
 * goes alone, and others are held until its response describes the window (Infinity). So are requests beyond a share of
 * the remaining ones: only responses show another program that uses the key.
 */
export function holdMs(window: Window | undefined, unanswered: number, maxInFlight: number, nowMs: number): number {
  if (!window || window.resetMs <= nowMs) return unanswered === 0 ? 0 : Infinity
  if (window.remaining <= unanswered) return window.resetMs - nowMs
  const part = Math.max(1, Math.floor(window.remaining / LEFT_FOR_EACH))
  return unanswered < Math.min(maxInFlight, part) ? 0 : Infinity
}
