/** The system's clock, used only where a process or a thread starts, and passed on from there. */
import type { Clock, Timer } from './clock.ts'

/**
 * After a suspended machine wakes up, Node calls due timers before it reads what has arrived. So each task waits for that
 * reading: a response that is already there must not count as late.
 */
class TimerAfterReading implements Timer {
  readonly #timer: NodeJS.Timeout
  #next: NodeJS.Immediate | undefined

  constructor(set: (task: () => void, ms: number) => NodeJS.Timeout, ms: number, task: () => void) {
    this.#timer = set(() => {
      this.#next = setImmediate(task)
    }, ms)
  }

  unref(): this {
    this.#timer.unref()
    return this
  }

  cancel(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#next)
  }
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, task) => new TimerAfterReading(setTimeout, ms, task),
  every: (ms, task) => new TimerAfterReading(setInterval, ms, task),
  cancel: (timer) => (timer as TimerAfterReading | undefined)?.cancel(),
}
