/**
 * Clocks for tests that measure no wait: the system's time, or a time of day that the test moves, by which nobody is too
 * busy. How long something waits is measured by a clock that passes when a test says so (virtual-clock.ts).
 */
import type { Clock } from '../../../src/common/clock.ts'
import { systemClock } from '../../../src/common/system-clock.ts'

/** Time limits are many times as long. What comes after less is none. */
const SHORT_MS = 250
const PATIENCE = 10

/** The system's, but that no machine is so busy that a store refuses what had to wait. */
export const patientClock: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() / PATIENCE,
  after: (ms, task) => systemClock.after(ms < SHORT_MS ? ms : PATIENCE * ms, task),
}

/** The same, but for the time of day: `now` tells it, in Unix ms. */
export function clockAt(now: () => number): Clock {
  return { ...patientClock, now }
}
