/**
 * When answers leave. Those made in one turn of the event loop leave together, at its end or when they are many: a client on
 * the same machine, such as a proxy, is then woken once for many answers, and waking it costs more than making one of them
 * (docs/performance.md). A large answer leaves in a turn of its own, since writing it takes milliseconds, and many of them
 * in one turn would delay all other connections.
 */

/** More would be no faster, and what they keep alive makes V8 use 12 MiB more. */
const MOST_TOGETHER = 16

export class Departures {
  #together: (() => void)[] = []
  readonly #alone: (() => void)[] = []

  add(leave: () => void): void {
    this.#together.push(leave)
    if (this.#together.length === MOST_TOGETHER) this.leave()
    else if (this.#together.length === 1) setImmediate(() => this.leave())
  }

  addLarge(leave: () => void): void {
    this.#alone.push(leave)
    if (this.#alone.length === 1) setImmediate(() => this.#leaveAlone())
  }

  /** Lets those leave now that wait for the end of this turn. */
  leave(): void {
    const leaving = this.#together
    this.#together = []
    for (const leave of leaving) leave()
  }

  #leaveAlone(): void {
    const [leave] = this.#alone
    leave?.()
    this.#alone.shift()
    if (this.#alone.length > 0) setImmediate(() => this.#leaveAlone())
  }
}
