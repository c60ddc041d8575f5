/**
 * When to retry, and how long to wait first. These functions are pure: time and randomness are passed in. The interface
 * sets the rules: after a 429 the client waits as long as `Retry-After` says and backs off exponentially, because a
 * client that keeps sending may have its key banned.
 */
import type { AnswerError } from './errors.ts'

/** The maximum random wait after the first failed attempt, in milliseconds. It doubles with each further failure. */
const BASE_MS = 500
/** The maximum random wait after any attempt, in milliseconds. */
const CAP_MS = 30_000
/** A day in milliseconds, the longest window of the interface. A longer wait is an error of the server. */
export const DAY_MS = 86_400_000
/** Remaining requests per request in flight. The margin shows other programs that use the key the limit in time. */
const LEFT_FOR_EACH = 8

/**
 * Whether a call may be retried. After a 429 any call may be, because nothing was done. After other failures, only one
 * that was certainly not carried out, or that is safe to repeat.
 */
export function mayRetry({ status, mayBeDone }: Pick<AnswerError, 'mayBeDone'> & Partial<AnswerError>): boolean {
  if (status === 429) return true
  return !mayBeDone && status !== 501 && (status === undefined || status >= 500)
}

/**
 * The service's current time in Unix milliseconds: the `Date` header of a response that has just arrived, or this
 * machine's time without it. Travel time and the whole seconds of `Date` make the result early rather than late, so a
 * wait until a time of the service is never too short.
 */
export function serviceMs(date: string | null, nowMs: number): number {
  return Date.parse(date ?? '') || nowMs
}

/**
 * The wait that a `Retry-After` header asks for, in milliseconds from now, at most a day. The header holds seconds or
 * an HTTP date, which is compared with the service's clock (`atServiceMs`, Unix milliseconds). Undefined if the header
 * is missing or invalid.
 */
export function retryAfterMs(header: string | null, atServiceMs: number): number | undefined {
  const text = header ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(/GMT$/.test(text) ? text : '') - atServiceMs
  return Number.isNaN(ms) ? undefined : Math.min(DAY_MS, Math.max(0, ms))
}

/**
 * Milliseconds to wait after this many consecutive failures: at least what the service asked for, and at least half a
 * second, or a second after a 429. The minimum doubles with each failure. A random part, whose maximum doubles too,
 * keeps many clients from retrying at the same instant. `random` returns numbers from 0 up to 1.
 */
export function backoffMs(
  failures: number,
  { askedMs = 0, isRefusal = false }: { readonly askedMs?: number | undefined; readonly isRefusal?: boolean },
  random: () => number,
): number {
  const spanMs = Math.min(CAP_MS, BASE_MS * 2 ** (failures - 1))
  return Math.max(askedMs, isRefusal ? 2 * spanMs : spanMs) + random() * spanMs
}

/** A window of the limit, as the latest response described it. */
export interface Window {
  readonly remaining: number
  /** When the window ends, in milliseconds on the clock of `elapsedMs`. */
  readonly resetMs: number
}

/**
 * Milliseconds to hold the next request so that the limit is not exceeded, with `unanswered` requests in flight. While
 * the window is unknown or over, one request is sent alone, because its response describes the window. The others are
 * held until that response arrives (Infinity). So are requests beyond `maxInFlight` or beyond a share of the remaining
 * ones: another program may be using the key, and only responses show it.
 */
export function holdMs(window: Window | undefined, unanswered: number, maxInFlight: number, nowMs: number): number {
  if (!window || window.resetMs <= nowMs) return unanswered === 0 ? 0 : Infinity
  if (window.remaining <= unanswered) return window.resetMs - nowMs
  const part = Math.max(1, Math.floor(window.remaining / LEFT_FOR_EACH))
  return unanswered < Math.min(maxInFlight, part) ? 0 : Infinity
}
