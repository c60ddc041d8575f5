/**
 * Bounds the share of one core that work takes which is never urgent and never done. What was not used is saved for
 * some time, so that work which is seldom asked for is done at once.
 */
const SHARE = 0.02
const MOST_SAVED_MS = 250

export class Pace {
  #savedMs = MOST_SAVED_MS
  #atMs: number

  /** By the monotonic time. */
  constructor(nowMs: number) {
    this.#atMs = nowMs
  }

  /** The processor was busy for so long since the last call; returns how long to rest now. */
  rest(busyMs: number, nowMs: number): number {
    this.#savedMs = Math.min(MOST_SAVED_MS, this.#savedMs + (nowMs - this.#atMs) * SHARE) - busyMs
    this.#atMs = nowMs
    return Math.max(0, -this.#savedMs / SHARE)
  }
}
