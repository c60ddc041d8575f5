/** Which ban holds, of what is noted with a key: every engine and every command reads it alike. */
import { DAY_MS } from '../../common/clock.ts'
import type { Ban, Key } from '../rows.ts'

/**
 * The ban that a key is under, as far as it was noted; undefined when there is none. The counters do not believe a ban
 * that began more than a day from now (../../contract/limits.ts): a clock was wrong then.
 */
export function banOf({ ban, liftedUntilMs }: Key, nowMs: number): Ban | undefined {
  if (ban === undefined || ban.untilMs <= nowMs || ban.untilMs === liftedUntilMs) return undefined
  return ban.atMs <= nowMs + DAY_MS ? ban : undefined
}
