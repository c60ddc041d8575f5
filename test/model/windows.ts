/** The limits of the model: two fixed windows on the UTC clock, and the ban (R14-R17, O10-O15). */

export interface Limits {
  readonly perMinute: number
  /** An address has no daily window (O14). */
  readonly perDay: number | undefined
}

/** After `refusals` refusals within `withinMs` a key is banned for `forMs` (O15). */
export interface BanPolicy {
  readonly refusals: number
  readonly withinMs: number
  readonly forMs: number
}

/** What a key or an address has used; every list holds the instants, in Unix ms, of what it counts. */
export interface Use {
  readonly admitted: readonly number[]
  readonly refused: readonly number[]
  /** In force until then, and the limit of the window that blocked. */
  readonly ban: { readonly untilMs: number; readonly limit: number } | undefined
}

export interface Verdict {
  readonly admitted: boolean
  readonly limit: number
  readonly remaining: number
  readonly resetS: number
  readonly retryAfterS: number | undefined
  readonly after: Use
}

export const UNUSED: Use = { admitted: [], refused: [], ban: undefined }
const LENGTHS = { minute: 60_000, day: 86_400_000 } as const

/** The verdict on one more request now. `counts` is false for what is free (pages). */
export function judge(use: Use, limits: Limits, ban: BanPolicy | undefined, nowMs: number): Verdict {
  const windows = (['minute', 'day'] as const).flatMap((name) => {
    const limit = name === 'minute' ? limits.perMinute : limits.perDay
    if (limit === undefined) return []
    const startMs = nowMs - (nowMs % LENGTHS[name]) // O12
    const used = use.admitted.filter((atMs) => atMs >= startMs).length
    return [{ limit, left: limit - used, endMs: startMs + LENGTHS[name] }]
  })
  // O11: the later reset. In the last minute of a day both are the same, and either window may be told: the day is.
  const blocking = windows
    .filter(({ left }) => left <= 0)
    .sort((a, b) => a.endMs - b.endMs)
    .at(-1)
  const banned = (ban: NonNullable<Use['ban']>, after: Use) =>
    denied(ban.limit, Math.max(ban.untilMs, blocking?.endMs ?? 0), nowMs, after) // O15: whichever is later
  if (use.ban !== undefined && nowMs < use.ban.untilMs) return banned(use.ban, use)
  if (blocking !== undefined) {
    const refused = [...use.refused, nowMs]
    const recent = ban === undefined ? [] : refused.filter((atMs) => atMs > nowMs - ban.withinMs)
    if (ban === undefined || recent.length < ban.refusals) {
      return denied(blocking.limit, blocking.endMs, nowMs, { ...use, refused: recent })
    }
    const begun = { untilMs: nowMs + ban.forMs, limit: blocking.limit } // O15: it begins with the Nth
    return banned(begun, { ...use, refused: [], ban: begun })
  }
  // O13: it counts once in both windows. O11: the fewer remaining; on a tie the later reset.
  const [first] = windows
    .map((each) => ({ ...each, left: each.left - 1 }))
    .sort((a, b) => a.left - b.left || b.endMs - a.endMs)
  if (first === undefined) throw new Error('a subject has at least one window')
  const dayStartMs = nowMs - (nowMs % LENGTHS.day)
  const after = { ...use, admitted: [...use.admitted.filter((atMs) => atMs >= dayStartMs), nowMs] }
  const { limit, left: remaining, endMs } = first
  return { admitted: true, limit, remaining, resetS: endMs / 1_000, retryAfterS: undefined, after }
}

/** O11, O13: whole seconds until the reset, at least 1; nothing is counted. */
function denied(limit: number, untilMs: number, nowMs: number, after: Use): Verdict {
  const retryAfterS = Math.max(1, Math.ceil((untilMs - nowMs) / 1_000))
  return { admitted: false, limit, remaining: 0, resetS: Math.ceil(untilMs / 1_000), retryAfterS, after }
}
