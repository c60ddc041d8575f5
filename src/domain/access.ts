/** Authenticates a request and counts it against the limits of its key or address (R13-R17, O13-O15, O22). */
import { isIPv6 } from 'node:net'
import { type Clock, DAY_MS, MINUTE_MS, type Timer } from '../common/clock.ts'
import { type MaybePromise, whenReady } from '../common/maybe-promise.ts'
import { type BanPolicy, type LimitState, type Limits, newCounter, peek, type Verdict } from '../contract/limits.ts'
import type { Counters } from '../counters/counters.ts'
import type { Ban } from '../rules/keys.ts'
import { isInForce } from '../rules/keys.ts'
import type { LedgerOperation } from '../store/ledger.ts'
import type { Key } from '../store/rows.ts'
import type { OnAttempt, Store } from '../store/store.ts'
import { hashSecret, isWellFormedSecret } from './keys.ts'
import type { LedgerBuffer } from './ledger.ts'

export interface Admission {
  /** Undefined if no valid key was given. */
  readonly key: Key | undefined
  readonly verdict: Verdict
}

interface AccessOptions {
  readonly store: Pick<Store, 'keys' | 'requests'>
  readonly counters: Counters
  readonly ledger: LedgerBuffer
  readonly clock: Clock
  readonly ban: BanPolicy | undefined
  readonly anonymousPerMinute: number
  /** Called for each ban, once on all nodes together. */
  readonly onBan?: (key: Key, ban: Omit<Ban, 'count'>) => void
  readonly onAttempt?: OnAttempt
}

interface IncomingRequest {
  readonly ip: string
  readonly operation: LedgerOperation
}

interface Account {
  readonly subject: string
  readonly limits: Limits
  /** The end of a lifted ban, until the counters know that it is lifted. */
  liftedUntilMs: number | undefined
}

/** Preflights per minute from one address for an allowed origin: enough for every key behind the address (O24). */
const PREFLIGHTS_PER_MINUTE = 6_000
const PREFLIGHTS: Limits = { perMinute: PREFLIGHTS_PER_MINUTE, perDay: undefined, ban: undefined }

const BEARER = /^bearer +([^ ]+) *$/i
/** Bounds the memory of the cache below: about 2 MB. */
const REMEMBERED_CREDENTIALS = 10_000
const SAVE_USE_EVERY_MS = 5_000
/** A key's first use is saved sooner, so that a key in use is not shown as never used. */
const SAVE_FIRST_USE_MS = 50

export class Access {
  readonly #options: AccessOptions
  readonly #anonymous: Limits
  /** Hashes of the credentials of valid keys. The key itself is looked up every time. */
  readonly #hashes = new Map<string, string>()
  readonly #accounts = new WeakMap<Key, Account>()
  /** The minute of each key's last use in Unix ms, and those that are not saved yet. */
  readonly #lastUses = new Map<string, number>()
  #unsavedUses = new Map<string, number>()
  /** The ends of the recorded bans in Unix ms, by lineage. */
  readonly #bans = new Map<string, number>()
  readonly #useSaver: Timer
  #firstUseSaver: Timer | undefined

  constructor(options: AccessOptions) {
    this.#options = options
    this.#anonymous = { perMinute: options.anonymousPerMinute, perDay: undefined, ban: undefined }
    this.#useSaver = options.clock.every(SAVE_USE_EVERY_MS, () => void this.#saveUses()).unref()
  }

  /** Counts a request by its `Authorization` header. `from.ip` is read only if the header holds no valid key. */
  admit(authorization: string | undefined, from: IncomingRequest): MaybePromise<Admission> {
    const credentials = authorization ?? ''
    const hash = this.#hashOf(credentials)
    if (hash === undefined) return this.admitAddress(from.ip)
    return whenReady(this.#options.store.requests.findKey(hash), (key) => {
      const nowMs = this.#options.clock.now()
      if (key === undefined || !isInForce(key, nowMs)) return this.admitAddress(from.ip)
      this.#remember(credentials, hash)
      this.#recordUse(key, nowMs - (nowMs % MINUTE_MS))
      const { counters, ledger } = this.#options
      const decision = this.#withAccount(key, ({ subject, limits }) => counters.consume(subject, limits))
      return whenReady(decision, (verdict) => {
        ledger.countDecision(key.lineage, from.operation, verdict)
        if (verdict.bannedUntilMs !== undefined) this.#recordBan(key, verdict.limit, verdict.bannedUntilMs)
        return { key, verdict }
      })
    })
  }

  countResponse({ key, verdict }: Admission, operation: LedgerOperation, status: number): void {
    if (key !== undefined && verdict.admitted)
      this.#options.ledger.countResponse(key.lineage, operation, verdict, status)
  }

  /** Counts a request against the allowance of its address, whatever key it has (O14). */
  admitAddress(ip: string): MaybePromise<Admission> {
    const verdict = this.#options.counters.consume(addressBucket(ip), this.#anonymous)
    return whenReady(verdict, (verdict) => ({ key: undefined, verdict }))
  }

  /** Counts a preflight of an allowed origin against an allowance of its own (O24). */
  admitPreflight(ip: string): MaybePromise<Admission> {
    const verdict = this.#options.counters.consume(`preflight ${addressBucket(ip)}`, PREFLIGHTS)
    return whenReady(verdict, (verdict) => ({ key: undefined, verdict }))
  }

  /** The allowance of the address without counting: for free responses. */
  peekAddress(ip: string): MaybePromise<Admission> {
    const verdict = this.#options.counters.peek(addressBucket(ip), this.#anonymous)
    return whenReady(verdict, (verdict) => ({ key: undefined, verdict }))
  }

  /** The limits to report if neither keys nor counters can be read: the address's allowance, unused (O23). */
  unusedAllowance(): Verdict {
    return peek(newCounter(), this.#anonymous, this.#options.clock.now())
  }

  peekKey(key: Key): MaybePromise<LimitState> {
    return this.#withAccount(key, ({ subject, limits }) => this.#options.counters.peek(subject, limits))
  }

  async close(): Promise<void> {
    this.#options.clock.cancel(this.#useSaver)
    this.#options.clock.cancel(this.#firstUseSaver)
    await Promise.all([this.#saveUses(), this.#options.ledger.close()])
  }

  #hashOf(credentials: string): string | undefined {
    const cached = this.#hashes.get(credentials)
    if (cached !== undefined) return cached
    const secret = BEARER.exec(credentials)?.[1]
    return secret !== undefined && isWellFormedSecret(secret) ? hashSecret(secret) : undefined
  }

  #remember(credentials: string, hash: string): void {
    if (this.#hashes.has(credentials)) return
    if (this.#hashes.size >= REMEMBERED_CREDENTIALS) this.#hashes.clear()
    this.#hashes.set(credentials, hash)
  }

  #recordUse({ id, lastUsedAtMs }: Key, minuteMs: number): void {
    const before = this.#lastUses.get(id)
    if (before === minuteMs) return
    if (before === undefined && lastUsedAtMs === undefined) {
      this.#firstUseSaver ??= this.#options.clock.after(SAVE_FIRST_USE_MS, () => void this.#saveUses()).unref()
    }
    this.#lastUses.set(id, minuteMs)
    this.#unsavedUses.set(id, minuteMs)
  }

  #accountOf(key: Key): Account {
    let account = this.#accounts.get(key)
    if (account === undefined) {
      const limits = { perMinute: key.perMinute, perDay: key.perDay, ban: this.#options.ban }
      // Shared counters have their own clock, which may be behind, so a lifted ban is kept for another day.
      const lasts = key.liftedUntilMs !== undefined && key.liftedUntilMs + DAY_MS > this.#options.clock.now()
      account = { subject: `key:${key.lineage}`, limits, liftedUntilMs: lasts ? key.liftedUntilMs : undefined }
      this.#accounts.set(key, account)
    }
    return account
  }

  /** Asks the counters. A ban that a command has lifted is stored with the key, and is first lifted there (O7, R17). */
  #withAccount<T>(key: Key, ask: (account: Account) => MaybePromise<T>): MaybePromise<T> {
    const account = this.#accountOf(key)
    if (account.liftedUntilMs === undefined) return ask(account)
    return whenReady(this.#options.counters.unban(account.subject, account.liftedUntilMs), (isDone) => {
      if (isDone) account.liftedUntilMs = undefined
      return ask(account)
    })
  }

  /** Records each ban once. If that fails, the next refusal tries again. */
  async #recordBan(key: Key, limit: number, untilMs: number): Promise<void> {
    const { ban, store, onBan, onAttempt } = this.#options
    const { lineage } = key
    if (ban === undefined || this.#bans.get(lineage) === untilMs) return
    this.#bans.set(lineage, untilMs)
    const { refusals, withinMs, forMs } = ban
    const window = limit === key.perDay ? 'day' : 'minute'
    try {
      const newBan = { atMs: untilMs - forMs, untilMs, refusals, withinMs, window, limit } as const
      if (await store.keys.noteBan(key, newBan)) onBan?.(key, newBan)
      onAttempt?.('a ban is not saved')
    } catch (error) {
      this.#bans.delete(lineage)
      onAttempt?.('a ban is not saved', error)
    }
  }

  /** Uses that cannot be saved are saved the next time. */
  async #saveUses(): Promise<void> {
    this.#firstUseSaver = undefined
    const nowMs = this.#options.clock.now()
    for (const [lineage, untilMs] of this.#bans) if (untilMs <= nowMs) this.#bans.delete(lineage)
    if (this.#unsavedUses.size === 0) return
    const { store, onAttempt } = this.#options
    const uses = this.#unsavedUses
    this.#unsavedUses = new Map()
    try {
      await store.requests.markKeysUsed(uses)
      onAttempt?.('when keys were used is not saved')
    } catch (error) {
      this.#unsavedUses = new Map([...uses, ...this.#unsavedUses])
      onAttempt?.('when keys were used is not saved', error)
    }
  }
}

/** For IPv6 the /64, the smallest network that a subscriber gets; for IPv4 the address, mapped to IPv6 or not (O14). */
export function addressBucket(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*/, '')
  if (!isIPv6(plain)) return `address:${plain}`
  const [left = [], right = []] = plain.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const missing = 8 - left.length - right.length - (plain.includes('.') ? 1 : 0)
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right]
  const network = groups.slice(0, 6).map((group) => Number.parseInt(group, 16).toString(16))
  if (network.join() === '0,0,0,0,0,ffff') return `address:${dotted(groups.slice(6))}`
  return `address:${network.slice(0, 4).join(':')}::/64`
}

/** The last 32 bits of an address: two groups, or dotted already. */
function dotted(groups: readonly string[]): string {
  if (groups.length === 1) return groups.join()
  const bits = groups.map((group) => Number.parseInt(group, 16))
  return bits.flatMap((bits) => [bits >> 8, bits & 255]).join('.')
}

/** The bucket against floods from many addresses: for IPv6 the /48. */
export function networkBucket(ip: string): string {
  return addressBucket(ip).replace(/:[\da-f]+::\/64$/, '::/48')
}
