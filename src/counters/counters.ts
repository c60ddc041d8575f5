/**
 * Counting requests against their limits (R14-R17): in the memory of this process, or in counters that all nodes share,
 * PostgreSQL's or those of Redis. The arithmetic is that of ../contract/limits.ts. What is stored of it is the store's.
 */
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { LimitState, Limits, Verdict } from '../contract/limits.ts'

/** Counts requests and decides on them in one atomic step. */
export interface Counters {
  consume(subject: string, limits: Limits): MaybePromise<Verdict>
  /** The state of the subject's limits, without counting. */
  peek(subject: string, limits: Limits): MaybePromise<LimitState>
  /** Ends the ban until `untilMs`, and no other. False if the counters cannot be reached: it is to be repeated. */
  unban(subject: string, untilMs: number): MaybePromise<boolean>
  /** A sentence if the counters are not as configured (counted by this node alone, say). */
  trouble(): string | undefined
  close(): Promise<void>
}
