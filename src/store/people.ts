/**
 * The people who may use the office, their invitations and their sessions. Secrets are stored as hashes only: of
 * invitations and sessions, which are 256 random bits each, the SHA-256; of passphrases a slow hash
 * (../domain/passphrases.ts). Each act and its journal entry are one transaction.
 */
import type { Eventual } from '../common/eventual.ts'
import type { Author } from './author.ts'
import type { Role } from './rules/roles.ts'

/** The session of the author (Author.session) has ended meanwhile; nothing was changed. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded'

  constructor() {
    super('the session has ended; nothing was changed')
  }
}

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

/** By which a person chooses a passphrase, once. */
export type NewLink = Pick<NewInvitation, 'hash' | 'endsAtMs'>

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
  /** The person of an invitation; undefined once it was accepted or replaced, or has lapsed. */
  invited(hash: string, nowMs: number): Eventual<PersonRecord | undefined>
  /** Adds a person. False, and nothing is changed, if the name is taken. */
  invite(invitation: NewInvitation, by: Author): Eventual<boolean>
  /**
   * Replaces a person's link. Passphrase and sessions stay until it is used; a revoked person may come back by it.
   * False, and nothing is changed, if the person was revoked or let back in since `person` was read.
   */
  reset(person: Pick<PersonRecord, 'folded' | 'revokedAtMs'>, link: NewLink, by: Author): Eventual<boolean>
  /** Takes effect at once and ends the sessions; the same role changes nothing. False if there is no such person. */
  setRole(folded: string, role: Role, by: Author): Eventual<boolean>
  /** Ends the sessions; the passphrase and an open link stay. False if there is no such person. */
  signOut(folded: string, by: Author): Eventual<boolean>
  /**
   * Sets the passphrase, ends the person's other sessions and begins one; of two at once, one succeeds. Undefined if
   * there is no such invitation.
   */
  accept(hash: string, passphrase: string, session: NewSession): Eventual<PersonRecord | undefined>
  /** Ends sessions and invitation, and forgets the passphrase. False if there is no such person. */
  revoke(folded: string, by: Author): Eventual<boolean>
  /** False if the person was revoked meanwhile, or `passphrase` is no longer the stored hash. */
  beginSession(n: bigint, passphrase: string, session: NewSession): Eventual<boolean>
  /** Also a session that has expired. */
  session(hash: string): Eventual<SessionRecord | undefined>
  noteSeen(hash: string, atMs: number): Eventual<void>
  /** The person whose session it was; undefined if there is no such session. */
  endSession(hash: string, atMs: number): Eventual<PersonRecord | undefined>
}
