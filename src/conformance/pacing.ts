/**
 * Keeps the kit within what it is allowed. Each answer says how much is left; when that is next to nothing, the kit
 * waits for the reset before it asks again. Whoever shares the key or the address keeps a request to themselves.
 */
import { FAR_S, readLimitHeaders } from './limit-headers.ts'
import type { Pool } from './request.ts'
import { retryAfterMs } from './retry-after.ts'
import type { Answer } from './transport.ts'

/** The allowance is used up for longer than anyone wants to wait; the message says until when. */
export class AllowanceSpent extends Error {}

export interface Timing {
  /** Unix ms. */
  readonly clock: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Told before each wait, for a person who watches. */
  readonly onWait: (ms: number, pool: Pool) => void
}

/** Minutes pass; a day's allowance does not come back while someone watches. */
export const LONGEST_WAIT_MS = 5 * 60_000
const RESERVE = 1
/** For an answer whose headers say nothing usable: the length of the shortest window of the plans. */
const DEFAULT_WAIT_MS = 60_000
/** Waiting a little past the reset costs less than being refused by a clock that differs. */
const MARGIN_MS = 1_000

export class Pacer {
  readonly #timing: Timing
  readonly #known = new Map<Pool, { remaining: number; resetMs: number }>()

  constructor(timing: Timing) {
    this.#timing = timing
  }

  /** Waits until each of `pools` allows one more request, and takes it. Throws AllowanceSpent. */
  async take(pools: readonly Pool[]): Promise<void> {
    for (const pool of pools) {
      const known = this.#known.get(pool)
      if (known === undefined) continue
      if (known.remaining > RESERVE) {
        known.remaining -= 1
        continue
      }
      await this.#waitUntil(known.resetMs, pool)
      this.#known.delete(pool)
    }
  }

  /** Learns from an answer how a pool stands. Of several pools it is not known which one the answer describes. */
  saw([pool, ...others]: readonly [Pool, ...Pool[]], answer: Answer): void {
    const headers = readLimitHeaders(answer)
    if (headers === undefined || others.length > 0) return
    this.#known.set(pool, { remaining: headers.remaining, resetMs: headers.resetS * 1000 })
  }

  /** Waits as a 429 tells. Throws AllowanceSpent. */
  async afterRefusal(pools: readonly [Pool, ...Pool[]], answer: Answer): Promise<void> {
    const nowMs = this.#timing.clock()
    const waitMs = retryAfterMs(answer, nowMs) ?? DEFAULT_WAIT_MS
    for (const pool of pools) this.#known.delete(pool)
    await this.#waitUntil(nowMs + Math.max(waitMs, MARGIN_MS), pools[0])
  }

  async #waitUntil(atMs: number, pool: Pool): Promise<void> {
    const ms = atMs - this.#timing.clock()
    if (ms <= 0) return
    if (ms > FAR_S * 1000) return this.#wait(DEFAULT_WAIT_MS, pool)
    if (ms > LONGEST_WAIT_MS) {
      throw new AllowanceSpent(`the allowance of the ${pool} is used up until ${new Date(atMs).toISOString()}`)
    }
    await this.#wait(ms + MARGIN_MS, pool)
  }

  async #wait(ms: number, pool: Pool): Promise<void> {
    this.#timing.onWait(ms, pool)
    await this.#timing.sleep(ms)
  }
}
