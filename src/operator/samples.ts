/** Samples of the service's performance for the dashboard, each over the last five seconds. */
import type { Clock, Timer } from '../common/clock.ts'
import { DURATION_BUCKETS_S, type Metrics } from '../http/metrics.ts'
import type { Store } from '../store/store.ts'
import type { Sample } from './dashboard-data.ts'
import { EventLoopDelay } from './event-loop-delay.ts'

const SAMPLE_EVERY_MS = 5_000

interface SamplerOptions {
  readonly metrics: Metrics
  readonly store: { readonly commits: Store['commits'] }
  readonly clock: Clock
}

/** Cumulative counters at one instant. */
interface Totals {
  readonly atMs: number
  readonly durations: readonly number[]
  readonly commits: number
}

export class Sampler {
  /** Undefined before the first one. */
  latest: Sample | undefined
  readonly #options: SamplerOptions
  readonly #delay: EventLoopDelay
  #last: Totals
  #timer: Timer | undefined

  constructor(options: SamplerOptions) {
    this.#options = options
    this.#delay = new EventLoopDelay(options.clock)
    this.#last = this.#totals()
  }

  start(): void {
    this.#delay.start()
    this.#timer = this.#options.clock.every(SAMPLE_EVERY_MS, () => this.sample()).unref()
  }

  stop(): void {
    this.#options.clock.cancel(this.#timer)
    this.#delay.stop()
  }

  /** Takes one sample; does nothing if no time has passed since the previous one. */
  sample(): void {
    const loopDelayMs = this.#delay.quantileMs(0.99)
    this.#delay.reset()
    const before = this.#last
    const now = this.#totals()
    this.#last = now
    const seconds = (now.atMs - before.atMs) / 1000
    if (seconds <= 0) return
    const durations = now.durations.map((n, index) => n - (before.durations[index] ?? 0))
    this.latest = {
      p50Ms: quantileMs(durations, 0.5),
      p99Ms: quantileMs(durations, 0.99),
      commits: (now.commits - before.commits) / seconds,
      loopDelayMs,
      rssBytes: residentBytes() ?? this.latest?.rssBytes ?? 0,
    }
  }

  #totals(): Totals {
    const { metrics, store, clock } = this.#options
    const durations = Array<number>(DURATION_BUCKETS_S.length + 1).fill(0)
    for (const [operation, { buckets }] of metrics.operations) {
      // Pages are files; their speed says nothing about the interface.
      if (operation === 'page') continue
      for (const [index, n] of buckets.entries()) durations[index] = (durations[index] ?? 0) + n
    }
    return { atMs: clock.now(), durations, commits: store.commits.count }
  }
}

/** Undefined where no file can be opened to read it. */
function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss()
  } catch {
    return undefined
  }
}

/**
 * The duration that the share `q` of requests did not exceed, in ms, from counts by bucket. Within a bucket requests
 * are assumed to be spread evenly. Undefined without requests; the last bound if the result is above every bound.
 */
export function quantileMs(counts: readonly number[], q: number): number | undefined {
  const total = counts.reduce((sum, n) => sum + n, 0)
  if (total === 0) return undefined
  let below = 0
  for (const [index, upperS] of DURATION_BUCKETS_S.entries()) {
    const n = counts[index] ?? 0
    if (n > 0 && below + n >= q * total) {
      const lowerS = DURATION_BUCKETS_S[index - 1] ?? 0
      return 1000 * (lowerS + ((upperS - lowerS) * (q * total - below)) / n)
    }
    below += n
  }
  return 1000 * (DURATION_BUCKETS_S.at(-1) ?? 0)
}
