/**
 * When to ask again, and how long to wait before: arithmetic alone, with the time and the randomness passed in. The
 * rules are the interface's: after a 429 the client waits as long as `Retry-After` says and backs off exponentially,
 * because asking on can get the key banned.
 */

/** The widest random wait after the first failed attempt, in milliseconds. It doubles with each further one. */
const BASE_MS = 500
/** No random wait is wider than this, in milliseconds. */
const CAP_MS = 30_000

/**
 * Whether a call may be sent again. `status` is undefined when the connection failed. A 429 was refused before
 * anything happened, so any method may be repeated; of other failures nobody can say whether the service had already
 * done the work, and adding an animal twice is worse than an error.
 */
export function mayRetry(method: string, status: number | undefined): boolean {
  if (status === 429) return true
  return method === 'GET' && (status === undefined || status >= 500)
}

/**
 * What a `Retry-After` header asks for, in milliseconds from now. It holds seconds or an HTTP date; undefined where it
 * is missing or is neither.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const atMs = header.endsWith('GMT') ? Date.parse(header) : Number.NaN
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}

/**
 * Milliseconds to wait after attempt number `attempt` (from 1): never less than the service asked for, and on top a
 * random share ("full jitter") of a span that doubles from attempt to attempt, so that many clients do not come back
 * in the same instant. `random` gives numbers from 0 up to 1.
 */
export function backoffMs(attempt: number, askedMs: number | undefined, random: () => number): number {
  return (askedMs ?? 0) + random() * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1))
}

/** A window of the limit as the service last described it. */
export interface Window {
  readonly remaining: number
  /** When the window ends by this machine's clock, in Unix milliseconds. */
  readonly resetMs: number
}

/**
 * Milliseconds to hold the next request so that those that remain are spread evenly over the rest of the window.
 * `unanswered` requests are under way, the latest was sent at `lastSentMs`. Where no window is known, one request
 * goes alone, and the hold of others is Infinity: the answer to it will tell.
 */
export function paceMs(window: Window | undefined, unanswered: number, lastSentMs: number, nowMs: number): number {
  if (window === undefined || window.resetMs <= nowMs) return unanswered === 0 ? 0 : Infinity
  const left = window.remaining - unanswered
  if (left <= 0) return window.resetMs - nowMs
  return Math.max(0, lastSentMs + (window.resetMs - nowMs) / left - nowMs)
}
