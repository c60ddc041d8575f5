/**
 * The order in which requests are sent: each waits for its turn, and none is sent while the service accepts none. The
 * limit headers of responses and refusals show what the service accepts, so that of any number of concurrent calls at
 * most one is refused in a window of the limit.
 */
import { backoffMs, DAY_MS, holdMs, paceMs, type Window } from './backoff.ts'
import type { Clock } from './clock.ts'

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

/** What a response shows about the limit. */
export interface Learnt {
  /** Undefined if the headers are missing. */
  readonly rateLimit: RateLimit | undefined
  /** How far this machine's clock is ahead of the service's, in milliseconds. */
  readonly aheadMs: number
  /** For a 429: which attempt of its call it refused, and the wait that it asks for in milliseconds. */
  readonly refusal: { readonly attempt: number; readonly askedMs: number | undefined } | undefined
}

/** A request in flight: its position in the order of requests sent and responses taken into account. */
export type Turn = { readonly place: number }

/** Instead of a turn: the service accepts no request for this long, and `maxWait` is shorter. Milliseconds. */
export type Blocked = { readonly blockedMs: number }

export interface TurnsOptions {
  /** Whether requests are spread evenly over the window. */
  readonly pace: boolean
  /** Milliseconds. */
  readonly maxWait: number
  /** Called once for a window whose limit is used up while requests wait. */
  readonly onHold: ((hold: Hold) => void) | undefined
  readonly clock: Clock
  readonly random: () => number
}

export class Turns {
  readonly #options: TurnsOptions
  #rateLimit: RateLimit | undefined
  #window: Window | undefined
  /** The place of the answer that described the window. */
  #windowPlace = 0
  /**
   * The positions at which requests ended without information. The service may have counted them; what it says about
   * the window certainly includes them once it answers a request that was sent later.
   */
  #untold: number[] = []
  /** The service accepts no request before this instant. Unix milliseconds. */
  #blockedUntilMs = 0
  #unanswered = 0
  #lastSentMs = 0
  #lastPlace = 0
  /** The end of the window that `onHold` was called for. */
  #toldResetMs = 0
  /** The waiting requests, in the order of arrival; each is called with the outcome. */
  readonly #waiting = new Set<(outcome: Turn | Blocked) => void>()
  #cancelTimer = () => {}

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** The limit as the latest response described it. */
  get rateLimit(): RateLimit | undefined {
    return this.#rateLimit
  }

  /** For how long the service accepts no request, in milliseconds. */
  get blockedMs(): number {
    return this.#blockedUntilMs - this.#options.clock.now()
  }

  /**
   * Waits until a request may be sent, and counts it as in flight in the same instant, so that no other takes its
   * place: `end` must be called for it. Rejects with the reason of `signal` if that is aborted.
   */
  take(signal: AbortSignal | undefined): Promise<Turn | Blocked> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const leave = () => {
        this.#waiting.delete(go)
        signal?.removeEventListener('abort', abort)
      }
      const go = (outcome: Turn | Blocked) => {
        leave()
        resolve(outcome)
      }
      const abort = () => {
        leave()
        reject(signal?.reason)
        this.#sendNext()
      }
      signal?.addEventListener('abort', abort)
      this.#waiting.add(go)
      this.#sendNext()
    })
  }

  /** The headers of the response have arrived or, without `learnt`, it is certain that none will. */
  end({ place }: Turn, learnt?: Learnt): void {
    this.#unanswered -= 1
    const { rateLimit, aheadMs = 0, refusal }: Partial<Learnt> = learnt ?? {}
    if (rateLimit !== undefined) this.#believe(place, rateLimit, aheadMs, refusal !== undefined)
    else if (this.#window !== undefined) this.#untold.push(++this.#lastPlace)
    if (refusal !== undefined) {
      // The known window has proved wrong: the next request goes alone.
      if (rateLimit === undefined) this.#window = undefined
      const waitMs = backoffMs(refusal.attempt, refusal.askedMs, this.#options.random)
      this.#blockedUntilMs = Math.max(this.#blockedUntilMs, this.#options.clock.now() + waitMs)
    }
    this.#sendNext()
  }

  /**
   * Of two responses whose requests were in flight together, either may be the later one: the one with fewer requests
   * left counts.
   */
  #believe(place: number, rateLimit: RateLimit, aheadMs: number, isRefused: boolean): void {
    const nowMs = this.#options.clock.now()
    const remaining = isRefused ? 0 : rateLimit.remaining
    const known = this.#window
    const mayBeOlder = place < this.#windowPlace && known !== undefined && known.resetMs > nowMs
    if (mayBeOlder && remaining > known.remaining) return
    this.#rateLimit = rateLimit
    this.#window = { remaining, resetMs: Math.min(rateLimit.reset.getTime() + aheadMs, nowMs + DAY_MS) }
    this.#windowPlace = ++this.#lastPlace
    this.#untold = this.#untold.filter((untoldPlace) => untoldPlace > place)
  }

  /** Sends what may be sent, and schedules another look at the rest. */
  #sendNext(): void {
    const { clock, maxWait } = this.#options
    this.#cancelTimer()
    for (const go of this.#waiting) {
      const nowMs = clock.now()
      const blockedMs = this.#blockedUntilMs - nowMs
      if (blockedMs > maxWait) {
        go({ blockedMs })
        continue
      }
      const waitMs = Math.max(blockedMs, this.#holdMs(nowMs))
      if (waitMs > 0) {
        if (waitMs < Infinity) this.#cancelTimer = clock.after(waitMs, () => this.#sendNext())
        if (blockedMs <= 0) this.#tellOfHold(nowMs)
        return
      }
      this.#unanswered += 1
      this.#lastSentMs = nowMs
      go({ place: ++this.#lastPlace })
    }
  }

  #tellOfHold(nowMs: number): void {
    const { remaining, resetMs } = this.#left() ?? { remaining: 1, resetMs: 0 }
    if (remaining > 0 || resetMs <= nowMs || resetMs === this.#toldResetMs) return
    this.#toldResetMs = resetMs
    // Separate from the calls, so that an exception in it is not one of theirs.
    queueMicrotask(() => this.#options.onHold?.({ waitMs: resetMs - nowMs }))
  }

  /** The window, less the requests that the service may have counted without saying so. */
  #left(): Window | undefined {
    return this.#window && { ...this.#window, remaining: this.#window.remaining - this.#untold.length }
  }

  /** How long the limit, the requests in flight and the pace hold back another request, in milliseconds. */
  #holdMs(nowMs: number): number {
    const window = this.#left()
    let waitMs = holdMs(window, this.#unanswered, nowMs)
    if (waitMs === 0 && this.#options.pace) {
      waitMs = paceMs(window, this.#unanswered, this.#lastSentMs, nowMs)
    }
    // Longer than any caller wants to wait: one request goes alone, and a refusal shows whether the wait is needed.
    if (waitMs > this.#options.maxWait) return this.#unanswered === 0 ? 0 : Infinity
    return waitMs
  }
}
