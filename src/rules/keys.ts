/** What a key may do at an instant. */

interface Lifetime {
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
}

/** `banned`: a key in force that is refused until a ban ends (R17). */
export type KeyState = 'active' | 'expired' | 'revoked' | 'banned'

export function isInForce({ revokedAtMs, expiresAtMs }: Lifetime, nowMs: number): boolean {
  return revokedAtMs === undefined && (expiresAtMs === undefined || nowMs < expiresAtMs)
}

export function stateOf(key: Lifetime, nowMs: number, isBanned: boolean): KeyState {
  if (isInForce(key, nowMs)) return isBanned ? 'banned' : 'active'
  return key.revokedAtMs === undefined ? 'expired' : 'revoked'
}

/** The ban that a key is under, as far as it was noted; undefined when there is none. */
export function banOf<Ban extends { readonly untilMs: number }>(
  { ban, liftedUntilMs }: { readonly ban?: Ban | undefined; readonly liftedUntilMs?: number | undefined },
  nowMs: number,
): Ban | undefined {
  return ban !== undefined && ban.untilMs > nowMs && ban.untilMs !== liftedUntilMs ? ban : undefined
}
