/** Counters in the memory of one process (O12-O15), saved SAVE_AFTER_MS after a change. */
import { type Clock, sleep, type Timer } from '../common/clock.ts'
import {
  type Counter,
  consume,
  isExpired,
  type LimitState,
  type Limits,
  newCounter,
  peek,
  type Verdict,
} from '../contract/limits.ts'
import { SAVE_AFTER_MS } from '../rules/bounds.ts'
import { type CounterStore, StoreUnavailable } from '../store/store.ts'
import type { Counters } from './counters.ts'

const RETRY_AFTER_MS = 500
const SWEEP_EVERY_MS = 60_000
/** With more subjects, all addresses are dropped: anyone can use many of them. */
const MOST_SUBJECTS = 100_000
/** How long the last save is retried, in case another process is writing. */
const CLOSE_TIMEOUT_MS = 1_500

export class MemoryCounters implements Counters {
  readonly #clock: Clock
  readonly #store: CounterStore | undefined
  readonly #counters: Map<string, Counter>
  #mostSubjects = MOST_SUBJECTS
  /** For the next save; undefined for a dropped subject. */
  #unsaved = new Map<string, Counter | undefined>()
  readonly #sweeper: Timer
  #saver: Timer | undefined
  /** Each save waits for the previous one, so that they stay in order. */
  #saving = Promise.resolve()
  #trouble: string | undefined

  /** Without a store, the counters live as long as the process. */
  constructor(clock: Clock, store?: CounterStore) {
    this.#clock = clock
    this.#store = store
    this.#counters = new Map(store?.load())
    this.#sweeper = clock.every(SWEEP_EVERY_MS, () => this.#sweep()).unref()
  }

  consume(subject: string, limits: Limits): Verdict {
    const counter = this.#counter(subject)
    const verdict = consume(counter, limits, this.#clock.now())
    if (verdict.admitted || limits.ban !== undefined) this.#noteChange(subject, counter)
    return verdict
  }

  peek(subject: string, limits: Limits): LimitState {
    return peek(this.#counters.get(subject) ?? newCounter(), limits, this.#clock.now())
  }

  unban(subject: string, untilMs: number): true {
    const counter = this.#counters.get(subject)
    if (counter?.bannedUntilMs === untilMs) {
      counter.bannedUntilMs = 0
      this.#noteChange(subject, counter)
    }
    return true
  }

  trouble(): string | undefined {
    return this.#trouble
  }

  async close(): Promise<void> {
    this.#clock.cancel(this.#sweeper)
    this.#clock.cancel(this.#saver)
    this.#sweep()
    await this.#saving
    const deadline = this.#clock.monotonic() + CLOSE_TIMEOUT_MS
    await this.#save()
    while (this.#trouble !== undefined && this.#clock.monotonic() < deadline) {
      await sleep(this.#clock, SAVE_AFTER_MS)
      await this.#save()
    }
    this.#clock.cancel(this.#saver)
  }

  #counter(subject: string): Counter {
    let counter = this.#counters.get(subject)
    if (counter === undefined) {
      if (this.#counters.size >= this.#mostSubjects) this.#forgetAddresses()
      counter = newCounter()
      this.#counters.set(subject, counter)
    }
    return counter
  }

  /** Addresses have no daily window (O14). Keys stay, since an exhausted day would be forgotten, so the bound grows. */
  #forgetAddresses(): void {
    for (const [subject, { day, bannedUntilMs }] of this.#counters)
      if (day === 0 && bannedUntilMs === 0) this.#drop(subject)
    this.#mostSubjects = Math.max(MOST_SUBJECTS, 2 * this.#counters.size)
  }

  #noteChange(subject: string, counter: Counter): void {
    if (this.#store === undefined) return
    this.#unsaved.set(subject, counter)
    this.#saveSoon()
  }

  #sweep(): void {
    const nowMs = this.#clock.now()
    for (const [subject, counter] of this.#counters) if (isExpired(counter, nowMs)) this.#drop(subject)
    if (this.#unsaved.size > 0) this.#saveSoon()
  }

  #drop(subject: string): void {
    this.#counters.delete(subject)
    if (this.#store !== undefined) this.#unsaved.set(subject, undefined)
  }

  #saveSoon(): void {
    this.#saver ??= this.#clock.after(this.#trouble === undefined ? SAVE_AFTER_MS : RETRY_AFTER_MS, () => {
      this.#saving = this.#saving.then(() => this.#save())
    })
  }

  /** After a failure, the next save includes its changes. */
  async #save(): Promise<void> {
    this.#clock.cancel(this.#saver)
    this.#saver = undefined
    const unsaved = this.#unsaved
    if (this.#store === undefined || unsaved.size === 0) return
    this.#unsaved = new Map()
    try {
      await this.#store.save(unsaved)
      this.#trouble = undefined
    } catch (error) {
      this.#trouble = `the counters cannot be saved: ${error instanceof StoreUnavailable ? error.reason : String(error)}`
      this.#unsaved = new Map([...unsaved, ...this.#unsaved])
      this.#saveSoon()
    }
  }
}
