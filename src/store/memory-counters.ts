/**
 * Counters in the memory of one process (O12-O15), written behind to a UsageStore at most 50 ms after a change: a clean
 * stop loses nothing, a crash loses what the last 50 ms counted. There is no eviction, which would forget an exhausted
 * day; a subject is dropped when its windows and its ban have passed, so memory follows the subjects that are active.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../common/clock.ts'
import {
  isSpent,
  type Limits,
  newUsage,
  peek,
  type Standing,
  take,
  type Usage,
  type Verdict,
} from '../contract/limits.ts'
import type { Counters, UsageStore } from './store.ts'

const SAVE_AFTER_MS = 50
const SWEEP_EVERY_MS = 60_000
/** At a stop, while another process writes to the database (an import, say), the last save is tried again this long. */
const CLOSE_PATIENCE_MS = 1_500

export class MemoryCounters implements Counters {
  readonly #clock: Clock
  readonly #saved: UsageStore | undefined
  readonly #usages: Map<string, Usage>
  readonly #changed = new Map<string, Usage>()
  readonly #spent = new Set<string>()
  readonly #sweeper: NodeJS.Timeout
  #saver: NodeJS.Timeout | undefined
  #trouble: string | undefined

  /** Without a UsageStore the counters live as long as the process. */
  constructor(clock: Clock, saved?: UsageStore) {
    this.#clock = clock
    this.#saved = saved
    this.#usages = new Map(saved?.load())
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_EVERY_MS)
    this.#sweeper.unref()
  }

  take(subject: string, limits: Limits): Verdict {
    const usage = this.#usage(subject)
    const verdict = take(usage, limits, this.#clock())
    if (verdict.admitted || limits.ban !== undefined) this.#noteChange(subject, usage)
    return verdict
  }

  peek(subject: string, limits: Limits): Standing {
    return peek(this.#usages.get(subject) ?? newUsage(), limits, this.#clock())
  }

  trouble(): string | undefined {
    return this.#trouble
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    clearTimeout(this.#saver)
    this.#sweep()
    const deadline = performance.now() + CLOSE_PATIENCE_MS
    this.#save()
    while (this.#trouble !== undefined && performance.now() < deadline) {
      clearTimeout(this.#saver)
      await sleep(SAVE_AFTER_MS)
      this.#save()
    }
    clearTimeout(this.#saver)
  }

  #usage(subject: string): Usage {
    let usage = this.#usages.get(subject)
    if (usage === undefined) {
      usage = newUsage()
      this.#usages.set(subject, usage)
    }
    return usage
  }

  #noteChange(subject: string, usage: Usage): void {
    if (this.#saved === undefined) return
    this.#changed.set(subject, usage)
    this.#spent.delete(subject)
    this.#saver ??= setTimeout(() => this.#save(), SAVE_AFTER_MS)
  }

  #sweep(): void {
    const nowMs = this.#clock()
    for (const [subject, usage] of this.#usages) {
      if (!isSpent(usage, nowMs)) continue
      this.#usages.delete(subject)
      this.#changed.delete(subject)
      if (this.#saved !== undefined) this.#spent.add(subject)
    }
    if (this.#spent.size > 0) this.#saver ??= setTimeout(() => this.#save(), SAVE_AFTER_MS)
  }

  /** A save that fails (a full disk, say) leaves the changes waiting for the next; counting goes on meanwhile. */
  #save(): void {
    this.#saver = undefined
    if (this.#saved === undefined || (this.#changed.size === 0 && this.#spent.size === 0)) return
    try {
      this.#saved.save(this.#changed, this.#spent)
      this.#changed.clear()
      this.#spent.clear()
      this.#trouble = undefined
    } catch (error) {
      this.#trouble = `counters cannot be saved at the moment: ${error instanceof Error ? error.message : String(error)}`
      this.#saver = setTimeout(() => this.#save(), 10 * SAVE_AFTER_MS)
    }
  }
}
