/**
 * What every case gets: it sends requests within the quota, records every exchange for the cases that judge the whole
 * run, lists the animals created, and makes what cases share once.
 */
import { poolOf, type Request } from './http/request.ts'
import { ask, type Exchange, type Secrets } from './http/transport.ts'
import { GET_PET_REMOVAL_MS } from './interface.ts'
import { memberText } from './json-body.ts'
import { Pacer, type Timing } from './pacing.ts'
import { NoAnswer, QuotaExhausted, RunOver, Unasked } from './verdicts.ts'

/** An animal that this run has left behind. */
export interface CreatedAnimal {
  /** As text, because it is reported even if it is not an int64. */
  readonly id: string
  readonly name: string
}

export interface KitOptions {
  readonly base: URL
  readonly secrets: Secrets
  readonly timing: Timing
  readonly isAborted: () => boolean
}

/** The maximum number of animals that a run leaves behind, whatever a server accepts. */
export const MOST_ANIMALS = 16
const REFUSALS_BORNE = 5

export class Kit {
  /** The base address, without a slash at its end. */
  readonly base: URL
  readonly clock: () => number
  readonly hasLimitedKey: boolean
  readonly keyLength: number
  /** Which categories exist is open (O1), but the one of a listed animal does. */
  category = 1n
  /** The prefix of every animal name of this run. It is short because the maximum length is open (O19). */
  readonly namePrefix: string
  readonly exchanges: Exchange[] = []
  readonly created: CreatedAnimal[] = []
  /** The id of the case that found each cause first. */
  readonly foundBy = new Map<unknown, string>()
  readonly #pacer: Pacer
  readonly #options: KitOptions
  readonly #results = new Map<unknown, Promise<unknown>>()

  constructor(options: KitOptions) {
    const { base, secrets, timing } = options
    this.base = base
    this.clock = timing.clock
    this.hasLimitedKey = secrets.limitedKey !== undefined
    this.keyLength = secrets.key.length
    this.namePrefix = `kit${Math.floor(timing.clock() / 1000)
      .toString(36)
      .slice(-4)}-`
    this.#pacer = new Pacer(timing)
    this.#options = options
  }

  get getPetExists(): boolean {
    return this.clock() < GET_PET_REMOVAL_MS
  }

  /** Whether the key must be served, as the latest answer to it said. */
  get isServed(): boolean {
    return this.#pacer.hasQuota('key')
  }

  /**
   * Sends a request when the quota allows it, and again after a 429. Requests with the limited key are not paced: the
   * cases exhaust it on purpose and judge its 429s. Throws NoAnswer, QuotaExhausted, RunOver, or Unasked if the request
   * might leave one animal too many.
   */
  async send(request: Request): Promise<Exchange> {
    if (request.method === 'POST' && this.created.length >= MOST_ANIMALS)
      throw new Unasked(`${MOST_ANIMALS} animals are left behind already`)
    const pool = poolOf(request)
    if (pool === 'limited key') return this.sendOnce(request)
    for (let refusals = 0; refusals < REFUSALS_BORNE; refusals += 1) {
      await this.#pacer.waitForQuota(pool)
      const exchange = await this.sendOnce(request)
      if (exchange.answer.status !== 429) return exchange
      await this.#pacer.afterRefusal(pool, exchange)
    }
    throw new QuotaExhausted(`the ${pool} was refused with 429 again and again, also after the waits it was told`)
  }

  /** As `send`, without a wait: a 429 is an answer too. */
  async sendOnce(request: Request): Promise<Exchange> {
    const { base, secrets, timing, isAborted } = this.#options
    if (isAborted()) throw new RunOver('the run was interrupted')
    if (this.clock() >= timing.deadlineMs) throw new RunOver('the time given was over')
    const answer = await ask(base, request, secrets).catch((error: unknown) => {
      throw new NoAnswer(request, error)
    })
    const exchange = { request, answer, atMs: this.clock() }
    this.#pacer.recordHeaders(poolOf(request), exchange)
    this.exchanges.push(exchange)
    // A creation should be answered with 201, but any 2xx with an id has left an animal behind.
    const id = request.method === 'POST' ? memberText(answer, 'id') : ''
    if (id !== '' && answer.status < 300) this.created.push({ id, name: memberText(answer, 'name') })
    return exchange
  }

  /** Waits, and reports the wait as progress. Throws RunOver. */
  async wait(ms: number): Promise<void> {
    const { timing, isAborted } = this.#options
    const untilMs = this.clock() + ms
    if (untilMs > timing.deadlineMs) throw new RunOver('the time given would be over before the wait')
    timing.onWait(ms, 'limited key')
    // A timer may fire a little early.
    for (let restMs = ms; restMs > 0 && !isAborted(); restMs = untilMs - this.clock()) await timing.sleep(restMs)
  }

  /** Calls `make` at the first call only. All callers get the same value, or the same failure. */
  once<T>(make: (kit: Kit) => Promise<T>): Promise<T> {
    const result = this.#results.get(make) ?? make(this)
    this.#results.set(make, result)
    // The value stored under `make` is always the result of `make`.
    return result as Promise<T>
  }
}
