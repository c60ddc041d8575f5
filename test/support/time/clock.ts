/** Clocks that a test moves: only the time of day, or all of time, timers included. */
import type { Clock } from '../../../src/common/clock.ts'
import { systemClock } from '../../../src/common/system-clock.ts'

/** The system's, but for the time of day: `now` tells it, in Unix ms. */
export function clockAt(now: () => number): Clock {
  return { ...systemClock, now }
}

/**
 * For a store of which the test measures no wait: what it measures passes ten times as slowly, so that no machine is so
 * busy that a write is refused because it had to wait.
 */
export function withSlowTimeouts(clock: Clock): Clock {
  return { ...clock, monotonic: () => clock.monotonic() / 10 }
}

/** The same for a store whose waits for a server are timers: those of a quarter of a second and more. */
export function unhurried(clock: Clock): Clock {
  return { ...withSlowTimeouts(clock), after: (ms, task) => clock.after(ms < 250 ? ms : 10 * ms, task) }
}

/** The system's, for a store of which the test measures no wait. */
export const patientClock: Clock = unhurried(systemClock)
