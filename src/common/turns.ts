/**
 * Work that takes milliseconds, each in a turn of the event loop of its own: in one turn, many of them would keep all
 * connections waiting that have little to ask.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []

  /** Calls `begin` in the first turn that no other has. */
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
