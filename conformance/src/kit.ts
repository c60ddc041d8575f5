/** Sends requests within the quota, records exchanges and created animals, and makes shared results once. */
import { poolOf, type Request } from './http/request.ts'
import { ask, type Exchange, type Secrets } from './http/transport.ts'
import { GET_PET_REMOVAL_MS } from './interface.ts'
import { memberText } from './json-body.ts'
import { Pacer, type Timing } from './pacing.ts'
import { NoAnswer, QuotaExhausted, RunOver, Unasked } from './verdicts.ts'

export interface CreatedAnimal {
  /** Text, because it is reported even if it is not an int64. */
  readonly id: string
  readonly name: string
}

export interface KitOptions {
  readonly base: URL
  readonly secrets: Secrets
  readonly timing: Timing
  readonly isAborted: () => boolean
}

/** The most animals that a run leaves behind, whatever a server accepts. */
export const MOST_ANIMALS = 16
const REFUSALS_BORNE = 5

export class Kit {
  /** Without a slash at its end. */
  readonly base: URL
  readonly clock: () => number
  readonly hasLimitedKey: boolean
  /** Which categories exist is open (O1), but the category of a listed animal does. */
  category = 1n
  /** The prefix of every animal name of this run. Short, because the maximum length is open (O19). */
  readonly namePrefix: string
  readonly exchanges: Exchange[] = []
  readonly created: CreatedAnimal[] = []
  /** The case that found each cause first. */
  readonly foundBy = new Map<unknown, string>()
  readonly #pacer: Pacer
  readonly #options: KitOptions
  readonly #results = new Map<unknown, Promise<unknown>>()

  constructor(options: KitOptions) {
    const { base, secrets, timing } = options
    this.base = base
    this.clock = timing.clock
    this.hasLimitedKey = secrets.limitedKey !== undefined
    this.namePrefix = `kit${Math.floor(timing.clock() / 1000)
      .toString(36)
      .slice(-4)}-`
    this.#pacer = new Pacer(timing)
    this.#options = options
  }

  get getPetExists(): boolean {
    return this.clock() < GET_PET_REMOVAL_MS
  }

  /** Sends within the quota, and again after a 429. Throws NoAnswer, QuotaExhausted, RunOver or Unasked. */
  async send(request: Request): Promise<Exchange> {
    if (request.method === 'POST' && this.created.length >= MOST_ANIMALS)
      throw new Unasked(`${MOST_ANIMALS} animals were already created`)
    const pool = poolOf(request)
    if (pool === 'limited key') return this.sendOnce(request)
    for (let refusals = 0; refusals < REFUSALS_BORNE; refusals += 1) {
      await this.#pacer.waitForQuota(pool)
      const exchange = await this.sendOnce(request)
      if (exchange.answer.status !== 429) return exchange
      await this.#pacer.afterRefusal(pool, exchange)
    }
    throw new QuotaExhausted(`the ${pool} got 429 repeatedly, even after the requested waits`)
  }

  /** Sends without waiting: a 429 is a response too. */
  async sendOnce(request: Request): Promise<Exchange> {
    const { base, secrets, timing, isAborted } = this.#options
    if (isAborted()) throw new RunOver('the run was interrupted')
    if (this.clock() >= timing.deadlineMs) throw new RunOver('the time limit was reached')
    const answer = await ask(base, request, secrets).catch((error: unknown) => {
      throw new NoAnswer(request, error)
    })
    const exchange = { request, answer, atMs: this.clock() }
    this.#pacer.recordHeaders(poolOf(request), exchange)
    this.exchanges.push(exchange)
    // Any 2xx with an id has left an animal behind.
    const id = request.method === 'POST' ? memberText(answer, 'id') : ''
    if (id !== '' && answer.status < 300) this.created.push({ id, name: memberText(answer, 'name') })
    return exchange
  }

  /** Throws RunOver. */
  async wait(ms: number): Promise<void> {
    const { timing, isAborted } = this.#options
    const untilMs = this.clock() + ms
    if (untilMs > timing.deadlineMs) throw new RunOver('the time limit would end during the wait')
    timing.onWait(ms, 'limited key')
    // A timer can fire a little early.
    for (let restMs = ms; restMs > 0 && !isAborted(); restMs = untilMs - this.clock()) await timing.sleep(restMs)
  }

  /** Calls `make` once. All callers share its value or failure. */
  once<T>(make: (kit: Kit) => Promise<T>): Promise<T> {
    const result = this.#results.get(make) ?? make(this)
    this.#results.set(make, result)
    return result as Promise<T>
  }
}
