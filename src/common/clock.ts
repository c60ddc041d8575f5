/** Time as a parameter: tests pass a clock that they move themselves. */

export interface Clock {
  /** Unix ms. This time can be set back, and continues while the machine sleeps. */
  readonly now: () => number
  /** Ms since an arbitrary instant. It never steps, and can stop while the machine sleeps. */
  readonly monotonic: () => number
  readonly after: (ms: number, task: () => void) => Timer
  readonly every: (ms: number, task: () => void) => Timer
  /** Does nothing if the timer has fired or is undefined. */
  readonly cancel: (timer: Timer | undefined) => void
}

export interface Timer {
  /** Lets the process end before the timer fires. */
  unref(): Timer
}

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve)
  })
}

/** The result of `work`, or of `onLate` after `ms`. The work itself continues. */
export function within<T>(clock: Clock, ms: number, work: Promise<T>, onLate: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => void Promise.try(onLate).then(resolve, reject))
    work.then(resolve, reject).finally(() => clock.cancel(timer))
  })
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
