/**
 * The service's numbers of the last hour, for the dashboard: one sample every few seconds, of what happened since the
 * previous one. The oldest samples are dropped, so memory is bounded.
 */
import { type Clock, HOUR_MS, type Timer } from '../common/clock.ts'
import { DURATION_BUCKETS_S, type Metrics } from '../http/metrics.ts'
import type { PetCounts, PetStore, Store } from '../store/store.ts'
import type { Sample } from './dashboard-data.ts'
import { LoopDelay } from './loop-delay.ts'

export const SAMPLE_EVERY_MS = 5_000
export const KEPT_MS = HOUR_MS

interface SamplerOptions {
  readonly metrics: Metrics
  readonly store: { readonly pets: Pick<PetStore, 'count'>; readonly commits: Store['commits'] }
  readonly clock: Clock
  readonly onSample: (sample: Sample) => void
}

/** Counts that only grow, at one instant. */
interface Totals {
  readonly atMs: number
  readonly requests: ReadonlyMap<string, number>
  readonly refused: ReadonlyMap<string, number>
  readonly durations: readonly number[]
  readonly commits: number
  readonly rows: number
}

export class Sampler {
  readonly #options: SamplerOptions
  readonly #samples: Sample[] = []
  readonly #delay: LoopDelay
  #last: Totals
  #timer: Timer | undefined

  constructor(options: SamplerOptions) {
    this.#options = options
    this.#delay = new LoopDelay(options.clock)
    this.#last = this.#totals()
  }

  /** Oldest first. */
  get samples(): readonly Sample[] {
    return this.#samples
  }

  start(): void {
    this.#delay.start()
    this.#timer = this.#options.clock.every(SAMPLE_EVERY_MS, () => void this.take()).unref()
  }

  stop(): void {
    this.#options.clock.cancel(this.#timer)
    this.#delay.stop()
  }

  /** Takes one sample; does nothing if no time has passed since the previous one. */
  async take(): Promise<void> {
    const { rss: rssBytes, heapUsed: heapBytes } = process.memoryUsage()
    const loopDelayMs = this.#delay.quantileMs(0.99)
    this.#delay.reset()
    const before = this.#last
    const now = this.#totals()
    this.#last = now
    const seconds = (now.atMs - before.atMs) / 1000
    if (seconds <= 0) {
      // The clock was set back: what it called later has not come yet.
      while ((this.#samples.at(-1)?.atMs ?? 0) >= now.atMs && this.#samples.length > 0) this.#samples.pop()
      return
    }
    // Last, since it may take time: everything else is of one instant.
    const animals = await this.#countAnimals()
    const durations = now.durations.map((n, index) => n - (before.durations[index] ?? 0))
    const commits = now.commits - before.commits
    const sample: Sample = {
      atMs: now.atMs,
      requests: rates(before.requests, now.requests, seconds),
      p50Ms: quantileMs(durations, 0.5),
      p99Ms: quantileMs(durations, 0.99),
      refused: rates(before.refused, now.refused, seconds),
      animals,
      commits: commits / seconds,
      rowsPerCommit: commits > 0 ? (now.rows - before.rows) / commits : undefined,
      loopDelayMs,
      rssBytes,
      heapBytes,
    }
    this.#samples.push(sample)
    while ((this.#samples[0]?.atMs ?? now.atMs) <= now.atMs - KEPT_MS) this.#samples.shift()
    this.#options.onSample(sample)
  }

  /** Undefined while the database does not answer. */
  async #countAnimals(): Promise<PetCounts | undefined> {
    try {
      return await this.#options.store.pets.count()
    } catch {
      return undefined
    }
  }

  #totals(): Totals {
    const { metrics, store, clock } = this.#options
    const requests = new Map<string, number>()
    const durations = Array<number>(DURATION_BUCKETS_S.length + 1).fill(0)
    for (const [operation, { statuses, buckets }] of metrics.operations) {
      for (const [status, n] of statuses) requests.set(`${operation} ${status}`, n)
      // Pages are files; their speed says nothing about the interface.
      if (operation === 'page') continue
      for (const [index, n] of buckets.entries()) durations[index] = (durations[index] ?? 0) + n
    }
    const refused = new Map([...metrics.plans].map(([plan, { refused }]) => [plan, refused]))
    const { count: commits, rows } = store.commits
    return { atMs: clock.now(), requests, refused, durations, commits, rows }
  }
}

/** The growth per second. */
function rates(before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>, seconds: number) {
  const grown = [...now].map(([name, n]): [string, number] => [name, (n - (before.get(name) ?? 0)) / seconds])
  return Object.fromEntries(grown.filter(([, rate]) => rate > 0))
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
