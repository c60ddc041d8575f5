/**
 * Counts requests against their limits (R14-R17): in the memory of this process, or in counters that all nodes share,
 * in PostgreSQL or Redis. The rules are in ../contract/limits.ts, the interfaces for storage in ../store/store.ts.
 */
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { LimitState, Limits, Verdict } from '../contract/limits.ts'

/** Counts requests and decides on them in one atomic step. */
export interface Counters {
  consume(subject: string, limits: Limits): MaybePromise<Verdict>
  /** The state of the subject's limits, without counting. */
  peek(subject: string, limits: Limits): MaybePromise<LimitState>
  /** Lifts the ban that ends at `untilMs`, and no other. False if the counters cannot be reached: call it again. */
  unban(subject: string, untilMs: number): MaybePromise<boolean>
  /** A sentence if counting does not work as configured, for example if this node counts alone. */
  trouble(): string | undefined
  close(): Promise<void>
}
