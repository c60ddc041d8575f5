/**
 * Event loop delay. node's monitor is a timer of 20 ms, which would wake an idle process fifty times a second, so it is
 * enabled only while the event loop is busy.
 */
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Clock, Timer } from '../common/clock.ts'

/** The monitor records whole intervals; without delay they have this length. */
const RESOLUTION_MS = 20
const LOOK_EVERY_MS = 500
/** Utilization above which the event loop counts as busy; the monitor itself needs less. */
const BUSY = 0.02

export class EventLoopDelay {
  readonly #clock: Clock
  readonly #monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  #utilization: EventLoopUtilization | undefined
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  start(): void {
    this.#timer = this.#clock.every(LOOK_EVERY_MS, () => this.#look()).unref()
  }

  stop(): void {
    this.#clock.cancel(this.#timer)
    this.#monitor.disable()
  }

  /** The delay in ms that the share `q` (0 to 1) of intervals did not exceed since the last `reset`. */
  quantileMs(q: number): number {
    return Math.max(0, this.#monitor.percentile(q * 100) / 1e6 - RESOLUTION_MS)
  }

  reset(): void {
    this.#monitor.reset()
  }

  #look(): void {
    const before = this.#utilization
    this.#utilization = performance.eventLoopUtilization()
    if (performance.eventLoopUtilization(this.#utilization, before).utilization > BUSY) this.#monitor.enable()
    else this.#monitor.disable()
  }
}
