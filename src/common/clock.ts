/**
 * Time as a parameter: the time of day, durations and timers. Tests pass a clock that they move themselves. Only the
 * code that starts a process or a thread uses the system's clock (system-clock.ts).
 */

export interface Clock {
  /** Unix ms. Someone can set the time, also back, and it continues while the machine sleeps. */
  readonly now: () => number
  /** Ms since an arbitrary instant. It never steps, and might stop while the machine sleeps. */
  readonly monotonic: () => number
  /** Calls `task` once, `ms` from now by the monotonic time. */
  readonly after: (ms: number, task: () => void) => Timer
  /** Calls `task` every `ms`. */
  readonly every: (ms: number, task: () => void) => Timer
  /** Cancels a timer; does nothing if it has fired or is undefined. */
  readonly cancel: (timer: Timer | undefined) => void
}

/** Keeps the process running unless `unref` is called. */
export interface Timer {
  /** Lets the process end before the timer fires. */
  unref(): Timer
}

/** Resolves `ms` later, and keeps the process running until then. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve)
  })
}

/** The result of `work`, or that of `onLate` if it takes longer than `ms`; the work itself continues. */
export function within<T>(clock: Clock, ms: number, work: Promise<T>, onLate: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => void Promise.try(onLate).then(resolve, reject))
    work.then(resolve, reject).finally(() => clock.cancel(timer))
  })
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
