/**
 * Runs tasks that take milliseconds, each in a turn of the event loop of its own: many of them in one turn would delay
 * every other connection.
 */
export class TurnQueue {
  readonly #waiting: (() => void)[] = []

  /** Calls `begin` in the next turn that is free. */
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
