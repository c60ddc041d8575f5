/**
 * How people come into the office and stay in it: passphrases asked for under a delay that grows with wrong guesses, invitations
 * accepted, sessions begun, recognised and ended. Nothing here tells whether a name exists: an unknown one is hashed, delayed and
 * refused like a known one. A session is 256 random bits, stored as a hash; its token, which each write has to show besides the
 * cookie, is derived from them and stored nowhere.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../common/clock.ts'
import { IDLE_MS, type PersonRecord, SESSION_MS } from '../store/people.ts'
import type { Store } from '../store/store.ts'
import { addressSubject } from './access.ts'
import { Delays } from './delays.ts'
import type { RandomBytes } from './keys.ts'
import { isPassphrase, Passphrases, PassphrasesBusy } from './passphrases.ts'
import { foldName, hashToken, isToken, makeToken, personName } from './people.ts'

/** Failures without a delay. Many people may share an address. */
const FREE_BY_ACCOUNT = 3
const FREE_BY_ADDRESS = 10
/** What somebody is told to wait when too many sign in at once. */
const BUSY_MS = 2_000
/** The time of the last request in a session is stored this precisely. */
const SEEN_EVERY_MS = 60_000

export interface BegunSession {
  readonly person: PersonRecord
  /** For the cookie. */
  readonly secret: string
  readonly token: string
  readonly endsAtMs: number
}

export interface OpenSession extends BegunSession {
  readonly hash: string
}

export interface Wait {
  readonly waitMs: number
}

export interface SignInOptions {
  readonly store: Store
  readonly clock: Clock
  readonly randomBytes: RandomBytes
}

export class SignIn {
  readonly #store: Store
  readonly #clock: Clock
  readonly #randomBytes: RandomBytes
  readonly #passphrases: Passphrases
  readonly #byAccount: Delays
  readonly #byAddress: Delays

  constructor({ store, clock, randomBytes }: SignInOptions) {
    this.#store = store
    this.#clock = clock
    this.#randomBytes = randomBytes
    this.#passphrases = new Passphrases(randomBytes)
    this.#byAccount = new Delays(clock, FREE_BY_ACCOUNT)
    this.#byAddress = new Delays(clock, FREE_BY_ADDRESS)
  }

  /** `refused` if the name or the passphrase is wrong. */
  async signIn(name: string, passphrase: string, ip: string): Promise<BegunSession | Wait | 'refused'> {
    const found = await this.#prove(name, passphrase, ip)
    if (found === 'refused' || 'waitMs' in found) return found
    const session = this.#newSession(found)
    const stored = { hash: session.hash, atMs: this.#clock() }
    const isBegun = await this.#store.people.beginSession(found.n, found.passphrase ?? '', stored)
    return isBegun ? session : 'refused'
  }

  /** Whether the passphrase is that of this person, asked for again before an act of consequence. */
  async confirm(name: string, passphrase: string, ip: string): Promise<true | Wait | 'refused'> {
    const found = await this.#prove(name, passphrase, ip)
    return found === 'refused' || 'waitMs' in found ? found : true
  }

  async #prove(name: string, passphrase: string, ip: string): Promise<PersonRecord | Wait | 'refused'> {
    // A text that cannot be a name is delayed and refused like a name that nobody has.
    const known = personName(name.trim())
    const account = foldName(known ?? name).slice(0, 200)
    const address = addressSubject(ip)
    const waitMs = Math.max(this.#byAccount.wait(account), this.#byAddress.wait(address))
    if (waitMs > 0) return { waitMs }
    this.#byAccount.begin(account)
    this.#byAddress.begin(address)
    try {
      const person = known === undefined ? undefined : await this.#store.people.find(account)
      const isRight = await this.#passphrases.matches(passphrase, person?.passphrase)
      if (!isRight || person === undefined) return 'refused'
      this.#byAccount.forget(account)
      this.#byAddress.takeBack(address)
      return person
    } catch (error) {
      this.#byAccount.takeBack(account)
      this.#byAddress.takeBack(address)
      if (error instanceof PassphrasesBusy) return { waitMs: BUSY_MS }
      throw error
    }
  }

  /** Whoever the secret invites. */
  async invited(secret: string): Promise<PersonRecord | undefined> {
    return isToken(secret) ? this.#store.people.invited(hashToken(secret), this.#clock()) : undefined
  }

  /** `passphrase` must be one that `isPassphrase` allows. Undefined if there is no such invitation (any more). */
  async accept(secret: string, passphrase: string): Promise<BegunSession | Wait | undefined> {
    if (!isPassphrase(passphrase)) throw new RangeError('this cannot be a passphrase')
    if ((await this.invited(secret)) === undefined) return undefined
    let record: string
    try {
      record = await this.#passphrases.record(passphrase)
    } catch (error) {
      if (error instanceof PassphrasesBusy) return { waitMs: BUSY_MS }
      throw error
    }
    const begun = this.#newSecret()
    const session = { hash: begun.hash, atMs: this.#clock() }
    const person = await this.#store.people.accept(hashToken(secret), record, session)
    return person === undefined ? undefined : { ...begun, person, endsAtMs: session.atMs + SESSION_MS }
  }

  /**
   * The session that a cookie names; undefined if there is none, or if it has ended. Unless `isUnattended`, as when a page
   * refreshes itself, it counts as used now.
   */
  async session(secret: string | undefined, isUnattended = false): Promise<OpenSession | undefined> {
    if (!isToken(secret)) return undefined
    const hash = hashToken(secret)
    const found = await this.#store.people.session(hash)
    const nowMs = this.#clock()
    if (found === undefined || nowMs >= found.createdAtMs + SESSION_MS || nowMs >= found.seenAtMs + IDLE_MS) {
      return undefined
    }
    if (!isUnattended && nowMs - found.seenAtMs >= SEEN_EVERY_MS) await this.#store.people.noteSeen(hash, nowMs)
    return { person: found.person, secret, hash, token: tokenOf(secret), endsAtMs: found.createdAtMs + SESSION_MS }
  }

  async end(session: OpenSession): Promise<void> {
    await this.#store.people.endSession(session.hash)
  }

  #newSession(person: PersonRecord): OpenSession {
    return { ...this.#newSecret(), person, endsAtMs: this.#clock() + SESSION_MS }
  }

  #newSecret(): Pick<OpenSession, 'secret' | 'hash' | 'token'> {
    const secret = makeToken(this.#randomBytes)
    return { secret, hash: hashToken(secret), token: tokenOf(secret) }
  }
}

function tokenOf(secret: string): string {
  return createHmac('sha256', secret).update('the token of a session of the office').digest('base64url')
}

/** In constant time. */
export function isTokenOf(session: BegunSession, token: unknown): boolean {
  return isToken(token) && timingSafeEqual(Buffer.from(session.token), Buffer.from(token))
}
