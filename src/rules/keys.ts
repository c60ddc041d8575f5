/** Rules for keys: their limits and expiry, and what they can do at an instant. */
import { DAY_MS } from '../common/clock.ts'
import { isPlan, PLANS, type Quota } from '../contract/plans.ts'

interface Lifetime {
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
}

export interface KeyTerms {
  /** A Plan, or the plan of a later version. */
  readonly plan: string
  readonly perMinute: number
  readonly perDay: number
  readonly label: string
}

/** A ban as recorded when it began (R17). */
export interface Ban {
  readonly atMs: number
  readonly untilMs: number
  /** This many refusals within this time caused it. */
  readonly refusals: number
  readonly withinMs: number
  readonly window: 'minute' | 'day'
  readonly limit: number
  readonly count: number
}

/** `banned`: in force, but refused until a ban ends (R17). */
export type KeyState = 'active' | 'expired' | 'revoked' | 'banned'

/** The limits of a key on this plan (R14), or why it cannot have them. `before` are limits to keep. */
export function limitsOn(
  plan: string,
  own: { readonly [Name in keyof Quota]?: number | undefined } = {},
  before?: Quota,
): Quota | { readonly refusal: string } {
  const fixed = isPlan(plan) ? PLANS[plan] : before
  if (fixed !== undefined) {
    if (own.perMinute === undefined && own.perDay === undefined) return fixed
    return { refusal: `the limits of the ${plan} plan are fixed; limits of its own need the Enterprise plan` }
  }
  const { perMinute = before?.perMinute, perDay = before?.perDay } = own
  if (perMinute !== undefined && perDay !== undefined) return { perMinute, perDay }
  return { refusal: 'an Enterprise key needs its own two limits, per minute and per day' }
}

export function expiryRefusal(expiresAtMs: number | undefined, nowMs: number): string | undefined {
  if (expiresAtMs === undefined || expiresAtMs > nowMs) return undefined
  return 'the key would have expired already; give a later time'
}

export function isInForce({ revokedAtMs, expiresAtMs }: Lifetime, nowMs: number): boolean {
  return revokedAtMs === undefined && (expiresAtMs === undefined || nowMs < expiresAtMs)
}

export function stateOf(key: Lifetime, nowMs: number, isBanned: boolean): KeyState {
  if (isInForce(key, nowMs)) return isBanned ? 'banned' : 'active'
  return key.revokedAtMs === undefined ? 'expired' : 'revoked'
}

export const MOST_REQUESTS = Number.MAX_SAFE_INTEGER
export const MAX_OVERLAP_S = 31_536_000
/** From this share of a limit on, a key is near it. */
export const NEAR_LIMIT = 0.8
export const SOON_MS = 7 * DAY_MS
export const IN_FORCE: readonly KeyState[] = ['active', 'banned']

export function banOf<B extends { readonly untilMs: number }>(
  { ban, liftedUntilMs }: { readonly ban?: B | undefined; readonly liftedUntilMs?: number | undefined },
  nowMs: number,
): B | undefined {
  return ban !== undefined && ban.untilMs > nowMs && ban.untilMs !== liftedUntilMs ? ban : undefined
}
