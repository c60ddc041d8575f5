/**
 * Sign-in and sessions. No answer reveals whether a name exists: an unknown one is hashed, delayed and refused like a
 * known one. A session's secret is 256 random bits, stored as a hash; its CSRF token is derived from the secret.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Clock, MINUTE_MS, within } from '../common/clock.ts'
import { IDLE_MS, SESSION_MS, STEP_BACK_MS } from '../rules/bounds.ts'
import type { Author } from '../store/author.ts'
import type { PersonRecord, SessionRecord } from '../store/people.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { networkBucket } from './access.ts'
import { Delays } from './delays.ts'
import type { RandomBytes } from './keys.ts'
import { type Asker, isPassphrase, Passphrases, PassphrasesBusy } from './passphrases.ts'
import { hashToken, isToken, makeToken } from './people.ts'
import { foldName, personName } from './person-names.ts'

/** Failures without a delay. Many people can share an address, so it allows more. */
const FREE_BY_NAME = 3
const FREE_BY_ADDRESS = 10
/** In ms, while too many others sign in. */
const BUSY_MS = 2_000
/** How long signing out waits for the database, and between its attempts, in ms. */
const END_WITHIN_MS = 2_500
const END_AGAIN_MS = 500
/** The most sign-outs that wait for the database. */
const MAX_BEING_ENDED = 1_000
/** The precision of a session's last use, in ms. */
const SEEN_EVERY_MS = MINUTE_MS

export interface NewSession {
  readonly person: PersonRecord
  readonly secret: string
  readonly token: string
  readonly endsAtMs: number
}

export interface OpenSession extends NewSession {
  readonly hash: string
}

export interface Wait {
  readonly waitMs: number
}

interface Suspect {
  readonly account: string
  readonly address: string
  readonly asker: Asker
}

/** Failures of strangers do not count for people who are signed in, even from the same address. */
function suspectOf(name: string, ip: string, asker: Asker): Suspect {
  const network = networkBucket(ip)
  if (asker === 'known') return { account: name, address: name, asker }
  return { account: `${network}\n${name}`, address: network, asker }
}

interface SignInOptions {
  readonly store: Store
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  /** On each failed sign-in. A name that nobody has is undefined: it could be a passphrase in the wrong field. */
  readonly onWrong?: (account: string | undefined, ip: string) => void
}

export class SignIn {
  readonly #options: SignInOptions
  readonly #passphrases: Passphrases
  /** By name and address together: guesses from elsewhere delay nobody. */
  readonly #byName: Delays
  readonly #byAddress: Delays
  readonly #notingHashes = new Set<string>()
  /** Sessions that this process has ended, but the database has not. */
  readonly #endingHashes = new Set<string>()

  constructor(options: SignInOptions) {
    this.#options = options
    this.#passphrases = new Passphrases(options.randomBytes)
    this.#byName = new Delays(options.clock, FREE_BY_NAME)
    this.#byAddress = new Delays(options.clock, FREE_BY_ADDRESS)
  }

  /** `refused`: the name or the passphrase is wrong. */
  async signIn(name: string, passphrase: string, ip: string): Promise<NewSession | Wait | 'refused'> {
    const outcome = await this.#prove(name, passphrase, ip, 'stranger')
    if (outcome === 'refused' || 'waitMs' in outcome) return outcome
    const newSecret = this.#newSecret()
    const session = { hash: newSecret.hash, atMs: this.#options.clock.now() }
    const isBegun = await this.#options.store.people.beginSession(outcome.n, outcome.passphrase ?? '', session)
    return isBegun ? { ...newSecret, person: outcome, endsAtMs: session.atMs + SESSION_MS } : 'refused'
  }

  /** Checks the passphrase of a person who is signed in. */
  async confirm(name: string, passphrase: string, ip: string): Promise<true | Wait | 'refused'> {
    const outcome = await this.#prove(name, passphrase, ip, 'known')
    return outcome === 'refused' || 'waitMs' in outcome ? outcome : true
  }

  async #prove(name: string, passphrase: string, ip: string, asker: Asker): Promise<PersonRecord | Wait | 'refused'> {
    // Treated like a name that nobody has.
    const validName = personName(name.trim())
    const folded = foldName(validName ?? name).slice(0, 200)
    const person = validName === undefined ? undefined : await this.#options.store.people.find(folded)
    const isRight = await this.#check(passphrase, person?.passphrase, suspectOf(folded, ip, asker))
    if (typeof isRight === 'object') return isRight
    if (isRight && person !== undefined) return person
    this.#options.onWrong?.(person?.folded, ip)
    return 'refused'
  }

  /** Whether the passphrase matches. Counts as a failure of the suspect until it does. */
  async #check(passphrase: string, record: string | undefined, suspect: Suspect): Promise<boolean | Wait> {
    const { account, address, asker } = suspect
    const waitMs = Math.max(this.#byName.wait(account), this.#byAddress.wait(address))
    if (waitMs > 0) return { waitMs }
    const uncountName = this.#byName.begin(account)
    const uncountAddress = this.#byAddress.begin(address)
    try {
      const isRight = await this.#passphrases.matches(passphrase, record, asker, account)
      if (isRight) {
        uncountName()
        uncountAddress()
      }
      return isRight
    } catch (error) {
      uncountName()
      const isBusy = error instanceof PassphrasesBusy
      // A stranger who finds the queue full counts for the address.
      if (!isBusy || !error.isFull || asker === 'known') uncountAddress()
      if (isBusy) return { waitMs: BUSY_MS }
      throw error
    }
  }

  async invitedPerson(secret: string): Promise<PersonRecord | undefined> {
    return isToken(secret)
      ? this.#options.store.people.invitedPerson(hashToken(secret), this.#options.clock.now())
      : undefined
  }

  /** For a person who has proven the old one. Ends their other sessions. Undefined if the person no longer exists. */
  async setPassphrase(session: OpenSession, passphrase: string, by: Author): Promise<NewSession | Wait | undefined> {
    const record = await this.#record(passphrase, session.person.folded)
    if (typeof record !== 'string') return record
    const person = await this.#options.store.people.setPassphrase(session.person.folded, record, by)
    return person && { ...session, person }
  }

  async #record(passphrase: string, who: string): Promise<string | Wait> {
    if (!isPassphrase(passphrase)) throw new RangeError('this cannot be a passphrase')
    try {
      return await this.#passphrases.record(passphrase, who)
    } catch (error) {
      if (error instanceof PassphrasesBusy) return { waitMs: BUSY_MS }
      throw error
    }
  }

  /** Accepts an invitation. Undefined if it no longer exists. */
  async accept(secret: string, passphrase: string): Promise<NewSession | Wait | undefined> {
    const invited = await this.invitedPerson(secret)
    if (invited === undefined) return undefined
    const record = await this.#record(passphrase, invited.folded)
    if (typeof record !== 'string') return record
    const newSecret = this.#newSecret()
    const session = { hash: newSecret.hash, atMs: this.#options.clock.now() }
    const person = await this.#options.store.people.accept(hashToken(secret), record, session)
    return person === undefined ? undefined : { ...newSecret, person, endsAtMs: session.atMs + SESSION_MS }
  }

  /** Renews the session, unless `isUnattended`: a page can refresh itself. */
  async session(secret: string | undefined, isUnattended = false): Promise<OpenSession | undefined> {
    if (!isToken(secret)) return undefined
    const hash = hashToken(secret)
    const record = await this.#find(hash)
    const nowMs = this.#options.clock.now()
    if (record === undefined || nowMs >= record.createdAtMs + SESSION_MS || nowMs >= record.seenAtMs + IDLE_MS) {
      return undefined
    }
    // The clock was ahead when the session began or was used.
    if (Math.max(record.createdAtMs, record.seenAtMs) > nowMs + STEP_BACK_MS) return undefined
    if (!isUnattended && nowMs - record.seenAtMs >= SEEN_EVERY_MS) this.#noteSeen(hash, nowMs)
    return { person: record.person, secret, hash, token: tokenOf(secret), endsAtMs: record.createdAtMs + SESSION_MS }
  }

  async holds({ hash }: OpenSession): Promise<boolean> {
    const record = await this.#find(hash)
    return record !== undefined && this.#options.clock.now() < record.createdAtMs + SESSION_MS
  }

  async #find(hash: string): Promise<SessionRecord | undefined> {
    return this.#endingHashes.has(hash) ? undefined : this.#options.store.people.session(hash)
  }

  /** Not awaited, because it can take long during an import. If it fails, the next request tries again. */
  #noteSeen(hash: string, atMs: number): void {
    if (this.#notingHashes.has(hash)) return
    this.#notingHashes.add(hash)
    Promise.try(() => this.#options.store.people.noteSeen(hash, atMs))
      .catch(() => {})
      .finally(() => this.#notingHashes.delete(hash))
  }

  /** Throws StoreUnavailable if the database does not store the end in time; this process then keeps trying. */
  async end(secret: string): Promise<PersonRecord | undefined> {
    const hash = hashToken(secret)
    if (this.#endingHashes.has(hash)) return undefined
    if (this.#endingHashes.size >= MAX_BEING_ENDED) throw new StoreUnavailable('too many sessions are being ended')
    this.#endingHashes.add(hash)
    const ended = this.#untilEnded(hash).finally(() => this.#endingHashes.delete(hash))
    return within(this.#options.clock, END_WITHIN_MS, ended, () => {
      throw new StoreUnavailable('the end of a session is not stored yet')
    })
  }

  /** Resolves when the database has ended the session, or it must have expired. */
  async #untilEnded(hash: string): Promise<PersonRecord | undefined> {
    const untilMs = this.#options.clock.now() + SESSION_MS
    while (this.#options.clock.now() < untilMs) {
      try {
        const record = await this.#options.store.people.session(hash)
        return record && (await this.#options.store.people.endSession(hash, this.#options.clock.now()))
      } catch {
        await new Promise<void>((resolve) => this.#options.clock.after(END_AGAIN_MS, resolve).unref())
      }
    }
    return undefined
  }

  #newSecret(): Pick<OpenSession, 'secret' | 'hash' | 'token'> {
    const secret = makeToken(this.#options.randomBytes)
    return { secret, hash: hashToken(secret), token: tokenOf(secret) }
  }
}

function tokenOf(secret: string): string {
  return createHmac('sha256', secret).update('the token of a session of the office').digest('base64url')
}

/** Compares in constant time. */
export function isCsrfTokenOf({ secret }: Pick<NewSession, 'secret'>, token: unknown): boolean {
  return isToken(token) && timingSafeEqual(Buffer.from(tokenOf(secret)), Buffer.from(token))
}
