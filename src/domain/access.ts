/**
 * Who makes a request, and whether it is within the limits (R13-R17, O13-O15, O22): a valid key is held to its plan,
 * any other request to the allowance of its address. The limit headers of every response come from the verdict made
 * here.
 */
import { isIPv6 } from 'node:net'
import { type Clock, MINUTE_MS, type Timer } from '../common/clock.ts'
import { type Eventual, whenReady } from '../common/eventual.ts'
import { type BanPolicy, type Limits, newUsage, peek, type Standing, type Verdict } from '../contract/limits.ts'
import type { Key } from '../store/rows.ts'
import type { Counters, KeyStore } from '../store/store.ts'
import { hashSecret, isInForce, isWellFormedSecret } from './keys.ts'

export interface Admission {
  /** Undefined if no valid key was given. */
  readonly key: Key | undefined
  readonly verdict: Verdict
}

interface AccessOptions {
  readonly keys: KeyStore
  readonly counters: Counters
  readonly clock: Clock
  readonly ban: BanPolicy | undefined
  readonly anonymousPerMinute: number
}

interface Account {
  readonly subject: string
  readonly limits: Limits
}

const BEARER = /^bearer +([^ ]+) *$/i
/** Bounds the memory of the cache below: about 2 MB. */
const REMEMBERED_CREDENTIALS = 10_000
const SAVE_USE_EVERY_MS = 5_000

export class Access {
  readonly #options: AccessOptions
  readonly #anonymous: Limits
  /**
   * Hashes of credentials that were valid keys, so that each is hashed once. The key itself is looked up every time.
   */
  readonly #hashes = new Map<string, string>()
  readonly #accounts = new WeakMap<Key, Account>()
  /** The minute of each key's last use, and the uses not saved yet. */
  readonly #lastUses = new Map<string, number>()
  #unsavedUses = new Map<string, number>()
  readonly #useSaver: Timer

  constructor(options: AccessOptions) {
    this.#options = options
    this.#anonymous = { perMinute: options.anonymousPerMinute, perDay: undefined, ban: undefined }
    this.#useSaver = options.clock.every(SAVE_USE_EVERY_MS, () => void this.#saveUses()).unref()
  }

  /** Counts a request by its `Authorization` header. `from.ip` is read only if the header holds no valid key. */
  enter(authorization: string | undefined, from: { readonly ip: string }): Eventual<Admission> {
    const credentials = authorization ?? ''
    const hash = this.#hashOf(credentials)
    if (hash === undefined) return this.enterByAddress(from.ip)
    return whenReady(this.#options.keys.find(hash), (key) => {
      const nowMs = this.#options.clock.now()
      if (key === undefined || !isInForce(key, nowMs)) return this.enterByAddress(from.ip)
      this.#remember(credentials, hash)
      this.#noteUse(key.id, nowMs - (nowMs % MINUTE_MS))
      const { subject, limits } = this.#account(key)
      return whenReady(this.#options.counters.take(subject, limits), (verdict) => ({ key, verdict }))
    })
  }

  /** Counts a request for its address, whatever key it has (O14). */
  enterByAddress(ip: string): Eventual<Admission> {
    const verdict = this.#options.counters.take(addressSubject(ip), this.#anonymous)
    return whenReady(verdict, (verdict) => ({ key: undefined, verdict }))
  }

  /** The allowance of the address without counting: for free responses. */
  lookAtAddress(ip: string): Eventual<Admission> {
    const verdict = this.#options.counters.peek(addressSubject(ip), this.#anonymous)
    return whenReady(verdict, (verdict) => ({ key: undefined, verdict }))
  }

  /** The limits to report if neither keys nor counters can be read: the address's allowance, unused (O23). */
  untouched(): Verdict {
    return peek(newUsage(), this.#anonymous, this.#options.clock.now())
  }

  /** The state of a key's limits, without counting. */
  lookAtKey(key: Key): Eventual<Standing> {
    const { subject, limits } = this.#account(key)
    return this.#options.counters.peek(subject, limits)
  }

  async close(): Promise<void> {
    this.#options.clock.cancel(this.#useSaver)
    await this.#saveUses()
  }

  #hashOf(credentials: string): string | undefined {
    const known = this.#hashes.get(credentials)
    if (known !== undefined) return known
    const secret = BEARER.exec(credentials)?.[1]
    return secret !== undefined && isWellFormedSecret(secret) ? hashSecret(secret) : undefined
  }

  #remember(credentials: string, hash: string): void {
    if (this.#hashes.has(credentials)) return
    if (this.#hashes.size >= REMEMBERED_CREDENTIALS) this.#hashes.clear()
    this.#hashes.set(credentials, hash)
  }

  #noteUse(id: string, minuteMs: number): void {
    if (this.#lastUses.get(id) === minuteMs) return
    this.#lastUses.set(id, minuteMs)
    this.#unsavedUses.set(id, minuteMs)
  }

  #account(key: Key): Account {
    let account = this.#accounts.get(key)
    if (account === undefined) {
      const limits = { perMinute: key.perMinute, perDay: key.perDay, ban: this.#options.ban }
      account = { subject: `key:${key.lineage}`, limits }
      this.#accounts.set(key, account)
    }
    return account
  }

  /** If the store is unavailable, these uses are saved the next time. */
  async #saveUses(): Promise<void> {
    if (this.#unsavedUses.size === 0) return
    const uses = this.#unsavedUses
    this.#unsavedUses = new Map()
    try {
      await this.#options.keys.markUsed(uses)
    } catch {
      this.#unsavedUses = new Map([...uses, ...this.#unsavedUses])
    }
  }
}

/**
 * An IPv6 address counts by its /64, the smallest network that a subscriber gets; an IPv4 address as it is, mapped or
 * not (O14).
 */
export function addressSubject(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*/, '')
  if (!isIPv6(plain)) return `address:${plain}`
  const [left = [], right = []] = plain.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const missing = 8 - left.length - right.length - (plain.includes('.') ? 1 : 0)
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right]
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `address:${network.join(':')}::/64`
}
