/** The clock as a parameter, so that tests can set the time, and what waits on it. */

/** The clock as a parameter, so that tests can set the time. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /**
   * Milliseconds since any instant, which go on evenly when the clock is set. All waits go by it; without it, they go
   * by `now`.
   */
  elapsed?(): number
  /** Runs `task` once after `ms` milliseconds. The returned function cancels it. */
  after(ms: number, task: () => void): () => void
}

/** The longest that a timer of the platform can run, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The platform's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/** Where a wait begins and ends: never back, whoever sets the clock. Milliseconds. */
export function elapsedMs(clock: Clock): number {
  return clock.elapsed?.() ?? clock.now()
}

/** Resolves after `ms`. Rejects with the signal's reason if the signal is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const cancel = clock.after(ms, () => {
      forget()
      resolve()
    })
    const forget = onAbort(signal, () => {
      cancel()
      forget()
      reject(signal?.reason)
    })
  })
}

/** What is to be done when a signal is aborted. */
class Tasks extends Set<() => void> {
  handleEvent(): void {
    for (const task of [...this]) task()
  }
}

/**
 * One listener for each signal, however many calls share it: platforms take a growing number of listeners for a leak,
 * and warn of it.
 */
const tasksOf = new WeakMap<AbortSignal, Tasks>()

/** Runs `task` when the signal is aborted from now on. The returned function forgets the task. */
export function onAbort(signal: AbortSignal | undefined, task: () => void): () => void {
  if (signal === undefined) return () => {}
  const tasks = tasksOf.get(signal) ?? new Tasks()
  tasksOf.set(signal, tasks.add(task))
  // A listener that is there already is not added again.
  signal.addEventListener('abort', tasks)
  return () => {
    tasks.delete(task)
    if (tasks.size === 0) signal.removeEventListener('abort', tasks)
  }
}
