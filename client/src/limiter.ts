/** The queue of requests: each waits for its turn, and none is sent while the limit headers show a refusal. */
import { backoffMs, DAY_MS, holdMs, type Window } from './backoff.ts'
import { type Clock, elapsedMs, systemClock, unlessAborted } from './clock.ts'
import type { PlatformSignal } from './platform.ts'
import { check, type Rules } from './rules.ts'

/** The limit on the key's requests, as a response described it. */
export interface RateLimit {
  /** The limit of the window, in requests. */
  readonly limit: number
  /** The number of requests left. */
  readonly remaining: number
  /** When the window ends, by the clock of the service. */
  readonly reset: Date
}

/** Requests that are held back because the limit is used up. */
export interface Hold {
  /** How long the client is going to wait, in milliseconds. */
  readonly waitMs: number
}

/** The options of a limiter. */
export interface LimiterOptions {
  /** The maximum number of requests in flight. Default 4. Fewer are in flight while few requests remain. */
  readonly maxInFlight?: number | undefined
  /**
   * The longest wait before a request, in milliseconds. Default 90,000, which is longer than a window of one minute. If
   * the service asks for a longer wait, the call fails at once with the service's error.
   */
  readonly maxWait?: number | undefined
  /**
   * Called when calls begin to be held back because the limit is used up, but not after a 429. At most once per window
   * of the limit. If it throws, or its promise is rejected, the calls that are held back end with an AbortedError.
   */
  readonly onHold?: ((hold: Hold) => void) | undefined
  /** Replaces the platform's clock and timers, for example in a test. */
  readonly clock?: Clock | undefined
  /** Replaces `Math.random` in the back-off. */
  readonly random?: (() => number) | undefined
}

export const MAX_WAIT_MS = 90_000

export const LIMITER_RULES: Rules<keyof LimiterOptions> = {
  maxInFlight: 1,
  maxWait: 0,
  onHold: 'function',
  clock: 'object',
  random: 'function',
}

export interface ResponseLimits {
  /** Undefined if the headers are missing. */
  readonly rateLimit: RateLimit | undefined
  /** The time by the clock of the service, in Unix milliseconds. */
  readonly serviceMs: number
  /** Set for a 429: the wait that it asks for, in milliseconds. */
  readonly refusal: { readonly askedMs: number | undefined } | undefined
}

/** `place` is the position in one sequence of requests sent and responses processed. */
export type Turn = { readonly place: number }

/** No turn, because the service accepts no request for longer than `maxWait`. */
type Blocked = { readonly blockedMs: number }

interface Waiting {
  readonly go: (outcome: Turn | Blocked) => void
  readonly fail: (error: unknown) => void
}

/**
 * Keeps the requests of one key within its limit. Each client has its own limiter. Clients that are given the same
 * limiter share its queue.
 */
export class Limiter {
  readonly #maxInFlight: number
  readonly #maxWait: number
  readonly #onHold: ((hold: Hold) => void) | undefined
  readonly #clock: Clock
  readonly #random: () => number
  #rateLimit: RateLimit | undefined
  #window: Window | undefined
  /** The place at which the response that described the window was processed. */
  #windowPlace = 0
  /** The places at which requests ended without limit headers. The service might have counted these requests. */
  #unknownInFlight: number[] = []
  /** The service accepts no request before this time, in milliseconds on the clock of `elapsedMs`. */
  #blockedUntilMs = 0
  /** The number of consecutive rounds of refusals, and the place at which the latest round ended. */
  #refusals = { count: 0, place: 0 }
  #unanswered = 0
  #lastPlace = 0
  /** The end of the window that `onHold` was called for. */
  #toldResetMs = 0
  readonly #waiting = new Set<Waiting>()
  #cancelTimer = () => {}

  /** Throws TypeError or RangeError if an option is invalid. */
  constructor(options: LimiterOptions = {}) {
    check('option', options, LIMITER_RULES)
    this.#maxInFlight = options.maxInFlight ?? 4
    this.#maxWait = options.maxWait ?? MAX_WAIT_MS
    this.#onHold = options.onHold
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? Math.random
  }

  /** The limit as the latest response described it; undefined before the first one. */
  get rateLimit(): RateLimit | undefined {
    return this.#rateLimit
  }

  /** @internal For how long the service accepts no request, in milliseconds. */
  get blockedMs(): number {
    return this.#blockedUntilMs - elapsedMs(this.#clock)
  }

  /** @internal Waits until a request can be sent. The caller must call `end`. Rejects if `signal` is aborted. */
  take(signal: PlatformSignal | undefined): Promise<Turn | Blocked> {
    const turn = unlessAborted<Turn | Blocked>(signal, (go, fail) => {
      const waiting = { go, fail }
      this.#waiting.add(waiting)
      return () => this.#waiting.delete(waiting)
    })
    this.#sendNext()
    // Others might have waited for it.
    turn.catch(() => this.#sendNext())
    return turn
  }

  /** @internal Call this when the response headers have arrived or, without `limits`, when none will arrive. */
  end({ place }: Turn, limits?: ResponseLimits): void {
    this.#unanswered -= 1
    const { rateLimit, serviceMs = 0, refusal }: Partial<ResponseLimits> = limits ?? {}
    const toResetMs = rateLimit && Math.min(rateLimit.reset.getTime() - serviceMs, DAY_MS)
    if (refusal) this.#block(place, refusal.askedMs ?? toResetMs, rateLimit)
    else {
      if (rateLimit) this.#believe(place, rateLimit, toResetMs ?? 0)
      else if (this.#window) this.#unknownInFlight.push(++this.#lastPlace)
      if (limits && place > this.#refusals.place) this.#refusals = { count: 0, place }
    }
    this.#sendNext()
  }

  /** Refusals of requests that were in flight together count as one. */
  #block(place: number, askedMs: number | undefined, rateLimit: RateLimit | undefined): void {
    this.#rateLimit = rateLimit ?? this.#rateLimit
    // The wait alone holds requests back: the limit may allow one long before its reset. The first goes alone.
    this.#window = undefined
    if (place > this.#refusals.place) this.#refusals = { count: this.#refusals.count + 1, place: this.#lastPlace }
    const waitMs = backoffMs(this.#refusals.count, { askedMs, isRefusal: true }, this.#random)
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, elapsedMs(this.#clock) + waitMs)
  }

  /** Concurrent responses arrive in any order: the one with the fewest remaining requests applies. */
  #believe(place: number, rateLimit: RateLimit, toResetMs: number): void {
    const nowMs = elapsedMs(this.#clock)
    const { remaining } = rateLimit
    const current = this.#window
    const mayBeOlder = place < this.#windowPlace && current && current.resetMs > nowMs
    if (mayBeOlder && remaining > current.remaining) return
    const isBeforeRefusal = this.#refusals.count > 0 && place <= this.#refusals.place
    if (isBeforeRefusal) return
    this.#rateLimit = rateLimit
    this.#window = { remaining, resetMs: nowMs + toResetMs }
    this.#windowPlace = ++this.#lastPlace
    this.#unknownInFlight = this.#unknownInFlight.filter((untoldPlace) => untoldPlace > place)
  }

  /** Sends the requests that may be sent now, and sets a timer for the rest. */
  #sendNext(): void {
    this.#cancelTimer()
    for (const { go } of this.#waiting) {
      const nowMs = elapsedMs(this.#clock)
      const blockedMs = this.#blockedUntilMs - nowMs
      if (blockedMs > this.#maxWait) {
        go({ blockedMs })
        continue
      }
      const waitMs = Math.max(blockedMs, this.#holdMs(nowMs))
      if (waitMs > 0) {
        if (waitMs < Infinity) this.#cancelTimer = this.#clock.after(waitMs, () => this.#sendNext())
        if (blockedMs <= 0) this.#tellOfHold(nowMs)
        return
      }
      this.#unanswered += 1
      go({ place: ++this.#lastPlace })
    }
  }

  #tellOfHold(nowMs: number): void {
    const { remaining, resetMs } = this.#availableWindow() ?? { remaining: 1, resetMs: 0 }
    if (remaining > 0 || resetMs <= nowMs || resetMs === this.#toldResetMs) return
    this.#toldResetMs = resetMs
    // Asynchronously, so that its error does not end the call that triggered it.
    Promise.resolve({ waitMs: resetMs - nowMs })
      .then(this.#onHold)
      .catch((error) => {
        for (const { fail } of [...this.#waiting]) fail(error)
      })
  }

  /** Without the requests that the service might have counted without a response. */
  #availableWindow(): Window | undefined {
    return this.#window && { ...this.#window, remaining: this.#window.remaining - this.#unknownInFlight.length }
  }

  #holdMs(nowMs: number): number {
    const waitMs = holdMs(this.#availableWindow(), this.#unanswered, this.#maxInFlight, nowMs)
    // Longer than any caller wants to wait: one request goes alone, and a refusal shows whether the wait is needed.
    if (waitMs > this.#maxWait) return this.#unanswered === 0 ? 0 : Infinity
    return waitMs
  }
}
