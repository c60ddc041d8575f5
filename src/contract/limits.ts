/**
 * The rate-limit rules as arithmetic (R14-R17, O11-O15): two fixed windows on the UTC clock, decided and counted in one
 * step, and the ban that repeated refusals may bring. No clock and no storage in here: every engine of counters either
 * runs this code or states the same rules in its own language, and one suite of tests holds them all to it.
 *
 * Time as a subject sees it does not run backwards: while the clock says less than it did, a subject stays in the window
 * that it has entered. That holds for a step back of up to a day. A longer one means that the clock was wrong before, and
 * what was counted then is dropped: a clock that was a year ahead for a moment must not shut anybody out for a year.
 */

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** The longest step back of the clock for which a subject stays where it is. */
const LONGEST_STEP_BACK_MS = DAY_MS
/** What a ban policy may look back at most, and how long a ban may last at most: refusals need not be kept for longer. */
export const MAX_BAN_WINDOW_MS = DAY_MS
export const MAX_BAN_MS = 365 * DAY_MS

/** After `refusals` refusals within `withinMs`, the key is banned for `forMs` (O15). */
export interface BanPolicy {
  readonly refusals: number
  readonly withinMs: number
  readonly forMs: number
}

/** What one subject, a key or a client address, is allowed. An address has no daily window and is never banned. */
export interface Limits {
  readonly perMinute: number
  readonly perDay: number | undefined
  readonly ban: BanPolicy | undefined
}

/** What one subject has used. A window is named by its number since 1970, so one that has passed needs no clean-up to end. */
export interface Usage {
  minute: number
  minuteCount: number
  day: number
  dayCount: number
  /** Unix ms of the latest refusals, oldest first; kept only where a ban policy is set, and never more than it asks for. */
  refusedAtMs: number[]
  bannedUntilMs: number
  /** The limit of the window whose refusal began the ban. */
  banLimit: number
}

/** The answer to one request, and what its three headers say. */
export interface Verdict {
  readonly admitted: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix seconds. */
  readonly resetS: number
  /** Whole seconds to wait; 0 when admitted. */
  readonly retryAfterS: number
}

export function newUsage(): Usage {
  return { minute: 0, minuteCount: 0, day: 0, dayCount: 0, refusedAtMs: [], bannedUntilMs: 0, banLimit: 0 }
}

/** Decides one request and counts it in `usage`: in both windows when admitted, in neither when refused (O13). */
export function take(usage: Usage, limits: Limits, nowMs: number): Verdict {
  if (isBanned(usage, limits, nowMs)) return banned(usage, nowMs)
  enterWindows(usage, limits, nowMs)
  const minuteLeft = limits.perMinute - usage.minuteCount
  const dayLeft = limits.perDay === undefined ? Infinity : limits.perDay - usage.dayCount
  if (minuteLeft > 0 && dayLeft > 0) {
    usage.minuteCount += 1
    if (limits.perDay !== undefined) usage.dayCount += 1
    return describe(usage, limits, minuteLeft - 1, dayLeft - 1)
  }
  return refuse(usage, limits, dayLeft <= 0, nowMs)
}

/** What `take` would find, without counting: for answers that are free of charge. */
export function peek(usage: Usage, limits: Limits, nowMs: number): Verdict {
  if (isBanned(usage, limits, nowMs)) return banned(usage, nowMs)
  enterWindows(usage, limits, nowMs)
  const dayLeft = limits.perDay === undefined ? Infinity : limits.perDay - usage.dayCount
  return describe(usage, limits, Math.max(0, limits.perMinute - usage.minuteCount), Math.max(0, dayLeft))
}

/** Unix ms from which nothing in `usage` can matter: a window is kept for its own length after its end, as the clock may step back. */
export function keptUntilMs({ minute, day, bannedUntilMs, refusedAtMs }: Usage): number {
  const lastRefusedAtMs = refusedAtMs.at(-1) ?? Number.NEGATIVE_INFINITY
  return Math.max((minute + 2) * MINUTE_MS, (day + 2) * DAY_MS, bannedUntilMs, lastRefusedAtMs + MAX_BAN_WINDOW_MS)
}

/** Whether nothing in `usage` can matter any more, so that it may be forgotten. */
export function isSpent(usage: Usage, nowMs: number): boolean {
  return keptUntilMs(usage) <= nowMs
}

/** The longest that a refusal by these limits can hold, in ms. */
export function longestWaitMs({ ban }: Limits): number {
  return DAY_MS + Math.max(DAY_MS, ban?.forMs ?? 0)
}

/** A ban ends with the policy, and one that lies further ahead than the policy reaches was set by a clock that was wrong. */
function isBanned({ bannedUntilMs }: Usage, { ban }: Limits, nowMs: number): boolean {
  const leftMs = bannedUntilMs - nowMs
  return ban !== undefined && leftMs > 0 && leftMs <= ban.forMs + LONGEST_STEP_BACK_MS
}

/** The number of the window that a subject is in, by the clock and by the one that it has entered. */
function windowAt(nowMs: number, lengthMs: number, entered: number): number {
  const window = Math.floor(nowMs / lengthMs)
  return entered > window && entered - window <= LONGEST_STEP_BACK_MS / lengthMs ? entered : window
}

function enterWindows(usage: Usage, limits: Limits, nowMs: number): void {
  const minute = windowAt(nowMs, MINUTE_MS, usage.minute)
  if (usage.minute !== minute) {
    usage.minute = minute
    usage.minuteCount = 0
  }
  if (limits.perDay === undefined) return
  const day = windowAt(nowMs, DAY_MS, usage.day)
  if (usage.day !== day) {
    usage.day = day
    usage.dayCount = 0
  }
}

/** The headers describe the window that will block first: the fewer remaining; on a tie, the later reset (O11). */
function describe(usage: Usage, limits: Limits, minuteLeft: number, dayLeft: number): Verdict {
  const minuteResetS = (usage.minute + 1) * 60
  const dayResetS = (usage.day + 1) * 86_400
  if (limits.perDay !== undefined && (dayLeft < minuteLeft || (dayLeft === minuteLeft && dayResetS > minuteResetS))) {
    return { admitted: true, limit: limits.perDay, remaining: dayLeft, resetS: dayResetS, retryAfterS: 0 }
  }
  return { admitted: true, limit: limits.perMinute, remaining: minuteLeft, resetS: minuteResetS, retryAfterS: 0 }
}

function refuse(usage: Usage, limits: Limits, dayIsSpent: boolean, nowMs: number): Verdict {
  // Where both windows block, the day is the one that resets later.
  const blockedByDay = dayIsSpent && limits.perDay !== undefined
  const limit = blockedByDay ? limits.perDay : limits.perMinute
  if (limits.ban !== undefined && beginsBan(usage, limits.ban, nowMs)) {
    usage.bannedUntilMs = nowMs + limits.ban.forMs
    usage.banLimit = limit
    usage.refusedAtMs = []
    return banned(usage, nowMs)
  }
  return refusal(limit, blockedByDay ? (usage.day + 1) * DAY_MS : (usage.minute + 1) * MINUTE_MS, nowMs)
}

function beginsBan(usage: Usage, ban: BanPolicy, nowMs: number): boolean {
  usage.refusedAtMs = usage.refusedAtMs.filter(
    (atMs) => atMs > nowMs - ban.withinMs && atMs <= nowMs + LONGEST_STEP_BACK_MS,
  )
  usage.refusedAtMs.push(nowMs)
  return usage.refusedAtMs.length >= ban.refusals
}

function banned(usage: Usage, nowMs: number): Verdict {
  return refusal(usage.banLimit, usage.bannedUntilMs, nowMs)
}

/** Rounded up to whole seconds: a client told too short a wait would only be refused again. */
function refusal(limit: number, untilMs: number, nowMs: number): Verdict {
  return {
    admitted: false,
    limit,
    remaining: 0,
    resetS: Math.ceil(untilMs / 1000),
    retryAfterS: Math.max(1, Math.ceil((untilMs - nowMs) / 1000)),
  }
}
