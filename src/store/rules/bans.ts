/** Which ban holds, of what is noted with a key: every engine and every command reads it alike. */
import { DAY_MS } from '../../common/clock.ts'
import type { Ban, Key } from '../rows.ts'

/** The ban that a key is under, as far as it was noted; undefined when there is none. */
export function banOf({ ban, liftedUntilMs }: Key, nowMs: number): Ban | undefined {
  return ban !== undefined && ban.untilMs > nowMs && ban.untilMs !== liftedUntilMs ? ban : undefined
}

/**
 * Whether a key is to be called banned. The counters do not believe a ban that began more than a day from now
 * (../../contract/limits.ts): a clock was wrong then. It can be lifted all the same, since the clock that is wrong may
 * be this one.
 */
export function isBanned(key: Key, nowMs: number): boolean {
  const ban = banOf(key, nowMs)
  return ban !== undefined && ban.atMs <= nowMs + DAY_MS
}
