/** Clocks for tests that measure no wait. virtual-clock.ts has the other one. */
import type { Clock } from '../../../src/common/clock.ts'
import { systemClock } from '../../../src/common/system-clock.ts'

/** Time limits are many times as long. Shorter times are not limits. */
const SHORT_MS = 250
const PATIENCE = 10

/** The system's clock, by which no busy machine reaches a time limit. */
export const patientClock: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() / PATIENCE,
  after: (ms, task) => systemClock.after(ms < SHORT_MS ? ms : PATIENCE * ms, task),
}

/** The same with another time of day. */
export function clockAt(now: () => number): Clock {
  return { ...patientClock, now }
}
