/**
 * Combines requests that arrive together into one round trip. Everything submitted in one turn of the event loop, or
 * while the allowed number of batches is in flight, is sent with the next batch. A batch is sent only after the last of
 * its items was submitted, so each answer is as fresh as if it had been requested alone; under load batches grow. An
 * item that waits too long, or behind too many others, is refused alone: a long wait says nothing about the engine.
 */
import type { Clock, Timer } from '../common/clock.ts'
import { StoreUnavailable } from './errors.ts'

export interface BatchOptions<Q> {
  readonly clock: Clock
  /** The number of batches in flight at a time. */
  readonly inFlight: number
  /** A batch ends at this many items, or before its weight exceeds `maxWeight`; a heavier item goes alone. */
  readonly maxItems: number
  readonly maxWeight?: number
  readonly weigh?: (item: Q) => number
  /** How long an item may wait for its batch to leave, and how many may wait; without it there is no limit. */
  readonly queue?: { readonly maxMs: number; readonly maxItems: number; readonly onRefused: (reason: string) => void }
}

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
  #isFlushing = false
  #expiry: Timer | undefined

  /**
   * `run` returns the answers of a batch in order, or fails for the whole batch; `waitedMs` is the waiting time of its
   * first item.
   */
  constructor(run: (items: readonly Q[], waitedMs: number) => Promise<readonly A[]>, options: BatchOptions<Q>) {
    this.#run = run
    this.#options = options
  }

  /** Throws StoreUnavailable if the queue is too long. */
  submit(item: Q): Promise<A> {
    const { clock, inFlight, queue } = this.#options
    return new Promise((resolve, reject) => {
      if (queue !== undefined && this.#waiting.length >= queue.maxItems) {
        reject(this.#refusal(`${queue.maxItems} requests are waiting already`))
        return
      }
      this.#waiting.push({ item, atMs: clock.monotonic(), resolve, reject })
      if (this.#isFlushing) return
      if (this.#inFlight >= inFlight) {
        this.#expireLater()
        return
      }
      this.#isFlushing = true
      setImmediate(() => {
        this.#isFlushing = false
        this.#flush()
      })
    })
  }

  #flush(): void {
    while (this.#waiting.length > 0 && this.#inFlight < this.#options.inFlight) {
      this.#inFlight += 1
      void this.#send(this.#nextBatch())
    }
    this.#expireLater()
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
    } finally {
      this.#inFlight -= 1
      this.#flush()
    }
  }

  /** One timer for all waiting items: they were submitted in this order. */
  #expireLater(): void {
    const { clock, queue } = this.#options
    const first = this.#waiting[0]
    if (queue === undefined || first === undefined || this.#expiry !== undefined) return
    this.#expiry = clock.after(Math.max(0, first.atMs + queue.maxMs - clock.monotonic()), () => {
      this.#expiry = undefined
      this.#expire(queue.maxMs)
      this.#expireLater()
    })
  }

  #expire(maxMs: number): void {
    const nowMs = this.#options.clock.monotonic()
    const kept = this.#waiting.findIndex(({ atMs }) => atMs + maxMs > nowMs)
    const expired = this.#waiting.splice(0, kept === -1 ? this.#waiting.length : kept)
    if (expired.length === 0) return
    const refusal = this.#refusal(`requests have waited for ${maxMs} ms behind others`)
    for (const { reject } of expired) reject(refusal)
  }

  #refusal(reason: string): StoreUnavailable {
    this.#options.queue?.onRefused(reason)
    return new StoreUnavailable(`it is busy: ${reason}.`, { known: true })
  }
}
