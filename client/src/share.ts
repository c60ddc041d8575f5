/**
 * A part of a key's allowance, as waits between requests: only arithmetic, with the time passed in. Wherever a minute
 * or a day begins, no more requests than the part fall into it, for one follows the response of the other, and what is
 * saved up for the day is taken off what comes in by and by.
 */
import { DAY_MS } from './backoff.ts'
import type { RateLimit } from './limiter.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = DAY_MS / MINUTE_MS
/** A window that ends later than this is a day's: where `Date` is hidden, clocks may be some minutes apart. */
const CLEARLY_DAY_MS = 10 * MINUTE_MS
/**
 * The plans of the interface: the headers tell of the day only when it is nearly used up. The first plan, the smallest,
 * counts until a response has told of a limit.
 */
export const PLANS: readonly (readonly [perMinute: number, perDay: number])[] = [
  [60, 1_000],
  [300, 10_000],
  [1_000, 100_000],
]

function planOf(index: 0 | 1, limit: number): (typeof PLANS)[number] | undefined {
  return PLANS.find((plan) => plan[index] === limit)
}

export class Share {
  readonly #share: number
  /** As responses have told them. */
  #toldMinute: number | undefined
  #toldDay: number | undefined
  /** The requests that the day lets go at once, a minute's at most. More than the capacity are not saved up. */
  #saved = Infinity
  #endedMs = -Infinity

  /** Throws RangeError if `share` is not a fraction. */
  constructor(share: number) {
    if (!(share > 0 && share <= 1)) throw new RangeError('share must be a fraction, more than 0 and 1 at most')
    this.#share = share
  }

  /** Takes the limit from a response: that of the minute or, where it ends later, of the day. */
  learn({ limit, remaining, reset }: RateLimit, serviceMs: number): void {
    const resetMs = reset.getTime()
    if (resetMs - serviceMs > CLEARLY_DAY_MS) {
      if (limit === this.#perDay) return
      this.#toldDay = limit
      // Requests that were made before the day was known may have been too many: the next ones wait for that.
      this.#saved = Math.min(this.#saved, this.#share * limit - (limit - remaining))
    } else if (limit !== this.#toldMinute && !(limit === this.#perDay && resetMs % DAY_MS === 0)) {
      const isFirst = this.#toldMinute === undefined
      this.#toldMinute = limit
      // With another minute it is another plan. At first, all is saved up but the request that told.
      if (!isFirst) this.#toldDay = undefined
      else if (this.#toldDay === undefined) this.#saved = this.#capacity - 1
    }
  }

  /** The requests a minute. A day that is not of a plan is spread evenly. */
  get #perMinute(): number {
    const day = this.#toldDay ?? 1_000
    return this.#toldMinute ?? planOf(1, day)?.[0] ?? day / DAY_MINUTES
  }

  /** The requests a day. Where it is not known, all that the minutes let through. */
  get #perDay(): number {
    const minute = this.#perMinute
    return this.#toldDay ?? planOf(0, minute)?.[1] ?? minute * DAY_MINUTES
  }

  /** How long the next request has to wait, in milliseconds: below 0 if no longer. */
  waitMs(nowMs: number): number {
    const spacingMs = MINUTE_MS / (this.#share * this.#perMinute)
    return Math.max(this.#endedMs + spacingMs - nowMs, (1 - this.#savedAt(nowMs)) / this.#perMs)
  }

  /** A request was answered, or given up. */
  spend(nowMs: number): void {
    this.#saved = this.#savedAt(nowMs) - 1
    this.#endedMs = nowMs
  }

  get #capacity(): number {
    return Math.min(this.#share * this.#perMinute, (this.#share * this.#perDay) / 2)
  }

  /** How many requests the day gives in a millisecond, besides the saved ones. */
  get #perMs(): number {
    return (this.#share * this.#perDay - this.#capacity) / DAY_MS
  }

  #savedAt(nowMs: number): number {
    // One at least, or none could ever be sent.
    return Math.min(Math.max(1, this.#capacity), this.#saved + (nowMs - this.#endedMs) * this.#perMs)
  }
}
