/**
 * Delays sign-in after wrong passphrases, by name and address or by address alone. An attempt counts as a failure until
 * it succeeds. Of too many, those with the fewest failures are dropped, so that new names do not reset an attacked one.
 */
import { type Clock, HOUR_MS } from '../common/clock.ts'

const MAX_DELAY_MS = 300_000
const FORGOTTEN_AFTER_MS = HOUR_MS
const MAX_SUBJECTS = 10_000

interface Failures {
  count: number
  lastMs: number
}

export class Delays {
  readonly #clock: Clock
  /** The number of failures without a delay. The next delays by one second, and each further one doubles the delay. */
  readonly #free: number
  readonly #failures = new Map<string, Failures>()

  constructor(clock: Clock, free: number) {
    this.#clock = clock
    this.#free = free
  }

  get size(): number {
    return this.#failures.size
  }

  /** The time in ms that the subject must wait; 0 if none. */
  wait(subject: string): number {
    const failures = this.#failures.get(subject)
    if (failures === undefined || failures.count <= this.#free) return 0
    const delayMs = Math.min(1_000 * 2 ** (failures.count - this.#free - 1), MAX_DELAY_MS)
    const nowMs = this.#clock.now()
    // If the clock was ahead before, the delay begins now.
    failures.lastMs = Math.min(failures.lastMs, nowMs)
    return Math.max(failures.lastMs + delayMs - nowMs, 0)
  }

  /** Counts an attempt as a failure. Call the result to undo this, if the attempt succeeded or was not checked. */
  begin(subject: string): () => void {
    const nowMs = this.#clock.now()
    const previous = this.#failures.get(subject)
    const isFresh = previous !== undefined && nowMs - previous.lastMs < FORGOTTEN_AFTER_MS
    if (previous === undefined && this.#failures.size >= MAX_SUBJECTS) this.#makeRoom(nowMs)
    const failures = isFresh ? previous : { count: 0, lastMs: nowMs }
    this.#failures.set(subject, failures)
    const beforeMs = failures.lastMs
    failures.count += 1
    failures.lastMs = nowMs
    return () => {
      failures.count -= 1
      if (failures.lastMs === nowMs) failures.lastMs = beforeMs
      if (failures.count <= 0 && this.#failures.get(subject) === failures) this.#failures.delete(subject)
    }
  }

  #makeRoom(nowMs: number): void {
    let least: readonly [string, Failures] | undefined
    for (const entry of this.#failures) {
      const [subject, { count, lastMs }] = entry
      if (nowMs - lastMs >= FORGOTTEN_AFTER_MS) this.#failures.delete(subject)
      else if (least === undefined || count < least[1].count) least = entry
    }
    if (this.#failures.size >= MAX_SUBJECTS && least !== undefined) this.#failures.delete(least[0])
  }
}
