/**
 * What the process keeps in memory for clients that are slow: bodies that are still arriving and large answers that are
 * not read. One valid key could otherwise fill the memory by sizes times connections (O19).
 */

export class Held {
  readonly #limit: number
  #bytes = 0

  /** `limit` in bytes, over all connections. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when there is no room. What is larger than the limit has room while nothing else is held. */
  take(bytes: number): boolean {
    if (this.#bytes > 0 && this.#bytes + bytes > this.#limit) return false
    this.#bytes += bytes
    return true
  }

  give(bytes: number): void {
    this.#bytes -= bytes
  }
}
