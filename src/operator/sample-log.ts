/**
 * Keeps the samples of the dashboard in the database, so that the hour before a restart can be seen after it: in one commit
 * about once a minute, and at a clean stop. What a crash loses is less than that.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../common/clock.ts'
import type { SampleStore, SavedSample } from '../store/samples.ts'
import type { Sample } from './dashboard-data.ts'
import { KEPT_MS, SAMPLE_EVERY_MS } from './samples.ts'

export const SAVE_EVERY_MS = 60_000
/** A database that does not answer must not hold up the end of the service. */
const STOP_PATIENCE_MS = 2_000

export interface SampleLogOptions {
  readonly store: SampleStore
  readonly clock: Clock
  /** Of all nodes on the database, the one whose samples these are. */
  readonly node: string
}

export class SampleLog {
  readonly #options: SampleLogOptions
  #unsaved: SavedSample[] = []
  #savedAtMs: number
  #saving: Promise<void> = Promise.resolve()

  constructor(options: SampleLogOptions) {
    this.#options = options
    this.#savedAtMs = options.clock()
  }

  /** Those of the last hour, oldest first; none while the database does not answer. */
  async load(): Promise<readonly Sample[]> {
    const { store, clock, node } = this.#options
    const nowMs = clock()
    try {
      const saved = await store.load(node, nowMs - KEPT_MS)
      return saved.filter(({ atMs }) => atMs <= nowMs).map(({ json }) => JSON.parse(json) as Sample)
    } catch {
      return []
    }
  }

  note(sample: Sample): void {
    this.#unsaved.push({ atMs: sample.atMs, json: JSON.stringify(sample) })
    if (Math.abs(sample.atMs - this.#savedAtMs) >= SAVE_EVERY_MS) void this.#save()
  }

  /** Saves the last ones. */
  async close(): Promise<void> {
    await Promise.race([this.#save(), sleep(STOP_PATIENCE_MS, undefined, { ref: false })])
  }

  #save(): Promise<void> {
    this.#savedAtMs = this.#options.clock()
    this.#saving = this.#saving.then(() => this.#write())
    return this.#saving
  }

  /** What cannot be saved is tried again with the next minute's, as far as it is of the last hour. */
  async #write(): Promise<void> {
    if (this.#unsaved.length === 0) return
    const { store, clock, node } = this.#options
    const samples = this.#unsaved
    this.#unsaved = []
    try {
      await store.save(node, samples, { nowMs: clock(), keptMs: KEPT_MS })
    } catch {
      this.#unsaved = [...samples, ...this.#unsaved].slice(-KEPT_MS / SAMPLE_EVERY_MS)
    }
  }
}
