/**
 * When to retry, and how long to wait before: only arithmetic, with the time and the randomness passed in. The rules
 * are those of the interface: after a 429 the client waits as long as `Retry-After` says and backs off exponentially,
 * because a client that keeps sending may have its key banned.
 */

/** The widest random wait after the first failed attempt, in milliseconds. It doubles with each further one. */
const BASE_MS = 500
/** No random wait is wider than this, in milliseconds. */
const CAP_MS = 30_000
/** The longest window of the interface is a day; a longer wait is a mistake of the server. Milliseconds. */
export const DAY_MS = 86_400_000

/**
 * Whether a call may be retried. `status` is undefined if the connection failed. A 429 was refused before anything
 * happened, so any method may be repeated; after other failures the service may already have done the work, and adding
 * an animal twice is worse than an error.
 */
export function mayRetry(method: string, status: number | undefined): boolean {
  if (status === 429) return true
  return method === 'GET' && (status === undefined || status >= 500)
}

/**
 * How far this machine's clock is ahead of the service's, in milliseconds, by the `Date` header of a response that has
 * just arrived; 0 without the header. The travel time of the response and the missing fraction of a second of `Date`
 * make it too large rather than too small, so a wait corrected by it is not too short.
 */
export function aheadMs(date: string | null, nowMs: number): number {
  const dateMs = date === null ? Number.NaN : Date.parse(date)
  return Number.isNaN(dateMs) ? 0 : nowMs - dateMs
}

/**
 * The wait that a `Retry-After` header asks for, in milliseconds from now, a day at most. The header holds seconds, or
 * an HTTP date by the clock of the service (`serviceMs`, Unix milliseconds); undefined if it is missing or is neither.
 */
export function retryAfterMs(header: string | null, serviceMs: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Math.min(DAY_MS, Number(header) * 1000)
  const atMs = header.endsWith('GMT') ? Date.parse(header) : Number.NaN
  return Number.isNaN(atMs) ? undefined : Math.min(DAY_MS, Math.max(0, atMs - serviceMs))
}

/**
 * Milliseconds to wait after attempt number `attempt` (from 1): at least as long as the service asked for, plus a
 * random part ("full jitter") of a span that doubles with each attempt, so that many clients do not retry at the same
 * instant. `random` gives numbers from 0 up to 1.
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
 * Milliseconds to hold the next request so that no request exceeds the limit, with `unanswered` requests in flight. If
 * no window is known, or the known one has ended, one request goes alone, and the hold of the others is Infinity: its
 * response describes the window.
 */
export function holdMs(window: Window | undefined, unanswered: number, nowMs: number): number {
  if (window === undefined || window.resetMs <= nowMs) return unanswered === 0 ? 0 : Infinity
  return window.remaining > unanswered ? 0 : window.resetMs - nowMs
}

/**
 * Milliseconds to hold the next request so that the remaining requests are spread evenly over the rest of the window.
 * The latest request was sent at `lastSentMs`. Only meaningful if `holdMs` is 0.
 */
export function paceMs(window: Window | undefined, unanswered: number, lastSentMs: number, nowMs: number): number {
  if (window === undefined || window.resetMs <= nowMs) return 0
  const spacingMs = (window.resetMs - nowMs) / (window.remaining - unanswered)
  return Math.max(0, lastSentMs + spacingMs - nowMs)
}
