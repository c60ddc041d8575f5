/**
 * Runs one piece of work per turn of the event loop. Writing a large response takes milliseconds, and many of them in
 * one turn would delay all other connections.
 */

export class Turns {
  readonly #waiting: (() => void)[] = []

  add(work: () => void): void {
    this.#waiting.push(work)
    if (this.#waiting.length === 1) setImmediate(() => this.#next())
  }

  #next(): void {
    const [work] = this.#waiting
    work?.()
    this.#waiting.shift()
    if (this.#waiting.length > 0) setImmediate(() => this.#next())
  }
}
