/** Shared counters: if they do not respond within 250 ms, this node counts alone until they do, by their clock. */
import { type Clock, type Timer, within } from '../common/clock.ts'
import { type MaybePromise, whenReady } from '../common/maybe-promise.ts'
import { type LimitState, type Limits, longestWaitMs, type Verdict } from '../contract/limits.ts'
import { type SharedCounters, StoreUnavailable } from '../store/store.ts'
import type { Counters } from './counters.ts'
import { MemoryCounters } from './memory-counters.ts'

const TIMEOUT_MS = 250
const REVIVE_EVERY_MS = 1_000
/** Longer, because a new connection takes several round trips. */
const REVIVE_TIMEOUT_MS = 1_000
/** Age and number of cached peeks: about 2 MB. */
const LOOK_KEPT_MS = 2_000
const REMEMBERED_LOOKS = 10_000

export interface FallbackOptions {
  readonly clock: Clock
  /** Called with a sentence when the shared counters fail, and with undefined when they respond again. */
  readonly onChange: (trouble: string | undefined) => void
  readonly onAlone: () => void
}

const SWEEP_EVERY_MS = 60_000

export class FallbackCounters implements Counters {
  readonly #shared: SharedCounters
  readonly #local: MemoryCounters
  readonly #options: FallbackOptions
  /** The last shared verdicts without requests left, which still apply. */
  readonly #exhausted = new Map<string, Verdict>()
  readonly #looks = new Map<string, { readonly standing: LimitState; readonly untilMs: number }>()
  readonly #sweeper: Timer
  #trouble: string | undefined
  #revival: Timer | undefined
  #closed = false

  private constructor(shared: SharedCounters, options: FallbackOptions) {
    this.#shared = shared
    this.#local = new MemoryCounters({ ...options.clock, now: this.#now })
    this.#options = options
    this.#sweeper = options.clock.every(SWEEP_EVERY_MS, () => this.#sweep()).unref()
  }

  /** Resolves when the shared counters have responded or failed. */
  static async over(shared: SharedCounters, options: FallbackOptions): Promise<FallbackCounters> {
    const counters = new FallbackCounters(shared, options)
    await counters.#revive()
    return counters
  }

  consume(subject: string, limits: Limits): MaybePromise<Verdict> {
    return this.#answer('consume', subject, limits, (refusal) => {
      this.#options.onAlone()
      return refusal ?? this.#local.consume(subject, limits)
    })
  }

  /** The state can be two seconds old. */
  peek(subject: string, limits: Limits): MaybePromise<LimitState> {
    const name = `${limits.perMinute} ${limits.perDay} ${subject}`
    const look = this.#looks.get(name)
    const isFresh = look !== undefined && look.untilMs > this.#options.clock.monotonic()
    if (isFresh && look.standing.resetS * 1_000 > this.#now()) return look.standing
    const answer = this.#answer('peek', subject, limits, (refusal) => {
      return { ...this.#local.peek(subject, limits), ...refusal }
    })
    return whenReady(answer, (standing) => {
      if (this.#looks.size >= REMEMBERED_LOOKS) this.#looks.clear()
      this.#looks.set(name, { standing, untilMs: this.#options.clock.monotonic() + LOOK_KEPT_MS })
      return standing
    })
  }

  async unban(subject: string, untilMs: number): Promise<boolean> {
    this.#local.unban(subject, untilMs)
    if (this.#exhausted.get(subject)?.bannedUntilMs === untilMs) this.#exhausted.delete(subject)
    if (this.#trouble !== undefined) return false
    try {
      await this.#within(this.#shared.unban(subject, untilMs), TIMEOUT_MS)
      return true
    } catch (error) {
      this.#fall(error)
      return false
    } finally {
      this.#looks.clear()
    }
  }

  /** Unix ms by the shared clock, if it is known. */
  readonly #now = (): number => this.#shared.now() ?? this.#options.clock.now()

  trouble(): string | undefined {
    return this.#trouble
  }

  async close(): Promise<void> {
    this.#closed = true
    const { clock } = this.#options
    clock.cancel(this.#revival)
    clock.cancel(this.#sweeper)
    await Promise.all([this.#shared.close(), this.#local.close()])
  }

  /** `alone` answers while this node counts alone; its argument is a shared refusal that still applies. */
  #answer<Ask extends 'consume' | 'peek', V extends Awaited<ReturnType<SharedCounters[Ask]>>>(
    ask: Ask,
    subject: string,
    limits: Limits,
    alone: (refusal: Verdict | undefined) => V,
  ): MaybePromise<V> {
    if (this.#trouble !== undefined) return alone(this.#refusal(subject, limits))
    const answer = (this.#shared[ask](subject, limits) as Promise<V>).then((verdict) => {
      // Even if the response is late: the shared counters counted the request.
      if (verdict.remaining === 0) this.#exhausted.set(subject, verdict)
      return verdict
    })
    return this.#within(answer, TIMEOUT_MS).catch((error: unknown) => {
      this.#fall(error)
      return alone(this.#refusal(subject, limits))
    })
  }

  #refusal(subject: string, limits: Limits): Verdict | undefined {
    const exhausted = this.#exhausted.get(subject)
    const waitS = exhausted === undefined ? 0 : Math.ceil(exhausted.resetS - this.#now() / 1_000)
    const holds = exhausted !== undefined && waitS > 0 && waitS * 1_000 <= longestWaitMs(limits)
    return holds ? { ...exhausted, admitted: false, atMs: this.#now(), retryAfterS: waitS } : undefined
  }

  #sweep(): void {
    const nowS = this.#now() / 1_000
    for (const [subject, { resetS }] of this.#exhausted) if (resetS <= nowS) this.#exhausted.delete(subject)
  }

  #fall(error: unknown): void {
    if (this.#trouble !== undefined || this.#closed) return
    const why =
      error instanceof StoreUnavailable ? error.reason : error instanceof Error ? error.message : String(error)
    // node-redis has this message while it reconnects.
    const reason = why === 'The client is closed' ? 'the connection is lost' : why.replace(/\.$/, '')
    this.#trouble = `the shared counters do not work (${reason}); this node counts by itself until they work again`
    this.#options.onChange(this.#trouble)
    this.#reviveLater()
  }

  #reviveLater(): void {
    this.#revival = this.#options.clock.after(REVIVE_EVERY_MS, () => void this.#revive()).unref()
  }

  async #revive(): Promise<void> {
    try {
      await this.#within(this.#shared.revive(), REVIVE_TIMEOUT_MS)
      if (this.#trouble === undefined || this.#closed) return
      this.#trouble = undefined
      this.#options.onChange(undefined)
    } catch (error) {
      if (this.#trouble === undefined) this.#fall(error)
      else if (!this.#closed) this.#reviveLater()
    }
  }

  #within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
    return within(this.#options.clock, timeoutMs, work, () => {
      throw new Error(`no response within ${timeoutMs} ms`)
    })
  }
}
