/** Which ban holds, of what is noted with a key: every engine and every command reads it alike. */
import type { Ban, Key } from '../rows.ts'

/** The ban that a key is under, as far as it was noted; undefined when there is none. */
export function banOf({ ban, liftedUntilMs }: Key, nowMs: number): Ban | undefined {
  return ban !== undefined && ban.untilMs > nowMs && ban.untilMs !== liftedUntilMs ? ban : undefined
}
