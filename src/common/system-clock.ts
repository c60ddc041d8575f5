/** The system's clock, used only where a process or a thread starts, and passed on from there. */
import type { Clock } from './clock.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, task) => setTimeout(task, ms),
  every: (ms, task) => setInterval(task, ms),
  cancel: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
}
