/**
 * Bounds the memory that slow clients use: bodies that are still arriving and large responses that are not read.
 * Without it one valid key could fill the memory with large bodies on many connections (O19).
 */

export class Held {
  readonly #limit: number
  #bytes = 0

  /** `limit` in bytes, over all connections. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** False if there is no room. Something larger than the limit has room only while nothing else is held. */
  take(bytes: number): boolean {
    if (this.#bytes > 0 && this.#bytes + bytes > this.#limit) return false
    this.#bytes += bytes
    return true
  }

  /** As `take`; what it returns gives the bytes back. */
  hold(bytes: number): (() => void) | undefined {
    return this.take(bytes) ? () => this.give(bytes) : undefined
  }

  give(bytes: number): void {
    this.#bytes -= bytes
  }
}
