/** Keeps the kit within its quota. One request is left for others who share the key or the address. */
import { msToReset, readLimitHeaders, retryAfterMs } from './http/limit-headers.ts'
import type { Pool } from './http/request.ts'
import type { Exchange } from './http/transport.ts'
import { QuotaExhausted, RunOver } from './verdicts.ts'

export interface Timing {
  readonly clock: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** For the progress output. */
  readonly onWait: (ms: number, pool: Pool) => void
  readonly deadlineMs: number
}

/** Longer than any minute window. A daily limit does not reset while someone watches. */
export const LONGEST_WAIT_MS = 5 * 60_000
const RESERVE = 1
/** The wait without usable headers: the shortest window of the plans. */
const DEFAULT_WAIT_MS = 60_000
/** Waiting longer costs less than a refusal by a clock that differs. */
const MARGIN_MS = 1_000

export class Pacer {
  readonly #timing: Timing
  readonly #standings = new Map<Pool, { readonly remaining: number; readonly resetMs: number }>()

  constructor(timing: Timing) {
    this.#timing = timing
  }

  /** Throws QuotaExhausted or RunOver. */
  async waitForQuota(pool: Pool): Promise<void> {
    const { remaining, resetMs } = this.#standings.get(pool) ?? { remaining: Infinity, resetMs: 0 }
    if (remaining > RESERVE) return
    await this.#waitUntil(resetMs, pool)
  }

  recordHeaders(pool: Pool, exchange: Pick<Exchange, 'answer' | 'atMs'>): void {
    const headers = readLimitHeaders(exchange.answer)
    if (headers === undefined) return
    this.#standings.set(pool, { remaining: headers.remaining, resetMs: exchange.atMs + (msToReset(exchange) ?? 0) })
  }

  /** Throws QuotaExhausted or RunOver. */
  async afterRefusal(pool: Pool, refusal: Exchange): Promise<void> {
    this.#standings.delete(pool)
    await this.#waitUntil(refusal.atMs + (retryAfterMs(refusal) ?? DEFAULT_WAIT_MS), pool)
  }

  async #waitUntil(atMs: number, pool: Pool): Promise<void> {
    const ms = atMs - this.#timing.clock() + MARGIN_MS
    if (ms <= 0) return
    if (ms > LONGEST_WAIT_MS)
      throw new QuotaExhausted(`the ${pool} has no requests left until ${new Date(atMs).toISOString()}`)
    if (this.#timing.clock() + ms > this.#timing.deadlineMs)
      throw new RunOver('the time limit would end before the limit resets')
    this.#timing.onWait(ms, pool)
    await this.#timing.sleep(ms)
  }
}
