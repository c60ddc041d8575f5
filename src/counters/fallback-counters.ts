/**
 * Shared counters with a bound on every wait, which never refuse a request without reason. An answer that takes longer
 * than 250 ms counts as missing: from then on this node counts by itself, or answers 503 if the operator prefers that,
 * until the shared counters answer again. While it counts by itself, their last verdicts still hold: a subject that had
 * nothing left, or was banned, stays refused until its reset; and the clock is the shared one, continued from its last
 * answer, so that time runs backwards for no subject. The change is reported once in each direction, not once per
 * request. A peek, which is free, is cached for a few seconds.
 */

import type { Clock, Timer } from '../common/clock.ts'
import { type MaybePromise, whenReady } from '../common/maybe-promise.ts'
import { type LimitState, type Limits, longestWaitMs, type Verdict } from '../contract/limits.ts'
import { type SharedCounters, StoreUnavailable } from '../store/store.ts'
import type { Counters } from './counters.ts'
import { MemoryCounters } from './memory-counters.ts'

const PATIENCE_MS = 250
const REVIVE_EVERY_MS = 1_000
/** A new connection takes several round trips, and perhaps a TLS handshake. */
const REVIVE_PATIENCE_MS = 1_000
/** The maximum age of a cached peek, and the number of cached ones: about 2 MB. */
const LOOK_KEPT_MS = 2_000
const REMEMBERED_LOOKS = 10_000

export interface FallbackOptions {
  readonly whenDown: 'local' | 'refuse'
  readonly clock: Clock
  /** Called with the trouble when it begins, and with undefined when it is over. */
  readonly onChange: (trouble: string | undefined) => void
  /** Called for each request that this node counts by itself. */
  readonly onAlone: () => void
}

const SWEEP_EVERY_MS = 60_000

export class FallbackCounters implements Counters {
  readonly #shared: SharedCounters
  readonly #local: MemoryCounters
  readonly #options: FallbackOptions
  /** The last verdicts with nothing left, by subject. */
  readonly #spent = new Map<string, Verdict>()
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

  /** Resolves when the shared counters have been reached, or found to be down. */
  static async over(shared: SharedCounters, options: FallbackOptions): Promise<FallbackCounters> {
    const counters = new FallbackCounters(shared, options)
    await counters.#revive()
    return counters
  }

  /** Throws StoreUnavailable if the shared counters are down and the operator chose to refuse. */
  consume(subject: string, limits: Limits): MaybePromise<Verdict> {
    return this.#answer(
      { subject, limits },
      () => this.#shared.consume(subject, limits),
      (refusal) => {
        this.#options.onAlone()
        return refusal ?? this.#local.consume(subject, limits)
      },
    )
  }

  /** May be two seconds old. Throws as `consume` does. */
  peek(subject: string, limits: Limits): MaybePromise<LimitState> {
    const name = `${limits.perMinute} ${limits.perDay} ${subject}`
    const found = this.#looks.get(name)
    const isFresh = found !== undefined && found.untilMs > this.#options.clock.monotonic()
    if (isFresh && found.standing.resetS * 1_000 > this.#now()) return found.standing
    const asked = this.#answer(
      { subject, limits },
      () => this.#shared.peek(subject, limits),
      (refusal) => ({ ...this.#local.peek(subject, limits), ...refusal }),
    )
    return whenReady(asked, (standing) => {
      if (this.#looks.size >= REMEMBERED_LOOKS) this.#looks.clear()
      this.#looks.set(name, { standing, untilMs: this.#options.clock.monotonic() + LOOK_KEPT_MS })
      return standing
    })
  }

  async unban(subject: string, untilMs: number): Promise<boolean> {
    this.#local.unban(subject, untilMs)
    if (this.#spent.get(subject)?.bannedUntilMs === untilMs) this.#spent.delete(subject)
    if (this.#trouble !== undefined) return false
    try {
      await this.#within(this.#shared.unban(subject, untilMs), PATIENCE_MS)
      return true
    } catch (error) {
      this.#fall(error)
      return false
    } finally {
      this.#looks.clear()
    }
  }

  /** Unix ms by the shared clock, or by this node's clock until the shared one is known. */
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

  /** `alone` answers while this node counts by itself; its argument is the refusal that still holds, if any. */
  #answer<V extends Verdict>(
    asked: { readonly subject: string; readonly limits: Limits },
    ask: () => Promise<V>,
    alone: (refusal: Verdict | undefined) => V,
  ): MaybePromise<V> {
    const { subject } = asked
    if (this.#trouble !== undefined) return alone(this.#refusal(asked))
    const answered = ask().then((verdict) => {
      // Also when it comes too late: the shared counters have counted the request, and refuse the next.
      if (verdict.remaining === 0) this.#spent.set(subject, verdict)
      return verdict
    })
    return this.#within(answered, PATIENCE_MS).catch((error: unknown) => {
      this.#fall(error)
      return alone(this.#refusal(asked))
    })
  }

  #refusal({ subject, limits }: { readonly subject: string; readonly limits: Limits }): Verdict | undefined {
    if (this.#options.whenDown === 'refuse') {
      throw new StoreUnavailable(this.#trouble ?? 'the counters are not shared', { known: true })
    }
    const spent = this.#spent.get(subject)
    const waitS = spent === undefined ? 0 : Math.ceil(spent.resetS - this.#now() / 1_000)
    const holds = spent !== undefined && waitS > 0 && waitS * 1_000 <= longestWaitMs(limits)
    return holds ? { ...spent, admitted: false, atMs: this.#now(), retryAfterS: waitS } : undefined
  }

  #sweep(): void {
    const nowS = this.#now() / 1_000
    for (const [subject, { resetS }] of this.#spent) if (resetS <= nowS) this.#spent.delete(subject)
  }

  #fall(error: unknown): void {
    if (this.#trouble !== undefined || this.#closed) return
    const why =
      error instanceof StoreUnavailable ? error.reason : error instanceof Error ? error.message : String(error)
    // What node-redis says while it reconnects.
    const reason = why === 'The client is closed' ? 'the connection is lost' : why.replace(/\.$/, '')
    const consequence = this.#options.whenDown === 'local' ? 'this node counts by itself' : 'requests get 503'
    this.#trouble = `the shared counters do not count (${reason}); until they do, ${consequence}`
    this.#options.onChange(this.#trouble)
    this.#reviveLater()
  }

  #reviveLater(): void {
    this.#revival = this.#options.clock.after(REVIVE_EVERY_MS, () => void this.#revive()).unref()
  }

  async #revive(): Promise<void> {
    try {
      await this.#within(this.#shared.revive(), REVIVE_PATIENCE_MS)
      if (this.#trouble === undefined || this.#closed) return
      this.#trouble = undefined
      this.#options.onChange(undefined)
    } catch (error) {
      if (this.#trouble === undefined) this.#fall(error)
      else if (!this.#closed) this.#reviveLater()
    }
  }

  #within<T>(work: Promise<T>, patienceMs: number): Promise<T> {
    const { clock } = this.#options
    return new Promise((resolve, reject) => {
      // A process that was busy itself first reads what has arrived in the meantime.
      const timer = clock.after(patienceMs, () =>
        setImmediate(() => reject(new Error(`no answer within ${patienceMs} ms`))),
      )
      work.then(resolve, reject).finally(() => clock.cancel(timer))
    })
  }
}
