/**
 * API keys (R13, O7): their form, how they are issued and replaced. A key is `pets_` and 48 characters of base64url: 32
 * random bytes and the CRC-32 of all before it, so that a mistyped key is known as such without a look at the database.
 * Only its SHA-256 is kept: with 256 random bits there is nothing that a slow hash would protect.
 */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Clock } from '../common/clock.ts'
import type { Eventual } from '../common/eventual.ts'
import { whenReady } from '../common/eventual.ts'
import { type Allowance, PLANS, type Plan } from '../contract/plans.ts'
import type { Key, Store } from '../store/store.ts'

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

export function isInForce(key: Key, nowMs: number): boolean {
  return key.revokedAtMs === undefined && (key.expiresAtMs === undefined || nowMs < key.expiresAtMs)
}

export interface KeyRequest {
  readonly plan: Plan
  /** The key's own numbers; given on the Enterprise plan and only there (R14). */
  readonly custom: Allowance | undefined
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
}

/** Throws RangeError when a plan and its numbers do not go together. */
export function issueKey({ store, clock, randomBytes }: Issuer, request: KeyRequest): Eventual<IssuedKey> {
  const allowance = PLANS[request.plan] ?? request.custom
  if (allowance === undefined)
    throw new RangeError('an Enterprise key needs its own two numbers, per minute and per day')
  if (request.custom !== undefined && allowance !== request.custom) {
    throw new RangeError('only an Enterprise key has numbers of its own')
  }
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
  const secret = makeSecret(randomBytes)
  return whenReady(store.keys.add(key, hashSecret(secret)), () => ({ key, secret }))
}

/**
 * Replaces a key by a new one of the same plan, label, expiry and counters, since a new secret is not a new allowance. The old
 * one works for `overlapMs` more. Throws RangeError when `id` names no key in force.
 */
export async function rotateKey(
  { store, clock, randomBytes }: Issuer,
  id: string,
  overlapMs: number,
): Promise<IssuedKey> {
  const nowMs = clock()
  const old = (await store.keys.list()).find((key) => key.id === id)
  if (old === undefined) throw new RangeError(`there is no key ${id}`)
  if (!isInForce(old, nowMs)) throw new RangeError(`key ${id} is revoked or has expired; create a new one instead`)
  const key: Key = { ...old, id: makeId(randomBytes), createdAtMs: nowMs, lastUsedAtMs: undefined }
  const secret = makeSecret(randomBytes)
  await store.keys.replace(id, nowMs + overlapMs, key, hashSecret(secret))
  return { key, secret }
}

function makeId(randomBytes: RandomBytes): string {
  return `key_${randomBytes(6).toString('hex')}`
}
