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
/** Requests in flight may be one for so many that are left, so that others who use the key find out in time. */
const LEFT_FOR_EACH = 8

/** What a failed attempt says about another one. */
interface Failure {
  /** Of the response; undefined if none arrived. */
  readonly status?: number | undefined
  /** Whether the service may have carried the request out, and doing it twice is worse than an error. */
  readonly mayBeDone: boolean
}

/**
 * Whether a call may be retried. A 429 was refused before anything happened, so any method may be repeated; after other
 * failures only what the service has certainly not done, or may do twice.
 */
export function mayRetry({ status, mayBeDone }: Failure): boolean {
  if (status === 429) return true
  return !mayBeDone && status !== 501 && (status === undefined || status >= 500)
}

/**
 * The time by the clock of the service, in Unix milliseconds: the `Date` header of a response that has just arrived, or
 * this machine's time without it. The travel time of the response and the missing fraction of a second of `Date` make
 * it too early rather than too late, so a wait until some time of the service is not too short.
 */
export function serviceMs(date: string | null, nowMs: number): number {
  return Date.parse(date ?? '') || nowMs
}

/**
 * The wait that a `Retry-After` header asks for, in milliseconds from now, a day at most. The header holds seconds, or
 * an HTTP date by the clock of the service (`atServiceMs`, Unix milliseconds); undefined if it is missing or is
 * neither.
 */
export function retryAfterMs(header: string | null, atServiceMs: number): number | undefined {
  const text = header ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(/GMT$/.test(text) ? text : '') - atServiceMs
  return Number.isNaN(ms) ? undefined : Math.min(DAY_MS, Math.max(0, ms))
}

/**
 * Milliseconds to wait after so many failures, one after the other: at least as long as the service asked for, and at
 * least half a second, after a refusal a second, which doubles each time. A random part of a span that doubles too is
 * added, so that many clients do not retry at the same instant. `random` gives numbers from 0 up to 1.
 */
export function backoffMs(
  failures: number,
  { askedMs = 0, isRefusal = false }: { readonly askedMs?: number | undefined; readonly isRefusal?: boolean },
  random: () => number,
): number {
  const spanMs = Math.min(CAP_MS, BASE_MS * 2 ** (failures - 1))
  return Math.max(askedMs, isRefusal ? 2 * spanMs : spanMs) + random() * spanMs
}

/** A window of the limit as the service last described it. */
export interface Window {
  readonly remaining: number
  /** When the window ends, in milliseconds by the clock of the waits. */
  readonly resetMs: number
}

/**
 * Milliseconds to hold the next request so that no request exceeds the limit, with `unanswered` requests in flight. If
 * no window is known, or the known one has ended, one request goes alone, and the hold of the others is Infinity: its
 * response describes the window. So it is for those beyond `maxInFlight`, and beyond a part of what is left: somebody
 * else may be using the key, and only responses tell.
 */
export function holdMs(window: Window | undefined, unanswered: number, maxInFlight: number, nowMs: number): number {
  if (window === undefined || window.resetMs <= nowMs) return unanswered === 0 ? 0 : Infinity
  if (window.remaining <= unanswered) return window.resetMs - nowMs
  const part = Math.max(1, Math.floor(window.remaining / LEFT_FOR_EACH))
  return unanswered < Math.min(maxInFlight, part) ? 0 : Infinity
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
