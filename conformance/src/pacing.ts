/**
 * Keeps the kit within its quota. Each answer says how many requests remain. At one or none, the kit waits for the
 * reset, so one request is always left for others who share the key or the address.
 */
import { msToReset, readLimitHeaders, retryAfterMs } from './http/limit-headers.ts'
import type { Pool } from './http/request.ts'
import type { Exchange } from './http/transport.ts'
import { QuotaExhausted, RunOver } from './verdicts.ts'

export interface Timing {
  /** Unix ms. */
  readonly clock: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Called before each wait, for the progress output. */
  readonly onWait: (ms: number, pool: Pool) => void
  /** Unix ms by which the run has to be over. */
  readonly deadlineMs: number
}

/** Long enough for a quota per minute. A quota per day does not come back while someone watches. */
export const LONGEST_WAIT_MS = 5 * 60_000
const RESERVE = 1
/** The wait if an answer has no usable headers: the shortest window of the plans. */
const DEFAULT_WAIT_MS = 60_000
/** An extra wait after the reset costs less than a refusal by a clock that differs. */
const MARGIN_MS = 1_000

interface Standing {
  readonly remaining: number
  readonly resetMs: number
}

export class Pacer {
  readonly #timing: Timing
  readonly #standings = new Map<Pool, Standing>()

  constructor(timing: Timing) {
    this.#timing = timing
  }

  /** Whether requests of a pool must be served, as the latest answer said. */
  hasQuota(pool: Pool): boolean {
    const { remaining, resetMs } = this.#standings.get(pool) ?? { remaining: 0, resetMs: Infinity }
    return remaining > RESERVE || this.#timing.clock() > resetMs + MARGIN_MS
  }

  /** Waits until `pool` allows one more request. Throws QuotaExhausted or RunOver. */
  async waitForQuota(pool: Pool): Promise<void> {
    const { remaining, resetMs } = this.#standings.get(pool) ?? { remaining: Infinity, resetMs: 0 }
    if (remaining > RESERVE) return
    await this.#waitUntil(resetMs, pool)
  }

  /** Updates a pool from the limit headers of an answer. */
  recordHeaders(pool: Pool, exchange: Pick<Exchange, 'answer' | 'atMs'>): void {
    const headers = readLimitHeaders(exchange.answer)
    if (headers === undefined) return
    this.#standings.set(pool, { remaining: headers.remaining, resetMs: exchange.atMs + (msToReset(exchange) ?? 0) })
  }

  /** Waits as long as a 429 asks. Throws QuotaExhausted or RunOver. */
  async afterRefusal(pool: Pool, refusal: Exchange): Promise<void> {
    this.#standings.delete(pool)
    await this.#waitUntil(refusal.atMs + (retryAfterMs(refusal) ?? DEFAULT_WAIT_MS), pool)
  }

  async #waitUntil(atMs: number, pool: Pool): Promise<void> {
    const ms = atMs - this.#timing.clock() + MARGIN_MS
    if (ms <= 0) return
    if (ms > LONGEST_WAIT_MS)
      throw new QuotaExhausted(`the allowance of the ${pool} is used up until ${new Date(atMs).toISOString()}`)
    if (this.#timing.clock() + ms > this.#timing.deadlineMs)
      throw new RunOver('the time given would be over before the allowance comes back')
    this.#timing.onWait(ms, pool)
    await this.#timing.sleep(ms)
  }
}
