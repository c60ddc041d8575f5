/** Counts requests against their limits (R14-R17, ../contract/limits.ts), in memory or shared by all nodes. */
import type { MaybePromise } from '../common/maybe-promise.ts'
import type { LimitState, Limits, Verdict } from '../contract/limits.ts'

export interface Counters {
  consume(subject: string, limits: Limits): MaybePromise<Verdict>
  peek(subject: string, limits: Limits): MaybePromise<LimitState>
  /** Lifts the ban that ends at `untilMs`. False if the counters cannot be reached: try again. */
  unban(subject: string, untilMs: number): MaybePromise<boolean>
  /** A sentence if counting does not work as configured. */
  trouble(): string | undefined
  close(): Promise<void>
}
