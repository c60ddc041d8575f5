/** Limits log lines that anyone can cause: so many a minute, and the next one reports how many were omitted. */
import type { Logger } from 'pino'
import { type Clock, MINUTE_MS } from '../../common/clock.ts'

const LINES_A_MINUTE = 20

export type WriteLine = (level: 'warn' | 'error', fields: Readonly<Record<string, unknown>>, message: string) => void

export function throttledLog(clock: Clock, log: Logger): WriteLine {
  let minute = Number.NaN
  let lines = 0
  let leftOut = 0
  return (level, fields, message) => {
    const now = Math.floor(clock.now() / MINUTE_MS)
    if (now !== minute) [minute, lines] = [now, 0]
    if (lines >= LINES_A_MINUTE) {
      leftOut += 1
      return
    }
    lines += 1
    log[level]({ ...fields, ...(leftOut > 0 && { leftOut }) }, message)
    leftOut = 0
  }
}
