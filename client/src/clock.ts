/** The clock as a parameter, so that tests can set the time. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Runs `task` once after `ms` milliseconds. The returned function cancels it. */
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

/** Resolves after `ms`. Rejects with the signal's reason if the signal is aborted. */
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
