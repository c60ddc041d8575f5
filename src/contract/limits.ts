/**
 * The rate-limit rules (R14-R17, O11-O15), which each engine of counters runs or reimplements. If the clock steps back
 * by up to a day, a subject stays in its window; after a longer step, its counts are dropped.
 */

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MAX_STEP_BACK_MS = DAY_MS
/** Refusals need not be kept for longer. */
export const MAX_BAN_WINDOW_MS = DAY_MS
export const MAX_BAN_MS = 365 * DAY_MS

/** After `refusals` refusals within `withinMs`, the key is banned for `forMs` (O15). */
export interface BanPolicy {
  readonly refusals: number
  readonly withinMs: number
  readonly forMs: number
}

/** The limits of a key or a client address. An address has no daily window and is never banned. */
export interface Limits {
  readonly perMinute: number
  readonly perDay: number | undefined
  readonly ban: BanPolicy | undefined
}

/** The use of one subject. Windows are numbered since 1970. */
export interface Counter {
  minute: number
  minuteCount: number
  day: number
  dayCount: number
  /** Unix ms, oldest first. Kept only with a ban policy. */
  refusedAtMs: number[]
  bannedUntilMs: number
  /** The limit of the window that caused the ban. */
  banLimit: number
}

/** The decision on one request, and the values of its headers. */
export interface Verdict {
  readonly admitted: boolean
  /** The window of the headers; after a refusal, the window or ban that refused. */
  readonly window: 'minute' | 'day' | 'ban'
  readonly atMs: number
  readonly limit: number
  readonly remaining: number
  readonly resetS: number
  /** Whole seconds to wait; 0 if admitted. */
  readonly retryAfterS: number
  /** Only if the request was admitted, and for the day only with a daily limit. */
  readonly minuteLeft?: number
  readonly dayLeft?: number | undefined
  /** Unix ms. Only if a ban refused the request. */
  readonly bannedUntilMs?: number
}

/** A verdict that counted nothing, and the requests used in both windows. */
export interface LimitState extends Verdict {
  readonly banned: boolean
  readonly minuteUsed: number
  readonly dayUsed: number
}

export function newCounter(): Counter {
  return { minute: 0, minuteCount: 0, day: 0, dayCount: 0, refusedAtMs: [], bannedUntilMs: 0, banLimit: 0 }
}

/** Decides one request and counts it in `counter`: in both windows if admitted, in neither if refused (O13). */
export function consume(counter: Counter, limits: Limits, nowMs: number): Verdict {
  if (isBanned(counter, limits, nowMs)) return banned(counter, limits, nowMs)
  rollWindows(counter, limits, nowMs)
  const minuteLeft = limits.perMinute - counter.minuteCount
  const dayLeft = limits.perDay === undefined ? Infinity : limits.perDay - counter.dayCount
  if (minuteLeft > 0 && dayLeft > 0) {
    counter.minuteCount += 1
    if (limits.perDay !== undefined) counter.dayCount += 1
    return verdictOf(counter, limits, nowMs, minuteLeft - 1, dayLeft - 1)
  }
  return refuse(counter, limits, dayLeft <= 0, nowMs)
}

/** The verdict that `consume` would return, without counting. */
export function peek(original: Counter, limits: Limits, nowMs: number): LimitState {
  const counter = { ...original } // a peek must not move the subject to another window
  rollWindows(counter, limits, nowMs)
  const isHeld = isBanned(counter, limits, nowMs)
  const minuteLeft = Math.max(0, limits.perMinute - counter.minuteCount)
  const dayLeft = Math.max(0, (limits.perDay ?? Infinity) - counter.dayCount)
  const verdict = isHeld ? banned(counter, limits, nowMs) : verdictOf(counter, limits, nowMs, minuteLeft, dayLeft)
  return { ...verdict, banned: isHeld, minuteUsed: counter.minuteCount, dayUsed: counter.dayCount }
}

/** A day after the end of its day, because the clock might step back. Addresses are dropped after their minute. */
export function expiresAtMs({ minute, day, bannedUntilMs, refusedAtMs }: Counter): number {
  const lastRefusedAtMs = refusedAtMs.at(-1) ?? Number.NEGATIVE_INFINITY
  const windowsMs = day === 0 ? (minute + 1) * MINUTE_MS : (day + 2) * DAY_MS
  return Math.max(windowsMs, bannedUntilMs, lastRefusedAtMs + MAX_BAN_WINDOW_MS)
}

export function isExpired(counter: Counter, nowMs: number): boolean {
  return expiresAtMs(counter) <= nowMs
}

export function longestWaitMs({ ban }: Limits): number {
  return DAY_MS + Math.max(DAY_MS, ban?.forMs ?? 0)
}

/** Removing the policy ends a ban. A ban that ends later than the policy allows was set by a wrong clock. */
function isBanned({ bannedUntilMs }: Counter, { ban }: Limits, nowMs: number): boolean {
  const leftMs = bannedUntilMs - nowMs
  return ban !== undefined && leftMs > 0 && leftMs <= ban.forMs + MAX_STEP_BACK_MS
}

/** The window by the clock, or a later one that the subject has entered. */
function windowAt(nowMs: number, lengthMs: number, current: number): number {
  const window = Math.floor(nowMs / lengthMs)
  return current > window && current - window <= MAX_STEP_BACK_MS / lengthMs ? current : window
}

function rollWindows(counter: Counter, limits: Limits, nowMs: number): void {
  const minute = windowAt(nowMs, MINUTE_MS, counter.minute)
  if (counter.minute !== minute) {
    counter.minute = minute
    counter.minuteCount = 0
  }
  if (limits.perDay === undefined) return
  const day = windowAt(nowMs, DAY_MS, counter.day)
  if (counter.day !== day) {
    counter.day = day
    counter.dayCount = 0
  }
}

/** The headers describe the window that will refuse first: fewer requests left or, if equal, the later reset (O11). */
function verdictOf(counter: Counter, limits: Limits, nowMs: number, minuteLeft: number, dayLeft: number): Verdict {
  const minuteResetS = (counter.minute + 1) * 60
  const dayResetS = (counter.day + 1) * 86_400
  const isDay =
    limits.perDay !== undefined && (dayLeft < minuteLeft || (dayLeft === minuteLeft && dayResetS > minuteResetS))
  return {
    admitted: true,
    window: isDay ? 'day' : 'minute',
    atMs: nowMs,
    limit: isDay ? limits.perDay : limits.perMinute,
    remaining: isDay ? dayLeft : minuteLeft,
    resetS: isDay ? dayResetS : minuteResetS,
    retryAfterS: 0,
    minuteLeft,
    dayLeft: limits.perDay === undefined ? undefined : dayLeft,
  }
}

function refuse(counter: Counter, limits: Limits, dayIsSpent: boolean, nowMs: number): Verdict {
  // If both windows refuse, the daily one resets later.
  const blockedByDay = dayIsSpent && limits.perDay !== undefined
  const limit = blockedByDay ? limits.perDay : limits.perMinute
  if (limits.ban !== undefined && startsBan(counter, limits.ban, nowMs)) {
    counter.bannedUntilMs = nowMs + limits.ban.forMs
    counter.banLimit = limit
    counter.refusedAtMs = []
    return banned(counter, limits, nowMs)
  }
  return refusal(blockedByDay ? 'day' : 'minute', limit, blockedUntilMs(counter, limits), nowMs)
}

/** Unix ms; 0 if both windows have requests left. */
function blockedUntilMs({ minute, minuteCount, day, dayCount }: Counter, { perMinute, perDay }: Limits): number {
  if (perDay !== undefined && dayCount >= perDay) return (day + 1) * DAY_MS
  return minuteCount >= perMinute ? (minute + 1) * MINUTE_MS : 0
}

function startsBan(counter: Counter, ban: BanPolicy, nowMs: number): boolean {
  counter.refusedAtMs = counter.refusedAtMs.filter(
    (atMs) => atMs > nowMs - ban.withinMs && atMs <= nowMs + MAX_STEP_BACK_MS,
  )
  counter.refusedAtMs.push(nowMs)
  return counter.refusedAtMs.length >= ban.refusals
}

/** Waits for the ban and for the window that refused: otherwise the next request might be refused (O15). */
function banned({ ...counter }: Counter, limits: Limits, nowMs: number): Verdict {
  const { bannedUntilMs, banLimit } = counter
  rollWindows(counter, limits, nowMs)
  const untilMs = Math.max(bannedUntilMs, blockedUntilMs(counter, limits))
  return { ...refusal('ban', banLimit, untilMs, nowMs), bannedUntilMs }
}

/** Rounded up to whole seconds: after a shorter wait the client would be refused again. */
function refusal(window: Verdict['window'], limit: number, untilMs: number, nowMs: number): Verdict {
  return {
    admitted: false,
    window,
    atMs: nowMs,
    limit,
    remaining: 0,
    resetS: Math.ceil(untilMs / 1000),
    retryAfterS: Math.max(1, Math.ceil((untilMs - nowMs) / 1000)),
  }
}
