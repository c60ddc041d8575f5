/**
 * Who is asking, and may they now (R13-R17, O13-O15, O22): a valid key is held to its plan, anybody else to the allowance
 * of their address. Every answer's limit headers come from the verdict that is found here.
 */
import { isIPv6 } from 'node:net'
import type { Clock } from '../common/clock.ts'
import { type Eventual, whenReady } from '../common/eventual.ts'
import { type BanPolicy, type Limits, newUsage, peek, type Standing, type Verdict } from '../contract/limits.ts'
import type { Counters, Key, KeyStore } from '../store/store.ts'
import { hashSecret, isInForce, isWellFormedSecret } from './keys.ts'

export interface Admission {
  /** Undefined when no valid key was given. */
  readonly key: Key | undefined
  readonly verdict: Verdict
}

export interface AccessOptions {
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

const MINUTE_MS = 60_000
const BEARER = /^bearer +([^ ]+) *$/i
/** Bounds the memory of the memo below: about 2 MB. */
const REMEMBERED_CREDENTIALS = 10_000
const SAVE_USE_EVERY_MS = 5_000

export class Access {
  readonly #options: AccessOptions
  readonly #anonymous: Limits
  /** Hashes of credentials that were found to be keys, to hash each once. What is true of the key is asked every time. */
  readonly #hashes = new Map<string, string>()
  readonly #accounts = new WeakMap<Key, Account>()
  /** The minute of each key's last use, and those not saved yet. */
  readonly #lastUses = new Map<string, number>()
  #unsavedUses = new Map<string, number>()
  readonly #useSaver: NodeJS.Timeout

  constructor(options: AccessOptions) {
    this.#options = options
    this.#anonymous = { perMinute: options.anonymousPerMinute, perDay: undefined, ban: undefined }
    this.#useSaver = setInterval(() => void this.#saveUses(), SAVE_USE_EVERY_MS)
    this.#useSaver.unref()
  }

  /** Counts a request by its `Authorization` header. `from.ip` is looked at only when the header holds no valid key. */
  enter(authorization: string | undefined, from: { readonly ip: string }): Eventual<Admission> {
    const hash = authorization === undefined ? undefined : this.#hashOf(authorization)
    if (authorization === undefined || hash === undefined) return this.enterByAddress(from.ip)
    return whenReady(this.#options.keys.find(hash), (key) => {
      const nowMs = this.#options.clock()
      if (key === undefined || !isInForce(key, nowMs)) return this.enterByAddress(from.ip)
      this.#remember(authorization, hash)
      this.#noteUse(key.id, nowMs - (nowMs % MINUTE_MS))
      const { subject, limits } = this.#account(key)
      return whenReady(this.#options.counters.take(subject, limits), (verdict) => ({ key, verdict }))
    })
  }

  /** Counts a request for its address, whatever key it may hold (O14). */
  enterByAddress(ip: string): Eventual<Admission> {
    const verdict = this.#options.counters.take(addressSubject(ip), this.#anonymous)
    return whenReady(verdict, (verdict) => ({ key: undefined, verdict }))
  }

  /** The address's allowance without counting: for what is free of charge. */
  lookAtAddress(ip: string): Eventual<Admission> {
    const verdict = this.#options.counters.peek(addressSubject(ip), this.#anonymous)
    return whenReady(verdict, (verdict) => ({ key: undefined, verdict }))
  }

  /** What to say of limits when neither keys nor counters can be asked: the address's allowance, untouched (O23). */
  untouched(): Verdict {
    return peek(newUsage(), this.#anonymous, this.#options.clock())
  }

  /** Where a key stands, without counting. */
  lookAtKey(key: Key): Eventual<Standing> {
    const { subject, limits } = this.#account(key)
    return this.#options.counters.peek(subject, limits)
  }

  async close(): Promise<void> {
    clearInterval(this.#useSaver)
    await this.#saveUses()
  }

  #hashOf(authorization: string): string | undefined {
    const known = this.#hashes.get(authorization)
    if (known !== undefined) return known
    const secret = BEARER.exec(authorization)?.[1]
    return secret !== undefined && isWellFormedSecret(secret) ? hashSecret(secret) : undefined
  }

  #remember(authorization: string, hash: string): void {
    if (this.#hashes.has(authorization)) return
    if (this.#hashes.size >= REMEMBERED_CREDENTIALS) this.#hashes.clear()
    this.#hashes.set(authorization, hash)
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

  /** When the store is away, these uses wait for the next time. */
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

/** An IPv6 address counts by its /64, the least that one customer is given; an IPv4 one as it is, mapped or not (O14). */
export function addressSubject(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!isIPv6(plain)) return `address:${plain}`
  const [head = '', tail] = plain.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : 8 - left.length - right.length - (plain.includes('.') ? 1 : 0)
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right]
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `address:${network.join(':')}::/64`
}
