/** The delay of the event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** The monitor records whole intervals; without delay they have this length. */
const RESOLUTION_MS = 20

export class LoopDelay {
  readonly #monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

  start(): void {
    this.#monitor.enable()
  }

  stop(): void {
    this.#monitor.disable()
  }

  /** The delay in ms that the share `q` (0 to 1) of intervals did not exceed since the last `reset`. */
  quantileMs(q: number): number {
    return Math.max(0, this.#monitor.percentile(q * 100) / 1e6 - RESOLUTION_MS)
  }

  reset(): void {
    this.#monitor.reset()
  }
}
