/**
 * The people who may use the office, their invitations and their sessions. Secrets are stored as hashes only: of invitations and
 * sessions, which are 256 random bits each, the SHA-256; of passphrases a slow hash (../domain/passphrases.ts). Each act and its
 * journal entry are one transaction.
 */
import type { Eventual } from '../common/eventual.ts'
import type { Author } from './records.ts'

/** Each role may do what those before it may. */
export const ROLES = ['staff', 'manager', 'operator'] as const
export type Role = (typeof ROLES)[number]

export function isRole(text: unknown): text is Role {
  return ROLES.some((role) => role === text)
}

/** A session ends after so long, whatever is done in it. */
export const SESSION_MS = 43_200_000
/** A session in which nobody does anything ends after so long. */
export const IDLE_MS = 1_800_000
/** One person's sessions; one more ends the oldest. */
export const SESSIONS_OF_ONE = 20

export interface PersonRecord {
  /** Counts up from 1. */
  readonly n: bigint
  readonly name: string
  /** The name as it is compared; no two people share it. */
  readonly folded: string
  readonly role: Role
  /** The hash; undefined until an invitation is accepted, and after a revocation. */
  readonly passphrase: string | undefined
  readonly createdAtMs: number
  /** To the minute. */
  readonly lastSeenAtMs: number | undefined
  readonly revokedAtMs: number | undefined
  /** Undefined if there is no invitation to accept. */
  readonly invitationEndsAtMs: number | undefined
}

export interface NewInvitation {
  readonly name: string
  readonly folded: string
  readonly role: Role
  readonly hash: string
  readonly endsAtMs: number
}

export interface NewSession {
  readonly hash: string
  readonly atMs: number
}

export interface SessionRecord {
  readonly person: PersonRecord
  readonly createdAtMs: number
  /** To the minute. */
  readonly seenAtMs: number
}

export interface PeopleStore {
  /** In the order of their first invitations. */
  list(): Eventual<readonly PersonRecord[]>
  find(folded: string): Eventual<PersonRecord | undefined>
  /** Whoever the invitation is for; undefined once it was accepted or replaced, or has lapsed. */
  invited(hash: string, nowMs: number): Eventual<PersonRecord | undefined>
  /**
   * Adds a person, or gives one who is there already a new invitation in the place of the last. Somebody who was revoked may come
   * back by it. A new role holds at once and ends the sessions; the passphrase stays until the invitation is accepted. False, and
   * nothing is changed, if the name is another spelling of somebody else's.
   */
  invite(invitation: NewInvitation, by: Author): Eventual<boolean>
  /**
   * Sets the passphrase, ends the person's other sessions and begins one; of two at once, one succeeds. Undefined if there is no
   * such invitation.
   */
  accept(hash: string, passphrase: string, session: NewSession): Eventual<PersonRecord | undefined>
  /** Ends sessions and invitation, and forgets the passphrase. False if there is no such person. */
  revoke(folded: string, by: Author): Eventual<boolean>
  /** False if the person was revoked meanwhile, or `passphrase` is no longer the stored hash. */
  beginSession(n: bigint, passphrase: string, session: NewSession): Eventual<boolean>
  /** Also one that has passed its time. */
  session(hash: string): Eventual<SessionRecord | undefined>
  noteSeen(hash: string, atMs: number): Eventual<void>
  endSession(hash: string): Eventual<void>
}

/** What the journal says of an invitation; `before` is the role until now. */
export function invitedValues({ name, role }: NewInvitation, before: Role | undefined): { from?: string; to: string } {
  const to = JSON.stringify({ person: name, role })
  return before === undefined ? { to } : { from: JSON.stringify({ person: name, role: before }), to }
}

/** What the journal says of somebody whose access ends. */
export function revokedValues({ name, role }: Pick<PersonRecord, 'name' | 'role'>): { from: string } {
  return { from: JSON.stringify({ person: name, role }) }
}
