/** The time as it is passed in, so that tests set it. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Runs `task` once after so many milliseconds. What it returns keeps `task` from running. */
  after(ms: number, task: () => void): () => void
}

/** The longest that a timer of the platform can run, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The platform's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/** Ends after `ms`. Rejects with the signal's reason when that is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}
