/**
 * What every case works with: it sends requests within the allowance, remembers every exchange for the cases that look
 * back on the whole run, keeps account of the animals it made, and makes what several cases share only once.
 */
import { GET_PET_REMOVAL_MS, OPERATIONS } from '../contract/operations.ts'
import { memberText } from './json-body.ts'
import { AllowanceSpent, Pacer, type Timing } from './pacing.ts'
import { poolsOf, type Request } from './request.ts'
import { type Exchange, NoAnswer, type Secrets, Transport } from './transport.ts'

/** An animal that this run has left behind. */
export interface CreatedAnimal {
  /** As text, for it is reported even when it is no int64. */
  readonly id: string
  readonly name: string
}

const REFUSALS_BORNE = 5

export class Kit {
  /** The base address, without a slash at its end. */
  readonly base: URL
  readonly clock: () => number
  readonly hasLimitedKey: boolean
  /** What the name of every animal that this run creates begins with. */
  readonly namePrefix: string
  readonly exchanges: Exchange[] = []
  readonly created: CreatedAnimal[] = []
  readonly #transport: Transport
  readonly #pacer: Pacer
  readonly #timing: Timing
  readonly #made = new Map<unknown, Promise<unknown>>()

  constructor(base: URL, secrets: Secrets, timing: Timing) {
    this.base = base
    this.clock = timing.clock
    this.hasLimitedKey = secrets.limitedKey !== undefined
    this.namePrefix = `pets-check ${timing.clock().toString(36)}: `
    this.#transport = new Transport(base, secrets)
    this.#pacer = new Pacer(timing)
    this.#timing = timing
  }

  get getPetExists(): boolean {
    return this.clock() < GET_PET_REMOVAL_MS
  }

  /** Throws NoAnswer, and AllowanceSpent when the wait would be too long. */
  async send(request: Request): Promise<Exchange> {
    const pools = poolsOf(request)
    // The limited key is there to be exhausted: nothing is spared, and its 429s are what the cases are after.
    if (pools[0] === 'limited key') return this.#exchange(request)
    for (let refusals = 0; refusals < REFUSALS_BORNE; refusals += 1) {
      await this.#pacer.take(pools)
      const exchange = await this.#exchange(request)
      this.#pacer.saw(pools, exchange.answer)
      if (exchange.answer.status !== 429) return exchange
      await this.#pacer.afterRefusal(pools, exchange.answer)
    }
    throw new AllowanceSpent(`the ${pools[0]} was refused with 429 again and again, also after the waits it was told`)
  }

  /** As `send`, where no answer at all is a possible outcome: then the reason, as text. */
  async trySend(request: Request): Promise<Exchange | string> {
    try {
      return await this.send(request)
    } catch (error) {
      if (error instanceof NoAnswer) return error.message
      throw error
    }
  }

  /** Waits where a case is about waiting, and says so. */
  async wait(ms: number): Promise<void> {
    this.#timing.onWait(ms, 'limited key')
    await this.#timing.sleep(ms)
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

  async #exchange(request: Request): Promise<Exchange> {
    const answer = await this.#transport.send(request)
    const exchange = { request, answer, atMs: this.clock() }
    this.exchanges.push(exchange)
    // 201 is what a creation should be answered with, but whatever brings an id has left an animal behind.
    const id = 'raw' in request || request.method !== OPERATIONS.createPet.method ? '' : memberText(answer, 'id')
    if (id !== '' && answer.status < 300) {
      this.created.push({ id, name: memberText(answer, 'name') })
    }
    return exchange
  }
}
