/**
 * Runs tasks of some milliseconds, each in its own turn of the event loop. Many of them in one turn would delay all
 * other connections.
 */
export class TurnQueue {
  readonly #waiting: (() => void)[] = []

  /** Calls `begin` in the next free turn. */
  add(begin: () => void): void {
    this.#waiting.push(begin)
    if (this.#waiting.length === 1) setImmediate(() => this.#next())
  }

  #next(): void {
    const [begin] = this.#waiting
    begin?.()
    this.#waiting.shift()
    if (this.#waiting.length > 0) setImmediate(() => this.#next())
  }
}
