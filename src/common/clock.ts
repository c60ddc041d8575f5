/**
 * Time as a parameter: the time of day, how long something took, and what is to happen later. Tests pass a clock that
 * they move themselves; only what starts a process or a thread takes that of the system (system-clock.ts).
 */

export interface Clock {
  /** Unix ms. It may be set, also back, and goes on while the machine sleeps. */
  readonly now: () => number
  /** Ms since some instant. It never steps, and may stand still while the machine sleeps. */
  readonly monotonic: () => number
  /** Calls `task` once, `ms` from now by the monotonic time. */
  readonly after: (ms: number, task: () => void) => Timer
  /** Calls `task` again and again, each time `ms` later. */
  readonly every: (ms: number, task: () => void) => Timer
  /** Cancels a timer; does nothing if it has fired or is undefined. */
  readonly cancel: (timer: Timer | undefined) => void
}

/** Keeps the process running unless `unref` is called. */
export interface Timer {
  /** The process may end before it. */
  unref(): Timer
}

/** Resolves `ms` later, and keeps the process running until then. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve)
  })
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
