/** The system's clock, used only where a process or a thread starts, and passed on from there. */
import type { Clock, Timer } from './clock.ts'

/**
 * Where the process was held up, as by a machine that was suspended, what is due is called before what arrived meanwhile
 * is read. So each task waits for that: an answer that has come is not taken for one that is late.
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
