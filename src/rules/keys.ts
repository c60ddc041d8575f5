/** Keys: which limits and which end one can have, and what it may do at an instant. */
import { DAY_MS } from '../common/clock.ts'
import { isPlan, PLANS, type Quota } from '../contract/plans.ts'

interface Lifetime {
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
}

export interface KeyTerms {
  /** A Plan; after a way back to an earlier version it may be one that this version does not know. */
  readonly plan: string
  readonly perMinute: number
  readonly perDay: number
  readonly label: string
}

/** A ban as the service noted it when it began (R17): until when, why, and how often. */
export interface Ban {
  readonly atMs: number
  readonly untilMs: number
  /** So many refusals within so long began it. */
  readonly refusals: number
  readonly withinMs: number
  /** The window that refused, and its limit. */
  readonly window: 'minute' | 'day'
  readonly limit: number
  /** How many bans the lineage has had, this one included. */
  readonly count: number
}

/** `banned`: a key in force that is refused until a ban ends (R17). */
export type KeyState = 'active' | 'expired' | 'revoked' | 'banned'

/**
 * The limits of a key on this plan (R14): the plan's, or else its own; `before` has those that it keeps where none are
 * given. Or why it cannot have them, as part of a sentence.
 */
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

/** Why no key is made that ends then, as part of a sentence; undefined if one is. */
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

/** Requests that a key may have in a window, at most. */
export const MOST_REQUESTS = Number.MAX_SAFE_INTEGER
/** How long a key that was replaced may still work, at most, in seconds. */
export const MAX_OVERLAP_S = 31_536_000

/** From this part of a limit on a key is near it. */
export const NEAR_LIMIT = 0.8
/** A key that ends within so long ends soon. */
export const SOON_MS = 7 * DAY_MS

/** The states of keys in force. */
export const IN_FORCE: readonly KeyState[] = ['active', 'banned']

/** The ban that a key is under, as far as it was noted; undefined when there is none. */
export function banOf<B extends { readonly untilMs: number }>(
  { ban, liftedUntilMs }: { readonly ban?: B | undefined; readonly liftedUntilMs?: number | undefined },
  nowMs: number,
): B | undefined {
  return ban !== undefined && ban.untilMs > nowMs && ban.untilMs !== liftedUntilMs ? ban : undefined
}
