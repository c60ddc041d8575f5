/**
 * The people of the office: their names, their roles, and how they are invited and revoked. An invitation is a secret of 256
 * random bits for one use within a day; whoever has it chooses the passphrase of the person whom it names.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../common/clock.ts'
import { UNPRINTABLE } from '../common/printable.ts'
import { type PersonRecord, ROLES, type Role } from '../store/people.ts'
import { type Author, fold } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import type { RandomBytes } from './keys.ts'

const INVITATION_MS = 86_400_000
const SECRET_BYTES = 32
const NAME_LENGTH = 60

export const NAME_RULE = `a name is 1 to ${NAME_LENGTH} printable characters with a letter or digit among them, without spaces at its ends, and is not \`service\` and does not begin with \`cli\` and a space`

/** The journal names the service and the users of commands in the same place as people. */
const TAKEN = /^(?:service$|cli )/

/** Undefined if the text cannot be the name of a person. */
export function personName(text: string): string | undefined {
  const name = text.normalize('NFC')
  const isName =
    [...name].length <= NAME_LENGTH &&
    name.trim() === name &&
    /[\p{L}\p{N}]/u.test(name) &&
    name.search(UNPRINTABLE) === -1 &&
    !TAKEN.test(foldName(name))
  return isName ? name : undefined
}

/** Two names that differ only in case, accents or the width of spaces are one. */
export function foldName(name: string): string {
  return fold(name).replace(/\s+/g, ' ').trim()
}

export function mayActAs(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}

/** `invited` has not chosen a passphrase yet; `lapsed` did not in time. */
export type PersonState = 'invited' | 'lapsed' | 'active' | 'revoked'

export function stateOfPerson(person: PersonRecord, nowMs: number): PersonState {
  if (person.revokedAtMs !== undefined) return 'revoked'
  if (person.passphrase !== undefined) return 'active'
  return person.invitationEndsAtMs !== undefined && nowMs < person.invitationEndsAtMs ? 'invited' : 'lapsed'
}

/** A secret of 256 random bits, of an invitation or a session. */
export function makeToken(randomBytes: RandomBytes): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

export function isToken(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9_-]{43}$/.test(text)
}

export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

export interface Inviter {
  readonly store: Store
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  /** Who invites, as the journal says. */
  readonly who: string
  /** Shows the secret. It is stored afterwards, so an invitation that nobody has seen cannot be accepted. */
  readonly show?: (invited: IssuedInvitation) => Promise<void>
}

export interface IssuedInvitation {
  readonly name: string
  readonly role: Role
  /** The only opportunity to see it. */
  readonly secret: string
  readonly endsAtMs: number
}

/**
 * The link of an invitation. The secret follows the #, which browsers send to nobody and servers log nowhere. `officeUrl` has no
 * trailing slash.
 */
export function invitationLink(officeUrl: string, secret: string): string {
  return `${officeUrl}/#invitation=${secret}`
}

/**
 * Invites a person, or invites one again: the new invitation takes the place of the last one, and lets somebody who was revoked
 * or has forgotten the passphrase choose one. Throws RangeError if the name is none, or another spelling of somebody else's.
 */
export async function invitePerson(
  { store, clock, randomBytes, who, show }: Inviter,
  request: { readonly name: string; readonly role: Role },
): Promise<{ readonly invited: IssuedInvitation; readonly person: PersonRecord }> {
  const name = personName(request.name)
  if (name === undefined) throw new RangeError(NAME_RULE)
  const folded = foldName(name)
  await assertSameSpelling(store, folded, name)
  const nowMs = clock()
  const { role } = request
  const invited = { name, role, secret: makeToken(randomBytes), endsAtMs: nowMs + INVITATION_MS }
  await show?.(invited)
  const invitation = { name, folded, role, hash: hashToken(invited.secret), endsAtMs: invited.endsAtMs }
  const isDone = await store.people.invite(invitation, { who, atMs: nowMs })
  if (!isDone) await assertSameSpelling(store, folded, name)
  const person = await store.people.find(folded)
  if (person === undefined) throw new Error('the person who was invited is not there')
  return { invited, person }
}

/**
 * Invites the first operator while nobody has ever come in: a database without people, or with that one invitation, which was lost
 * or has lapsed. Does nothing otherwise. Throws RangeError if the name is none.
 */
export async function inviteFirst(inviter: Inviter, name: string): Promise<void> {
  const people = await inviter.store.people.list()
  const isLost = ({ folded, passphrase, revokedAtMs }: PersonRecord) =>
    folded === foldName(name) && passphrase === undefined && revokedAtMs === undefined
  if (people.every(isLost)) await invitePerson(inviter, { name: people[0]?.name ?? name, role: 'operator' })
}

async function assertSameSpelling({ people }: Store, folded: string, name: string): Promise<void> {
  const there = await people.find(folded)
  if (there === undefined || there.name === name) return
  throw new RangeError(
    `there is ${there.name} already; write the name as that one to invite the same person again, or choose another`,
  )
}

/** False if there is no such person. */
export async function revokePerson({ people }: Store, name: string, by: Author): Promise<boolean> {
  return people.revoke(foldName(name), by)
}
