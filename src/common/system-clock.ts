/** The system's clock, used only where a process or thread starts. */
import type { Clock, Timer } from './clock.ts'

/** After a suspension, timers fire before arrived data is read. Each task waits for the read, so no data is late. */
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
