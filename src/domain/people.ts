/**
 * The people of the office. An invitation is a secret of 256 random bits, valid once and for a day. Anyone who has it
 * can choose the passphrase of the invited person.
 */
import { hash } from 'node:crypto'
import { DAY_MS } from '../common/clock.ts'
import { ExplainedError } from '../common/errors.ts'
import type { Role } from '../rules/roles.ts'
import type { Author } from '../store/author.ts'
import type { PersonRecord } from '../store/people.ts'
import type { Store } from '../store/store.ts'
import type { Issuer, RandomBytes } from './keys.ts'
import { foldName, newPersonName, personName } from './person-names.ts'

const INVITATION_MS = DAY_MS
const SECRET_BYTES = 32

export function makeToken(randomBytes: RandomBytes): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

export function isToken(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9_-]{43}$/.test(text)
}

export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

export interface IssuedInvitation {
  readonly name: string
  readonly role: Role
  /** The secret cannot be read again. */
  readonly secret: string
  readonly endsAtMs: number
}

/** The secret is in the fragment, which browsers do not send, so no server logs it. */
export function invitationLink(officeUrl: string, secret: string): string {
  return `${officeUrl}/#invitation=${secret}`
}

/** The name is invalid or taken. */
export class NameRefused extends ExplainedError {
  override readonly name = 'NameRefused'
  override readonly exitCode: 1 | 2
  /** Another person has the name, or had it, or one that differs only in case, accents or spaces. */
  readonly isTaken: boolean

  constructor(why: string, isTaken = false) {
    super(`Choose another name: ${why}.`)
    this.isTaken = isTaken
    this.exitCode = isTaken ? 1 : 2
  }
}

export const NOBODY = 'Nobody has this name'

interface InvitedPerson {
  readonly invitation: IssuedInvitation
  readonly person: PersonRecord
}

/** Throws NameRefused. */
export async function invitePerson(
  inviter: Issuer,
  request: { readonly name: string; readonly role: Role },
): Promise<InvitedPerson> {
  const { store, who, session, clock } = inviter
  const { name, folded } = namingOf(request.name)
  const { invitation, hash } = issue(inviter, name, request.role)
  const newPerson = { name, folded, role: request.role, hash, endsAtMs: invitation.endsAtMs }
  const owner = await store.people.invite(newPerson, { who, session, atMs: clock.now() })
  if (owner !== undefined) throw takenBy(owner, folded)
  const person = await store.people.find(folded)
  if (person === undefined) throw new Error('the invited person does not exist')
  return { invitation, person }
}

/** Throws NameRefused if no new person can have this name. */
export function namingOf(text: string) {
  const result = newPersonName(text)
  if ('refusal' in result) throw new NameRefused(result.refusal)
  return { name: result.name, folded: foldName(result.name) }
}

function takenBy({ name, folded }: PersonRecord, foldedName: string): NameRefused {
  return new NameRefused(folded === foldedName ? `${name} already exists` : `${name} had this name before`, true)
}

/** The name as it is stored; undefined if there is no such person. Throws NameRefused. */
export async function renamePerson(store: Store, name: string, to: string, by: Author): Promise<string | undefined> {
  const naming = namingOf(to)
  const person = await findPerson(store, name)
  if (person === undefined) return undefined
  const owner = await store.people.rename(person.n, naming, by)
  if (owner === 'too many') throw new NameRefused('this one would be your fifth; an operator can change it', true)
  if (owner !== undefined) throw takenBy(owner, naming.folded)
  return naming.name
}

/** Frees a former name, so that someone else can have it. False if nobody had it. */
export async function freeName(store: Store, name: string, by: Author): Promise<boolean> {
  return personName(name) !== undefined && store.people.freeName(foldName(name), by)
}

/** Creates a link, which replaces any earlier one and restores a revoked person. Undefined if there is no person. */
export async function resetPassphrase(inviter: Issuer, name: string): Promise<InvitedPerson | undefined> {
  const { store, who, session, clock } = inviter
  const existing = await findPerson(store, name)
  if (existing === undefined) return undefined
  const { invitation, hash } = issue(inviter, existing.name, existing.role)
  const link = { hash, endsAtMs: invitation.endsAtMs }
  const isDone = await store.people.reset(existing, link, { who, session, atMs: clock.now() })
  const person = await store.people.find(existing.folded)
  return isDone && person !== undefined ? { invitation, person } : undefined
}

function issue({ clock, randomBytes }: Issuer, name: string, role: Role) {
  const invitation: IssuedInvitation = {
    name,
    role,
    secret: makeToken(randomBytes),
    endsAtMs: clock.now() + INVITATION_MS,
  }
  return { invitation, hash: hashToken(invitation.secret) }
}

/** Invites the first operator, until someone has accepted an invitation. Throws NameRefused. */
export async function inviteFirst(inviter: Issuer, name: string): Promise<IssuedInvitation | undefined> {
  const [first, ...others] = await inviter.store.people.list()
  if (first === undefined) return (await invitePerson(inviter, { name, role: 'operator' })).invitation
  const isLost = first.passphrase === undefined && first.revokedAtMs === undefined
  if (others.length > 0 || !isLost || first.folded !== foldName(name)) return undefined
  return (await resetPassphrase(inviter, name))?.invitation
}

/** Takes effect immediately and ends the person's sessions. Does nothing if they have this role already. */
export async function changeRole(
  store: Store,
  name: string,
  role: Role,
  by: Author,
): Promise<'changed' | 'unchanged' | 'nobody'> {
  const person = await findPerson(store, name)
  if (person?.role === role) return 'unchanged'
  return person !== undefined && (await store.people.setRole(person.folded, role, by)) ? 'changed' : 'nobody'
}

/** Ends all sessions of the person except the author's own. False if there is no such person. */
export async function signOutEverywhere(store: Store, name: string, by: Author): Promise<boolean> {
  return personName(name) !== undefined && store.people.signOut(foldName(name), by)
}

/** False if there is no such person. */
export async function revokePerson(store: Store, name: string, by: Author): Promise<boolean> {
  return personName(name) !== undefined && store.people.revoke(foldName(name), by)
}

export async function findPerson({ people }: Store, name: string): Promise<PersonRecord | undefined> {
  return personName(name) === undefined ? undefined : people.find(foldName(name))
}
