/**
 * Combines requests that arrive together. A batch is sent after its last item was submitted, so no answer is stale. An
 * abandoned batch stays in flight until the engine has ended it.
 */
import { performance } from 'node:perf_hooks'
import type { Clock, Timer } from '../common/clock.ts'
import { StoreUnavailable } from './errors.ts'

export interface BatchOptions<Q> {
  readonly clock: Clock
  readonly inFlight: number
  /** A batch ends at this many items, or before its weight exceeds `maxWeight`. A heavier item is sent alone. */
  readonly maxItems: number
  readonly maxWeight?: number
  readonly weigh?: (item: Q) => number
  /** The longest time in ms that an item waits for others, while each turn of the event loop brings new ones. */
  readonly gatherMs?: number
  /** The longest time that an item can wait for its batch. Unlimited if undefined. */
  readonly maxMs?: number | undefined
  readonly refusal?: ((reason: string) => StoreUnavailable) | undefined
}

const UNFINISHED = 'earlier statements that were given up have not ended'

export function busy(reason: string): StoreUnavailable {
  return new StoreUnavailable(`it is busy: ${reason}.`, { isReported: true })
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
  #givenUp = 0
  #isGathering = false
  #refusing: Timer | undefined
  #onIdle = () => {}

  /** `run` returns answers in order, or fails for all. `waitedMs` is the wait of the first item. */
  constructor(run: (items: readonly Q[], waitedMs: number) => Promise<readonly A[]>, options: BatchOptions<Q>) {
    this.#run = run
    this.#options = options
  }

  submit(item: Q): Promise<A> {
    if (this.#givenUp === this.#options.inFlight) return Promise.reject(this.#refusal(UNFINISHED))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, atMs: this.#options.clock.monotonic(), resolve, reject })
      this.#gather()
      this.#refuseInTime()
    })
  }

  async close(): Promise<void> {
    if (!this.#isIdle()) await new Promise<void>((resolve) => (this.#onIdle = resolve))
    this.#options.clock.cancel(this.#refusing)
  }

  #isIdle(): boolean {
    return this.#inFlight + this.#waiting.length === 0
  }

  #gather(): void {
    const { clock, inFlight, gatherMs = 0 } = this.#options
    const [first] = this.#waiting
    if (first === undefined || this.#isGathering || this.#inFlight >= inFlight) return
    this.#isGathering = true
    const wait = (before: number | undefined) => {
      setImmediate(() => {
        const events = gatherMs === 0 ? before : performance.nodeTiming.uvMetricsInfo.events
        if (events !== before && clock.monotonic() < first.atMs + gatherMs) return wait(events)
        this.#isGathering = false
        this.#flush()
      })
    }
    wait(undefined)
  }

  #flush(): void {
    this.#refuseLate()
    while (this.#waiting.length > 0 && this.#inFlight < this.#options.inFlight) {
      this.#inFlight += 1
      void this.#send(this.#nextBatch())
    }
  }

  #nextBatch(): Waiting<Q, A>[] {
    const { maxItems, maxWeight = Infinity, weigh = () => 0 } = this.#options
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
      if (this.#options.gatherMs === undefined) this.#flush()
      else this.#gather()
      if (this.#isIdle()) this.#onIdle()
    }
  }

  async #untilEnded(ended: Promise<unknown>): Promise<void> {
    this.#givenUp += 1
    if (this.#givenUp === this.#options.inFlight) this.#refuse(this.#waiting.splice(0), UNFINISHED)
    await Promise.allSettled([ended])
    this.#givenUp -= 1
  }

  #refuseInTime(): void {
    const { clock, maxMs } = this.#options
    const [first] = this.#waiting
    if (maxMs === undefined || first === undefined) return
    this.#refusing ??= clock
      .after(first.atMs + maxMs - clock.monotonic(), () => {
        this.#refusing = undefined
        this.#refuseLate()
        this.#refuseInTime()
      })
      .unref()
  }

  #refuseLate(): void {
    const { clock, maxMs } = this.#options
    if (maxMs === undefined) return
    const nowMs = clock.monotonic()
    const inTime = this.#waiting.findIndex(({ atMs }) => atMs + maxMs > nowMs)
    const late = this.#waiting.splice(0, inTime === -1 ? this.#waiting.length : inTime)
    this.#refuse(late, `requests have waited for ${maxMs} ms behind others`)
  }

  #refuse(waiting: readonly Waiting<Q, A>[], reason: string): void {
    if (waiting.length === 0) return
    const refusal = this.#refusal(reason)
    for (const { reject } of waiting) reject(refusal)
    if (this.#isIdle()) this.#onIdle()
  }

  #refusal(reason: string): StoreUnavailable {
    return (this.#options.refusal ?? busy)(reason)
  }
}
