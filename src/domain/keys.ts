/**
 * API keys (R13, O7). A key is `pets_` and 48 characters of base64url: 32 random bytes and the CRC-32 of everything
 * before it. Only its SHA-256 is stored: a slow hash would add nothing to the security of 256 random bits.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../common/clock.ts'
import type { Plan } from '../contract/plans.ts'
import { expiryRefusal, isInForce, type KeyTerms, limitsOn } from '../rules/keys.ts'
import { LABEL_RULE, labelOf } from '../rules/labels.ts'
import type { Key } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

const PREFIX = 'pets_'
const FORM = /^pets_[A-Za-z0-9_-]{48}$/
const SECRET_BYTES = 32

export type RandomBytes = (size: number) => Buffer

export function makeSecret(randomBytes: RandomBytes): string {
  const bytes = Buffer.alloc(SECRET_BYTES + 4)
  randomBytes(SECRET_BYTES).copy(bytes)
  bytes.writeUInt32BE(checksum(bytes), SECRET_BYTES)
  return PREFIX + bytes.toString('base64url')
}

/** Whether the text can be one of our keys: prefix, length and checksum match. */
export function isWellFormedSecret(text: string): boolean {
  if (!FORM.test(text)) return false
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url')
  return bytes.readUInt32BE(SECRET_BYTES) === checksum(bytes)
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

function checksum(bytes: Buffer): number {
  return crc32(Buffer.concat([Buffer.from(PREFIX), bytes.subarray(0, SECRET_BYTES)]))
}

interface KeyRequest {
  readonly plan: Plan
  /** The key's own limits: required on the Enterprise plan, and not allowed on others (R14). */
  readonly custom: Parameters<typeof limitsOn>[1]
  /** The owner, as `labelOf` allows; undefined if not given. */
  readonly label: string | undefined
  readonly expiresAtMs: number | undefined
}

/** A newly issued key with its secret, which cannot be read again. */
export interface IssuedKey {
  readonly key: Key
  readonly secret: string
}

export interface Issuer {
  readonly store: Store
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  /** The author in the journal, and the session if it is issued in the office (Author). */
  readonly who: string
  readonly session?: string | undefined
}

/** Throws RangeError as `makeKey` does. */
export async function issueKey(issuer: Issuer, request: KeyRequest): Promise<IssuedKey> {
  return storeKey(issuer, makeKey(issuer, request))
}

/** A key that is not stored yet. Throws RangeError for its limits, its end or its label. */
export function makeKey({ clock, randomBytes }: Pick<Issuer, 'clock' | 'randomBytes'>, request: KeyRequest): IssuedKey {
  const nowMs = clock.now()
  const limits = limitsOn(request.plan, request.custom)
  if ('refusal' in limits) throw new RangeError(limits.refusal)
  const refusal = expiryRefusal(request.expiresAtMs, nowMs)
  if (refusal !== undefined) throw new RangeError(refusal)
  const id = makeId(randomBytes)
  const key: Key = {
    id,
    lineage: id,
    plan: request.plan,
    perMinute: limits.perMinute,
    perDay: limits.perDay,
    label: request.label === undefined ? '' : toLabel(request.label),
    createdAtMs: nowMs,
    expiresAtMs: request.expiresAtMs,
    revokedAtMs: undefined,
    lastUsedAtMs: undefined,
    ban: undefined,
    liftedUntilMs: undefined,
  }
  return { key, secret: makeSecret(randomBytes) }
}

/** Throws RangeError. */
function toLabel(text: string): string {
  const label = labelOf(text)
  if (label === undefined) throw new RangeError(LABEL_RULE)
  return label
}

export async function storeKey({ store, clock, who, session }: Issuer, issued: IssuedKey): Promise<IssuedKey> {
  await store.keys.add(issued.key, hashSecret(issued.secret), { who, session, atMs: clock.now() })
  return issued
}

/** The changes to a key; an empty label removes the label. */
export interface KeyEdit {
  readonly plan?: Plan
  readonly perMinute?: number
  readonly perDay?: number
  readonly label?: string
}

/** Changes a key in force, which keeps its secret and its counters. Throws RangeError. */
export async function editKey(
  { store, clock, who, session }: Pick<Issuer, 'store' | 'clock' | 'who' | 'session'>,
  id: string,
  { plan, perMinute, perDay, label }: KeyEdit,
): Promise<void> {
  const old = await store.keys.get(id)
  if (old === undefined) throw new RangeError(`there is no key ${id}`)
  const by = { who, session, atMs: clock.now() }
  if (!isInForce(old, by.atMs)) throw new RangeError(`key ${id} is revoked or has expired`)
  const newPlan = plan ?? old.plan
  const limits = limitsOn(newPlan, { perMinute, perDay }, old)
  if ('refusal' in limits) throw new RangeError(limits.refusal)
  const terms: KeyTerms = {
    plan: newPlan,
    perMinute: limits.perMinute,
    perDay: limits.perDay,
    label: label === undefined ? old.label : label && toLabel(label),
  }
  if (await store.keys.edit(old, terms, by)) return
  throw new RangeError(`key ${id} was changed by someone else in the meantime; try again`)
}

export function notBanned(name: string): string {
  return `Key ${name} is not banned; nothing was changed.`
}

/** A replacement key. `replaced` is the old key as it was before; it works until `oldUntilMs`. */
export interface RotatedKey extends IssuedKey {
  readonly replaced: Key
  readonly oldUntilMs: number
}

/** The key was already replaced; `successor` is the newest key of its lineage that is not revoked. */
export class AlreadyRotated extends Error {
  override readonly name = 'AlreadyRotated'
  readonly successor: Key
  constructor(id: string, successor: Key) {
    super(`key ${id} was already replaced by ${successor.id}`)
    this.successor = successor
  }
}

/**
 * Replaces a key by one with the same terms, expiry and counters. The old key works for another `overlapMs`, but not
 * beyond its own expiry. Throws RangeError, and AlreadyRotated unless `again` is set.
 */
export async function rotateKey(
  { store, clock, randomBytes, who, session }: Issuer,
  id: string,
  { overlapMs, again = false }: { readonly overlapMs: number; readonly again?: boolean | undefined },
): Promise<RotatedKey> {
  const nowMs = clock.now()
  const { old, newest } = await toReplace(store, id, nowMs, again)
  const key: Key = {
    ...old,
    id: makeId(randomBytes),
    // A rotation moves the expiry of the old key to the end of the overlap. Only the newest key has the original expiry.
    expiresAtMs: newest.expiresAtMs,
    // Later than every key of the lineage, even if the clock has stepped back: the newest key is found by this time.
    createdAtMs: Math.max(nowMs, newest.createdAtMs + 1),
    lastUsedAtMs: undefined,
  }
  const oldUntilMs = Math.min(old.expiresAtMs ?? Infinity, nowMs + overlapMs)
  const secret = makeSecret(randomBytes)
  const newKey = { key, hash: hashSecret(secret) }
  const by = { who, session, atMs: nowMs }
  const isDone = await store.keys.replace(id, oldUntilMs, newKey, by, again ? undefined : newest.id)
  if (isDone) return { key, secret, replaced: old, oldUntilMs }
  await toReplace(store, id, nowMs, again)
  throw new RangeError(`key ${id} was changed by someone else in the meantime; try again`)
}

/** The key that has replaced this one, and is not revoked. */
export async function successorOf({ keys }: Store, { id, lineage }: Key): Promise<Key | undefined> {
  const [newest] = await keys.ofLineage(lineage)
  return newest?.id === id || newest?.revokedAtMs !== undefined ? undefined : newest
}

/** The key to be replaced, and the newest of its lineage. Throws as `rotateKey` does. */
async function toReplace(store: Store, id: string, nowMs: number, again: boolean): Promise<{ old: Key; newest: Key }> {
  const old = await store.keys.get(id)
  if (old === undefined) throw new RangeError(`there is no key ${id}`)
  if (!isInForce(old, nowMs)) throw new RangeError(`key ${id} is revoked or has expired; create a new one instead`)
  const [newest = old] = await store.keys.ofLineage(old.lineage)
  if (newest.id !== id && newest.revokedAtMs === undefined && !again) throw new AlreadyRotated(id, newest)
  return { old, newest }
}

function makeId(randomBytes: RandomBytes): string {
  return `key_${randomBytes(6).toString('hex')}`
}

/** CRC-32 (ISO 3309). Loading node:zlib for it would take 7 ms at each start of the service. */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit += 1) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  return remainder
})

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (REMAINDERS[(crc ^ byte) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}
