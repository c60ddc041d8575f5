/**
 * API keys (R13, O7): their form, how they are issued and replaced. A key is `pets_` and 48 characters of base64url: 32
 * random bytes and the CRC-32 of all before it, so that a mistyped key is known as such without a look at the database.
 * Only its SHA-256 is kept: with 256 random bits there is nothing that a slow hash would protect.
 */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Clock } from '../common/clock.ts'
import { UNPRINTABLE } from '../common/printable.ts'
import { type Allowance, PLANS, type Plan } from '../contract/plans.ts'
import type { Key, KeyState, Store } from '../store/store.ts'

const PREFIX = 'pets_'
const FORM = /^pets_[A-Za-z0-9_-]{48}$/
const SECRET_BYTES = 32

/** Random bytes from a source fit for secrets. */
export type RandomBytes = (size: number) => Buffer

export function makeSecret(randomBytes: RandomBytes): string {
  const bytes = Buffer.alloc(SECRET_BYTES + 4)
  randomBytes(SECRET_BYTES).copy(bytes)
  bytes.writeUInt32BE(checksum(bytes), SECRET_BYTES)
  return PREFIX + bytes.toString('base64url')
}

/** Whether this could be a key of ours: prefix, length and checksum fit. */
export function isWellFormedSecret(text: string): boolean {
  if (!FORM.test(text)) return false
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url')
  return bytes.readUInt32BE(SECRET_BYTES) === checksum(bytes)
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

function checksum(bytes: Buffer): number {
  return crc32(bytes.subarray(0, SECRET_BYTES), crc32(PREFIX))
}

/**
 * A label is 1 to 200 characters that can be seen, and spaces between them. By Unicode's properties these are not: controls,
 * formats (which reverse or hide text), surrogates, private and unassigned code points, line and paragraph separators. The two
 * joiners are allowed, since Persian and Indian names and many emoji are spelled with them.
 */
export function isLabel(text: string): boolean {
  return [...text].length <= LABEL_LENGTH && text.trim() !== '' && text.search(UNPRINTABLE) === -1
}

const LABEL_LENGTH = 200
export const LABEL_RULE = `a label is 1 to ${LABEL_LENGTH} printable characters, without line breaks and control characters`

export function isInForce(key: Key, nowMs: number): boolean {
  return key.revokedAtMs === undefined && (key.expiresAtMs === undefined || nowMs < key.expiresAtMs)
}

export function stateOf(key: Key, nowMs: number, isBanned = false): KeyState {
  if (key.revokedAtMs !== undefined) return 'revoked'
  if (!isInForce(key, nowMs)) return 'expired'
  return isBanned ? 'banned' : 'active'
}

export interface KeyRequest {
  readonly plan: Plan
  /** The key's own numbers; given on the Enterprise plan and only there (R14). */
  readonly custom: Allowance | undefined
  /** Whose it is, as `isLabel` allows; empty when nobody said. */
  readonly label: string
  readonly expiresAtMs: number | undefined
}

/** A key just issued, with the one chance to see its secret. */
export interface IssuedKey {
  readonly key: Key
  readonly secret: string
}

export interface Issuer {
  readonly store: Store
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  /**
   * Shows the secret to whoever asked for the key. A key is stored after that, so one that nobody has seen is never active,
   * whatever fails and whenever the process ends.
   */
  readonly show?: (issued: IssuedKey) => Promise<void>
}

/** Throws RangeError when a plan and its numbers do not go together, or the label is none. */
export async function issueKey({ store, clock, randomBytes, show }: Issuer, request: KeyRequest): Promise<IssuedKey> {
  const allowance = PLANS[request.plan] ?? request.custom
  if (allowance === undefined)
    throw new RangeError('an Enterprise key needs its own two limits, per minute and per day')
  if (request.custom !== undefined && allowance !== request.custom) {
    throw new RangeError('only an Enterprise key has limits of its own')
  }
  if (request.label !== '' && !isLabel(request.label)) throw new RangeError(LABEL_RULE)
  const id = makeId(randomBytes)
  const key: Key = {
    id,
    lineage: id,
    plan: request.plan,
    perMinute: allowance.perMinute,
    perDay: allowance.perDay,
    label: request.label,
    createdAtMs: clock(),
    expiresAtMs: request.expiresAtMs,
    revokedAtMs: undefined,
    lastUsedAtMs: undefined,
  }
  const issued = { key, secret: makeSecret(randomBytes) }
  await show?.(issued)
  await store.keys.add(key, hashSecret(issued.secret))
  return issued
}

/** A key that took the place of another, which works until `oldUntilMs`. */
export interface RotatedKey extends IssuedKey {
  readonly oldUntilMs: number
}

/** The key has been replaced before; `successor` is the newest key of its lineage. */
export class AlreadyRotated extends Error {
  override readonly name = 'AlreadyRotated'
  readonly successor: Key
  constructor(id: string, successor: Key) {
    super(`key ${id} was already replaced by ${successor.id}`)
    this.successor = successor
  }
}

/**
 * Replaces a key by a new one of the same plan, label, expiry and counters, since a new secret is not a new allowance. The
 * old one works for `overlapMs` more, and never longer than before. Throws RangeError when `id` names no key in force, and
 * AlreadyRotated when the key has a successor, unless one more is asked for by `again`.
 */
export async function rotateKey(
  { store, clock, randomBytes, show }: Issuer,
  id: string,
  { overlapMs, again = false }: { readonly overlapMs: number; readonly again?: boolean | undefined },
): Promise<RotatedKey> {
  const nowMs = clock()
  const old = await store.keys.get(id)
  if (old === undefined) throw new RangeError(`there is no key ${id}`)
  if (!isInForce(old, nowMs)) throw new RangeError(`key ${id} is revoked or has expired; create a new one instead`)
  const newest = (await store.keys.newestOf(old.lineage)) ?? old
  if (newest.id !== id && !again) throw new AlreadyRotated(id, newest)
  const key: Key = {
    ...old,
    id: makeId(randomBytes),
    // The end of an overlap replaces the expiry of every key that was rotated; the newest still has the one it was issued with.
    expiresAtMs: newest.expiresAtMs,
    // Later than any key of the lineage, also when the clock has stepped back: the newest is found by this.
    createdAtMs: Math.max(nowMs, newest.createdAtMs + 1),
    lastUsedAtMs: undefined,
  }
  const oldUntilMs = Math.min(old.expiresAtMs ?? Infinity, nowMs + overlapMs)
  const rotated = { key, secret: makeSecret(randomBytes), oldUntilMs }
  await show?.(rotated)
  await store.keys.replace(id, oldUntilMs, key, hashSecret(rotated.secret))
  return rotated
}

function makeId(randomBytes: RandomBytes): string {
  return `key_${randomBytes(6).toString('hex')}`
}
