/**
 * When to ask again, and how long to wait before: arithmetic alone, with the time and the randomness passed in. The
 * rules are the interface's: after a 429 the client waits as long as `Retry-After` says and backs off exponentially,
 * because asking on can get the key banned.
 */

/** The widest random wait after the first failed attempt, in milliseconds. It doubles with each further one. */
const BASE_MS = 500
/** No random wait is wider than this, in milliseconds. */
const CAP_MS = 30_000
/** The longest window of the interface is a day. A wait beyond it is a mistake of whoever asks for it. Milliseconds. */
export const DAY_MS = 86_400_000

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
 * How far this machine's clock is ahead of the service's, in milliseconds, as an answer that has just come in shows by
 * its `Date` header; 0 where it has none. The time of the answer's way and the fraction of a second that `Date` lacks
 * make it too much rather than too little, so a wait that is corrected by it is not too short.
 */
export function aheadMs(date: string | null, nowMs: number): number {
  const dateMs = date === null ? Number.NaN : Date.parse(date)
  return Number.isNaN(dateMs) ? 0 : nowMs - dateMs
}

/**
 * What a `Retry-After` header asks for, in milliseconds from now, a day at most. It holds seconds, or an HTTP date by the
 * clock of the service (`serviceMs`, Unix milliseconds); undefined where it is missing or is neither.
 */
export function retryAfterMs(header: string | null, serviceMs: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Math.min(DAY_MS, Number(header) * 1000)
  const atMs = header.endsWith('GMT') ? Date.parse(header) : Number.NaN
  return Number.isNaN(atMs) ? undefined : Math.min(DAY_MS, Math.max(0, atMs - serviceMs))
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
 * Milliseconds to hold the next request so that no request exceeds the limit, with `unanswered` requests under way.
 * Where no window is known, or the known one has ended, one request goes alone, and the hold of others is Infinity: the
 * answer to it will tell.
 */
export function holdMs(window: Window | undefined, unanswered: number, nowMs: number): number {
  if (window === undefined || window.resetMs <= nowMs) return unanswered === 0 ? 0 : Infinity
  return window.remaining > unanswered ? 0 : window.resetMs - nowMs
}

/**
 * Milliseconds to hold the next request so that those that remain are spread evenly over the rest of the window. The
 * latest request was sent at `lastSentMs`. To be asked only where `holdMs` is 0.
 */
export function paceMs(window: Window | undefined, unanswered: number, lastSentMs: number, nowMs: number): number {
  if (window === undefined || window.resetMs <= nowMs) return 0
  const spacingMs = (window.resetMs - nowMs) / (window.remaining - unanswered)
  return Math.max(0, lastSentMs + spacingMs - nowMs)
}
