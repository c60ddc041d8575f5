/**
 * Work that is done one piece a turn of the event loop. Handing a large answer to the system takes milliseconds, and many
 * that are asked for at once would keep all other connections waiting until the last of them has left.
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
