/** How late the event loop runs. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** The monitor records whole intervals, this long where nothing is late. */
const RESOLUTION_MS = 20

export class LoopDelay {
  readonly #monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

  start(): void {
    this.#monitor.enable()
  }

  stop(): void {
    this.#monitor.disable()
  }

  /** The lateness in ms that the share `q` (0 to 1) did not exceed since the last `reset`. */
  quantileMs(q: number): number {
    return Math.max(0, this.#monitor.percentile(q * 100) / 1e6 - RESOLUTION_MS)
  }

  reset(): void {
    this.#monitor.reset()
  }
}
