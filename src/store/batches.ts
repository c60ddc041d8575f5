/**
 * Combines requests that arrive together into one round trip. Everything submitted in one turn of the event loop, or
 * while the allowed number of batches is in flight, is sent with the next batch. A batch is sent only after the last of
 * its items was submitted, so each answer is as fresh as if it had been requested alone; under load batches grow. An
 * item that has waited too long when the next batch leaves is refused alone: a long wait says nothing about the engine.
 * A batch that was given up stays in flight until the engine has ended it; if all are such ones, items are refused at
 * once.
 */
import type { Clock } from '../common/clock.ts'
import { StoreUnavailable } from './errors.ts'

export interface BatchOptions<Q> {
  readonly clock: Clock
  /** The number of batches in flight at a time. */
  readonly inFlight: number
  /** A batch ends at this many items, or before its weight exceeds `maxWeight`; a heavier item goes alone. */
  readonly maxItems: number
  readonly maxWeight?: number
  readonly weigh?: (item: Q) => number
  /** How long an item may wait for its batch to leave; without it there is no limit. */
  readonly queue?: { readonly maxMs: number; readonly onRefused: (reason: string) => void }
}

const UNFINISHED = 'earlier statements that were given up have not ended'

interface Waiting<Q, A> {
  readonly item: Q
  readonly atMs: number
  readonly resolve: (answer: A) => void
  readonly reject: (error: unknown) => void
}

export class Batches<Q, A> {
  readonly #run: (items: readonly Q[], waitedMs: number) => Promise<readonly A[]>
  readonly #options: BatchOptions<Q>
  #waiting: Waiting<Q, A>[] = []
  #inFlight = 0
  /** Of those in flight. */
  #givenUp = 0
  #isFlushing = false

  /**
   * `run` returns the answers of a batch in order, or fails for the whole batch; `waitedMs` is the waiting time of its
   * first item.
   */
  constructor(run: (items: readonly Q[], waitedMs: number) => Promise<readonly A[]>, options: BatchOptions<Q>) {
    this.#run = run
    this.#options = options
  }

  submit(item: Q): Promise<A> {
    if (this.#givenUp === this.#options.inFlight) return Promise.reject(this.#refusal(UNFINISHED))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, atMs: this.#options.clock.monotonic(), resolve, reject })
      if (this.#isFlushing || this.#inFlight >= this.#options.inFlight) return
      this.#isFlushing = true
      setImmediate(() => {
        this.#isFlushing = false
        this.#flush()
      })
    })
  }

  #flush(): void {
    this.#refuseLate()
    while (this.#waiting.length > 0 && this.#inFlight < this.#options.inFlight) {
      this.#inFlight += 1
      void this.#send(this.#nextBatch())
    }
  }

  #nextBatch(): Waiting<Q, A>[] {
    const { maxItems, maxWeight, weigh } = this.#options
    if (maxWeight === undefined || weigh === undefined) return this.#waiting.splice(0, maxItems)
    let weight = 0
    let count = 0
    for (const { item } of this.#waiting) {
      weight += weigh(item)
      if (count === maxItems || (count > 0 && weight > maxWeight)) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  async #send(batch: readonly Waiting<Q, A>[]): Promise<void> {
    try {
      const answers = await this.#run(
        batch.map(({ item }) => item),
        this.#options.clock.monotonic() - (batch[0]?.atMs ?? 0),
      )
      if (answers.length !== batch.length) throw new Error(`${batch.length} asked, ${answers.length} answered`)
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as A)
    } catch (error) {
      for (const { reject } of batch) reject(error)
      if (error instanceof StoreUnavailable && error.ended !== undefined) await this.#untilEnded(error.ended)
    } finally {
      this.#inFlight -= 1
      this.#flush()
    }
  }

  async #untilEnded(ended: Promise<unknown>): Promise<void> {
    this.#givenUp += 1
    if (this.#givenUp === this.#options.inFlight) this.#refuse(this.#waiting.splice(0), UNFINISHED)
    await Promise.allSettled([ended])
    this.#givenUp -= 1
  }

  #refuseLate(): void {
    const { clock, queue } = this.#options
    if (queue === undefined) return
    const nowMs = clock.monotonic()
    const inTime = this.#waiting.findIndex(({ atMs }) => atMs + queue.maxMs > nowMs)
    const late = this.#waiting.splice(0, inTime === -1 ? this.#waiting.length : inTime)
    this.#refuse(late, `requests have waited for ${queue.maxMs} ms behind others`)
  }

  #refuse(waiting: readonly Waiting<Q, A>[], reason: string): void {
    if (waiting.length === 0) return
    const refusal = this.#refusal(reason)
    for (const { reject } of waiting) reject(refusal)
  }

  #refusal(reason: string): StoreUnavailable {
    this.#options.queue?.onRefused(reason)
    return new StoreUnavailable(`it is busy: ${reason}.`, { known: true })
  }
}
