/**
 * What every case gets: it sends requests within the quota, records every exchange for the cases that judge the whole
 * run, lists the animals created, and makes shared fixtures once.
 */

import type { HttpResponse } from './http/answer.ts'
import { listPets, poolsOf, type Request } from './http/request.ts'
import { type Exchange, NoAnswer, type Secrets, type Timeouts, Transport, type Trust } from './http/transport.ts'
import { GET_PET_REMOVAL_MS, OPERATIONS } from './interface.ts'
import { memberText } from './json-body.ts'
import { Pacer, QuotaExhausted, type Timing } from './pacing.ts'
import { NotVisibleYet, RunOver, Suspicious, Unasked, Violation } from './verdicts.ts'

/** An animal that this run has left behind. */
export interface CreatedAnimal {
  /** As text, because it is reported even if it is not an int64. */
  readonly id: string
  readonly name: string
}

interface KitOptions {
  readonly base: URL
  readonly secrets: Secrets
  readonly timeouts: Timeouts
  readonly timing: Timing
  readonly trust: Trust | undefined
  /** The category of the animals that the run creates. Default: that of an animal in the list, or 1. */
  readonly category: bigint | undefined
  readonly isThorough: boolean
  readonly isAborted: () => boolean
}

/** The maximum number of animals that a run leaves behind unless it is thorough. */
export const FEW_ANIMALS = 5
const REFUSALS_BORNE = 5
/** The wait between two checks whether a server that gave no answer is back, in ms. */
const RECOVERY_MS = 1_000
/** The waits, in ms, for a list that lags behind to show what was created. */
const LAG_WAITS_MS = [500, 1_500, 3_000]

export class Kit {
  /** The base address, without a slash at its end. */
  readonly base: URL
  readonly clock: () => number
  readonly hasLimitedKey: boolean
  readonly keyHasLetters: boolean
  readonly keyLength: number
  /** Whether this run may create as many animals as the cases need. */
  readonly isThorough: boolean
  /** Which categories exist is open (O1), but that of an animal in the list does. */
  category: bigint
  /** The prefix of every animal name of this run. It is short because the maximum length is open (O19). */
  readonly namePrefix: string
  readonly exchanges: Exchange[] = []
  readonly created: CreatedAnimal[] = []
  /** The id of the case that found each cause first. */
  readonly foundBy = new Map<string, string>()
  readonly #transport: Transport
  readonly #pacer: Pacer
  readonly #options: KitOptions
  readonly #results = new Map<unknown, Promise<unknown>>()

  constructor(options: KitOptions) {
    const { base, secrets, timeouts, timing, trust } = options
    this.base = base
    this.clock = timing.clock
    this.hasLimitedKey = secrets.limitedKey !== undefined
    this.keyHasLetters = /[a-z]/i.test(secrets.key)
    this.keyLength = secrets.key.length
    this.isThorough = options.isThorough
    this.category = options.category ?? 1n
    this.namePrefix = `kit${Math.floor(timing.clock() / 1000)
      .toString(36)
      .slice(-4)}-`
    this.#transport = new Transport(base, secrets, timeouts, timing.clock, trust)
    this.#pacer = new Pacer(timing)
    this.#options = options
  }

  get getPetExists(): boolean {
    return this.clock() < GET_PET_REMOVAL_MS
  }

  /** Throws RunOver if the run was aborted or its time is over. */
  checkTime(): void {
    if (this.#options.isAborted()) throw new RunOver('the run was interrupted')
    if (this.clock() >= this.#options.timing.deadlineMs) throw new RunOver('the time given was over')
  }

  /**
   * Sends a request, and repeats it once if no answer comes. Throws NoAnswer if the second attempt gets none either,
   * ServerGone if nothing else is answered any more, QuotaExhausted if the wait would be too long, Unasked if it might
   * leave one animal too many, and RunOver.
   */
  async send(request: Request): Promise<Exchange> {
    if (!this.isThorough && isCreation(request) && this.created.length >= FEW_ANIMALS)
      throw new Unasked(`${FEW_ANIMALS} animals are left behind already; --thorough goes on`)
    try {
      return await this.#sendPaced(request)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      await this.#checkAlive(error)
      // Malformed bytes need no answer, and a time-out would only be repeated: neither is tried again.
      if ('raw' in request || error.isTimeOut) throw error
      return this.#sendPaced(request).catch(async (again: unknown) => {
        if (again instanceof NoAnswer) await this.#checkAlive(again)
        throw again
      })
    }
  }

  /** As `send`, for cases where no answer is a possible outcome: then returns the reason as text. */
  async trySend(request: Request): Promise<Exchange | string> {
    try {
      return await this.send(request)
    } catch (error) {
      if (error instanceof NoAnswer && !(error instanceof ServerGone)) return error.message
      throw error
    }
  }

  /** The estimated seconds for this many requests with the key. Most of them are spent waiting for the quota. */
  secondsFor(requests: number): number {
    return this.#pacer.secondsFor('key', requests)
  }

  /** Waits, and reports the wait as progress. Throws RunOver. */
  async wait(ms: number): Promise<void> {
    if (this.clock() + ms > this.#options.timing.deadlineMs)
      throw new RunOver('the time given would be over before the wait')
    this.#options.timing.onWait(ms, 'limited key')
    const untilMs = this.clock() + ms
    // A timer may fire a little early.
    for (let remainingMs = ms; remainingMs > 0; remainingMs = untilMs - this.clock()) {
      await this.#options.timing.sleep(remainingMs)
      this.checkTime()
    }
  }

  /**
   * Repeats `look` until it succeeds, because a list may lag behind a creation. Late success is Suspicious. Without
   * success, the Violation or NotVisibleYet that `look` threw stands.
   */
  async eventually<T>(look: () => Promise<T>): Promise<T> {
    for (const [i, ms] of [...LAG_WAITS_MS, 0].entries()) {
      try {
        const result = await look()
        if (i === 0) return result
        const afterMs = LAG_WAITS_MS.slice(0, i).reduce((sum, each) => sum + each, 0)
        throw new Suspicious(`a list is behind what was created: right only ${afterMs} ms later`)
      } catch (error) {
        const mayComeRight = error instanceof Violation || error instanceof NotVisibleYet
        if (!mayComeRight || ms === 0) throw error
        await this.#options.timing.sleep(ms)
      }
    }
    throw new Error('the last look has returned or thrown')
  }

  /** Calls `make` at the first call only. All callers get the same value, or the same failure. */
  once<T>(make: (kit: Kit) => Promise<T>): Promise<T> {
    const result = this.#results.get(make) ?? make(this)
    this.#results.set(make, result)
    // The value stored under `make` is always the result of `make`.
    return result as Promise<T>
  }

  close(): void {
    this.#transport.close()
  }

  async #sendPaced(request: Request): Promise<Exchange> {
    const pools = poolsOf(request)
    this.checkTime()
    // The limited key is not paced: the cases exhaust it on purpose and judge its 429s.
    if (pools[0] === 'limited key') return this.#exchange(request)
    for (let refusals = 0; refusals < REFUSALS_BORNE; refusals += 1) {
      await this.#pacer.waitForQuota(pools)
      this.checkTime()
      const remaining = this.#pacer.remaining(pools[0])
      let answer: HttpResponse | undefined
      try {
        const exchange = await this.#exchange(request)
        answer = exchange.answer
        if (answer.status !== 429) return exchange
      } finally {
        this.#pacer.recordHeaders(pools, answer)
      }
      await this.#pacer.afterRefusal(pools, answer, remaining)
    }
    throw new QuotaExhausted(`the ${pools[0]} was refused with 429 again and again, also after the waits it was told`)
  }

  async #exchange(request: Request): Promise<Exchange> {
    const answer = await this.#transport.send(request)
    const exchange = { request, answer, atMs: this.clock() }
    this.exchanges.push(exchange)
    // A creation should be answered with 201, but any 2xx with an id has left an animal behind.
    const id = isCreation(request) ? memberText(answer, 'id') : ''
    if (id !== '' && answer.status < 300) this.created.push({ id, name: memberText(answer, 'name') })
    return exchange
  }

  /** After a request without an answer: throws ServerGone unless a plain list is answered. */
  async #checkAlive(error: NoAnswer): Promise<void> {
    const isAnswered = () =>
      this.#transport.send(listPets('?limit=1')).then(
        () => true,
        () => false,
      )
    if (await isAnswered()) return
    await this.#options.timing.sleep(RECOVERY_MS)
    throw new ServerGone(error.request, error.message, await isAnswered())
  }
}

function isCreation(request: Request): boolean {
  const { method } = OPERATIONS.createPet
  return 'raw' in request ? request.raw.startsWith(method) : request.method === method
}

/** A request got no answer, and neither did a plain list after it. */
export class ServerGone extends NoAnswer {
  /** Whether it was back a second later. */
  readonly isBack: boolean
  constructor(request: Request, message: string, isBack: boolean) {
    super(request, `${message}; ${isBack ? 'for a moment after it' : 'after it'} nothing else was answered either`)
    this.isBack = isBack
  }
}
