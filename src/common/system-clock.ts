/** The clock of the system, for what starts a process or a thread, which passes it on. */
import type { Clock } from './clock.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, task) => setTimeout(task, ms),
  every: (ms, task) => setInterval(task, ms),
  cancel: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
}
