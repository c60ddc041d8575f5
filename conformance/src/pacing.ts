/**
 * Keeps the kit within its quota. Each answer says how many requests remain. At one or none, the kit waits for the
 * reset, so one request is always left for others who share the key or the address. After Remaining has been wrong
 * twice, the kit ignores it and heeds only 429s.
 */

import type { HttpResponse } from './http/answer.ts'
import { FAR_S, msToReset, readLimitHeaders, retryAfterMs } from './http/limit-headers.ts'
import type { Pool } from './http/request.ts'
import { RunOver } from './verdicts.ts'

/** The quota is used up for longer than LONGEST_WAIT_MS; the message says until when. */
export class QuotaExhausted extends Error {}

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
const CONTRADICTIONS_BORNE = 2
/** The estimated duration of a request. */
const REQUEST_MS = 20

interface Standing {
  limit: number
  remaining: number
  resetMs: number
}

class Allowance {
  standing: Standing | undefined
  /** Requests that are under way. */
  unanswered = 0
  contradictions = 0
  /** Whether the kit has just waited for the reset, so that the next answer must show requests remaining. */
  isFresh = false
}

export class Pacer {
  readonly #timing: Timing
  readonly #allowances = new Map<Pool, Allowance>()

  constructor(timing: Timing) {
    this.#timing = timing
  }

  /** Waits until each of `pools` allows one more request, and takes it. Throws QuotaExhausted or RunOver. */
  async waitForQuota(pools: readonly Pool[]): Promise<void> {
    for (const pool of pools) {
      const allowance = this.#of(pool)
      const { standing } = allowance
      if (standing !== undefined && standing.remaining <= RESERVE && allowance.contradictions < CONTRADICTIONS_BORNE) {
        await this.#waitUntil(standing.resetMs, pool)
        // Of several requests that waited together, the first has cleared it already.
        if (allowance.standing === standing) allowance.standing = undefined
        allowance.isFresh = true
      } else if (standing !== undefined) standing.remaining -= 1
      allowance.unanswered += 1
    }
  }

  /** Updates a pool from the limit headers of an answer; `answer` is undefined if none came. */
  recordHeaders(pools: readonly [Pool, ...Pool[]], answer: HttpResponse | undefined): void {
    for (const pool of pools) this.#of(pool).unanswered -= 1
    const [pool, ...others] = pools
    const headers = answer === undefined ? undefined : readLimitHeaders(answer)
    // With several pools it is unknown which one the answer describes.
    if (answer === undefined || headers === undefined || others.length > 0) return
    const allowance = this.#of(pool)
    if (allowance.isFresh && headers.limit > RESERVE + 1 && headers.remaining <= RESERVE) allowance.contradictions += 1
    allowance.isFresh = false
    const { standing, unanswered } = allowance
    const nowMs = this.#timing.clock()
    const resetMs = nowMs + (msToReset({ answer, atMs: nowMs }) ?? 0)
    const remaining = headers.remaining - unanswered
    const isOlder =
      standing !== undefined &&
      Math.abs(standing.resetMs - resetMs) < MARGIN_MS &&
      standing.limit === headers.limit &&
      standing.remaining < remaining
    if (!isOlder || unanswered === 0) allowance.standing = { limit: headers.limit, remaining, resetMs }
  }

  /** Waits as long as a 429 asks. Throws QuotaExhausted or RunOver. */
  async afterRefusal(pools: readonly [Pool, ...Pool[]], answer: HttpResponse, expectedLeft: number): Promise<void> {
    const nowMs = this.#timing.clock()
    const waitMs = retryAfterMs(answer, nowMs) ?? DEFAULT_WAIT_MS
    if (expectedLeft > RESERVE) this.#of(pools[0]).contradictions += 1
    for (const pool of pools) this.#of(pool).standing = undefined
    await this.#waitUntil(nowMs + Math.max(waitMs, MARGIN_MS), pools[0])
  }

  /** The remaining requests of a pool: those of the latest answer, minus those sent since; 0 if unknown. */
  remaining(pool: Pool): number {
    return this.#of(pool).standing?.remaining ?? 0
  }

  /** The estimated seconds for this many requests, by the latest answer. A window counts as at least a minute. */
  secondsFor(pool: Pool, requests: number): number {
    const requestsS = (requests * REQUEST_MS) / 1000
    const standing = this.#of(pool).standing
    if (standing === undefined || requests <= standing.remaining - RESERVE) return requestsS
    const windows = Math.ceil((requests - standing.remaining + RESERVE) / Math.max(1, standing.limit - RESERVE))
    const toResetMs = Math.max(0, standing.resetMs - this.#timing.clock()) + MARGIN_MS
    const windowMs = Math.max(DEFAULT_WAIT_MS, toResetMs)
    return requestsS + (toResetMs + (windows - 1) * windowMs) / 1000
  }

  #of(pool: Pool): Allowance {
    const allowance = this.#allowances.get(pool) ?? new Allowance()
    this.#allowances.set(pool, allowance)
    return allowance
  }

  async #waitUntil(atMs: number, pool: Pool): Promise<void> {
    const ms = atMs - this.#timing.clock()
    if (ms <= 0) return
    if (ms > FAR_S * 1000) return this.#wait(DEFAULT_WAIT_MS, pool)
    if (ms > LONGEST_WAIT_MS) {
      throw new QuotaExhausted(`the allowance of the ${pool} is used up until ${new Date(atMs).toISOString()}`)
    }
    await this.#wait(ms + MARGIN_MS, pool)
  }

  async #wait(ms: number, pool: Pool): Promise<void> {
    if (this.#timing.clock() + ms > this.#timing.deadlineMs)
      throw new RunOver('the time given would be over before the allowance comes back')
    this.#timing.onWait(ms, pool)
    await this.#timing.sleep(ms)
  }
}
