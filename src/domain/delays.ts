/**
 * The delay that grows with wrong guesses, by account or by address. An attempt counts as wrong from its beginning until it turns
 * out right, so that many at once gain nothing. Counts live in memory, and their number is bounded: when there are too many,
 * those with the fewest failures go first, so that a flood of new names does not free the one that is being guessed.
 */
import type { Clock } from '../common/clock.ts'

const MOST_DELAY_MS = 300_000
const FORGOTTEN_AFTER_MS = 3_600_000
const MOST_SUBJECTS = 10_000

interface Failures {
  count: number
  lastMs: number
}

export class Delays {
  readonly #clock: Clock
  /** So many failures are free; the next one costs a second, and each one after it twice as long as the last. */
  readonly #free: number
  readonly #failures = new Map<string, Failures>()

  constructor(clock: Clock, free: number) {
    this.#clock = clock
    this.#free = free
  }

  /** How long the subject still has to wait, in ms; 0 if it need not. */
  wait(subject: string): number {
    const failures = this.#failures.get(subject)
    if (failures === undefined || failures.count <= this.#free) return 0
    const delayMs = Math.min(1_000 * 2 ** (failures.count - this.#free - 1), MOST_DELAY_MS)
    // A clock that steps back prolongs nothing.
    return Math.min(Math.max(failures.lastMs + delayMs - this.#clock(), 0), delayMs)
  }

  /** Counts an attempt as a failure. */
  begin(subject: string): void {
    const nowMs = this.#clock()
    const failures = this.#failures.get(subject)
    if (failures !== undefined && nowMs - failures.lastMs < FORGOTTEN_AFTER_MS) {
      failures.count += 1
      failures.lastMs = nowMs
      return
    }
    if (failures === undefined && this.#failures.size >= MOST_SUBJECTS) this.#makeRoom(nowMs)
    this.#failures.set(subject, { count: 1, lastMs: nowMs })
  }

  /** The attempt was right, or was not judged. */
  takeBack(subject: string): void {
    const failures = this.#failures.get(subject)
    if (failures === undefined) return
    failures.count -= 1
    if (failures.count <= 0) this.#failures.delete(subject)
  }

  forget(subject: string): void {
    this.#failures.delete(subject)
  }

  #makeRoom(nowMs: number): void {
    let least: readonly [string, Failures] | undefined
    for (const entry of this.#failures) {
      const [subject, { count, lastMs }] = entry
      if (nowMs - lastMs >= FORGOTTEN_AFTER_MS) this.#failures.delete(subject)
      else if (least === undefined || count < least[1].count) least = entry
    }
    if (this.#failures.size >= MOST_SUBJECTS && least !== undefined) this.#failures.delete(least[0])
  }
}
