/** Whether a person's link can be used, and the person's state at an instant. */

interface Access {
  /** Undefined until a link is used, and after a revocation. */
  readonly passphrase: string | undefined
  readonly revokedAtMs: number | undefined
  /** Undefined if there is no link. */
  readonly invitationEndsAtMs: number | undefined
}

/** `invited`: has not chosen a passphrase yet. `lapsed`: did not choose one in time. */
type PersonState = 'invited' | 'lapsed' | 'active' | 'revoked'

export function isLinkOpen({ invitationEndsAtMs = 0 }: Pick<Access, 'invitationEndsAtMs'>, nowMs: number): boolean {
  return nowMs < invitationEndsAtMs
}

export function stateOfPerson(person: Access, nowMs: number): PersonState {
  if (person.revokedAtMs !== undefined) return 'revoked'
  if (person.passphrase !== undefined) return 'active'
  return isLinkOpen(person, nowMs) ? 'invited' : 'lapsed'
}
