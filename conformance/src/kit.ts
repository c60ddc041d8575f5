/**
 * What every case works with: it sends requests within the allowance, remembers every exchange for the cases that look
 * back on the whole run, keeps account of the animals it made, and makes what several cases share only once.
 */

import type { HttpResponse } from './http/answer.ts'
import { listPets, poolsOf, type Request } from './http/request.ts'
import { type Exchange, NoAnswer, type Patience, type Secrets, Transport, type Trust } from './http/transport.ts'
import { GET_PET_REMOVAL_MS, OPERATIONS } from './interface.ts'
import { memberText } from './json-body.ts'
import { Pacer, QuotaExhausted, type Timing } from './pacing.ts'
import { NotRun, NotVisibleYet, RunOver, Suspicious, Violation } from './verdicts.ts'

/** An animal that this run has left behind. */
export interface CreatedAnimal {
  /** As text, for it is reported even when it is no int64. */
  readonly id: string
  readonly name: string
}

interface KitOptions {
  readonly base: URL
  readonly secrets: Secrets
  readonly patience: Patience
  readonly timing: Timing
  readonly trust: Trust | undefined
  /** The category of the animals that are there to be looked at; 1 or that of an animal that is there, unless given. */
  readonly category: bigint | undefined
  readonly isThorough: boolean
  readonly isAborted: () => boolean
}

/** How many animals a run leaves behind that is not thorough, whatever the server takes. */
export const FEW_ANIMALS = 5
const REFUSALS_BORNE = 5
/** Between the questions whether a server that gave no answer is still there, in ms. */
const RECOVERY_MS = 1_000
/** A list that comes late is given these waits, in ms, to show what was created. */
const LAG_WAITS_MS = [500, 1_500, 3_000]

export class Kit {
  /** The base address, without a slash at its end. */
  readonly base: URL
  readonly clock: () => number
  readonly hasLimitedKey: boolean
  readonly keyHasLetters: boolean
  /** Whether this run may leave as many animals behind as it takes. */
  readonly isThorough: boolean
  #seenCategory = 1n
  /** What the name of every animal of this run begins with. Short, for how long a name may be is open (O19). */
  readonly namePrefix: string
  readonly exchanges: Exchange[] = []
  readonly created: CreatedAnimal[] = []
  /** The case that found each cause first. */
  readonly foundBy = new Map<string, string>()
  readonly #transport: Transport
  readonly #pacer: Pacer
  readonly #options: KitOptions
  readonly #made = new Map<unknown, Promise<unknown>>()

  constructor(options: KitOptions) {
    const { base, secrets, patience, timing, trust } = options
    this.base = base
    this.clock = timing.clock
    this.hasLimitedKey = secrets.limitedKey !== undefined
    this.keyHasLetters = /[a-z]/i.test(secrets.key)
    this.isThorough = options.isThorough
    this.namePrefix = `kit${Math.floor(timing.clock() / 1000)
      .toString(36)
      .slice(-4)}-`
    this.#transport = new Transport(base, secrets, patience, timing.clock, trust)
    this.#pacer = new Pacer(timing)
    this.#options = options
  }

  get category(): bigint {
    return this.#options.category ?? this.#seenCategory
  }

  /** Which categories exist is open (O1), but one that an animal has does. */
  rememberCategory(category: bigint): void {
    this.#seenCategory = category
  }

  get getPetExists(): boolean {
    return this.clock() < GET_PET_REMOVAL_MS
  }

  /** Throws RunOver when the run must not go on. */
  checkTime(): void {
    if (this.#options.isAborted()) throw new RunOver('the run was interrupted')
    if (this.clock() >= this.#options.timing.deadlineMs) throw new RunOver('the time given was over')
  }

  /**
   * Sends a request; when no answer comes, once more. Throws NoAnswer when the second attempt brings none either,
   * ServerGone when nothing else is answered any more, AllowanceSpent when the wait would be too long, NotRun when it
   * might leave one animal too many, and RunOver.
   */
  async send(request: Request): Promise<Exchange> {
    if (!this.isThorough && isCreation(request) && this.created.length >= FEW_ANIMALS)
      throw new NotRun(`${FEW_ANIMALS} animals are left behind already; --thorough goes on`)
    try {
      return await this.#sendPaced(request)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      await this.#checkAlive(error)
      // Malformed bytes may be left without an answer, and who is silent for so long stays so: once is enough to know.
      if ('raw' in request || error.isTimeOut) throw error
      return this.#sendPaced(request).catch(async (again: unknown) => {
        if (again instanceof NoAnswer) await this.#checkAlive(again)
        throw again
      })
    }
  }

  /** As `send`, where no answer at all is a possible outcome: then the reason, as text. */
  async trySend(request: Request): Promise<Exchange | string> {
    try {
      return await this.send(request)
    } catch (error) {
      if (error instanceof NoAnswer && !(error instanceof ServerGone)) return error.message
      throw error
    }
  }

  /** How long so many requests with the key take, most of it waiting, by what is known of its allowance. */
  secondsFor(requests: number): number {
    return this.#pacer.secondsFor('key', requests)
  }

  /** Waits where a case is about waiting, and says so. Throws RunOver. */
  async wait(ms: number): Promise<void> {
    if (this.clock() + ms > this.#options.timing.deadlineMs)
      throw new RunOver('the time given would be over before the wait')
    this.#options.timing.onWait(ms, 'limited key')
    const untilMs = this.clock() + ms
    // A timer may fire a little early.
    for (let left = ms; left > 0; left = untilMs - this.clock()) {
      await this.#options.timing.sleep(left)
      this.checkTime()
    }
  }

  /**
   * Looks at a list until it is as it should be. A list may be a little behind what was created: what comes right
   * within seconds is Suspicious, and what does not is the Violation or the NotShownYet that it is.
   */
  async eventually<T>(look: () => Promise<T>): Promise<T> {
    for (const [i, ms] of [...LAG_WAITS_MS, 0].entries()) {
      try {
        const seen = await look()
        if (i === 0) return seen
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

  /** What `make` makes, made at the first call only; also its failure is the same for all who ask. */
  once<T>(make: (kit: Kit) => Promise<T>): Promise<T> {
    const made = this.#made.get(make) ?? make(this)
    this.#made.set(make, made)
    // Only `make` itself is ever filed under `make`.
    return made as Promise<T>
  }

  close(): void {
    this.#transport.close()
  }

  async #sendPaced(request: Request): Promise<Exchange> {
    const pools = poolsOf(request)
    this.checkTime()
    // The limited key is there to be exhausted: nothing is spared, and its 429s are what the cases are after.
    if (pools[0] === 'limited key') return this.#exchange(request)
    for (let refusals = 0; refusals < REFUSALS_BORNE; refusals += 1) {
      await this.#pacer.waitForQuota(pools)
      this.checkTime()
      const left = this.#pacer.remaining(pools[0])
      let answer: HttpResponse | undefined
      try {
        const exchange = await this.#exchange(request)
        answer = exchange.answer
        if (answer.status !== 429) return exchange
      } finally {
        this.#pacer.recordHeaders(pools, answer)
      }
      await this.#pacer.afterRefusal(pools, answer, left)
    }
    throw new QuotaExhausted(`the ${pools[0]} was refused with 429 again and again, also after the waits it was told`)
  }

  async #exchange(request: Request): Promise<Exchange> {
    const answer = await this.#transport.send(request)
    const exchange = { request, answer, atMs: this.clock() }
    this.exchanges.push(exchange)
    // 201 is what a creation should be answered with, but whatever brings an id has left an animal behind.
    const id = isCreation(request) ? memberText(answer, 'id') : ''
    if (id !== '' && answer.status < 300) {
      this.created.push({ id, name: memberText(answer, 'name') })
    }
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

/** A request that got no answer, and after it nothing was answered. */
export class ServerGone extends NoAnswer {
  /** Whether it was back a second later. */
  readonly isBack: boolean
  constructor(request: Request, message: string, isBack: boolean) {
    super(request, `${message}; ${isBack ? 'for a moment after it' : 'after it'} nothing else was answered either`)
    this.isBack = isBack
  }
}
