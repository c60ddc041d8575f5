/**
 * When answers leave. All that are made in one turn of the event loop leave together at its end: a client on the same
 * machine, such as a proxy, is then woken once for many answers, and waking it costs more than making one of them
 * (docs/performance.md). A large answer leaves in a turn of its own, since writing it takes milliseconds, and many of
 * them in one turn would delay all other connections.
 */
export class Departures {
  #together: (() => void)[] = []
  readonly #alone: (() => void)[] = []

  add(leave: () => void): void {
    this.#together.push(leave)
    if (this.#together.length === 1) setImmediate(() => this.leave())
  }

  addLarge(leave: () => void): void {
    this.#alone.push(leave)
    if (this.#alone.length === 1) setImmediate(() => this.#leaveAlone())
  }

  /** Lets those leave that wait for the end of this turn. */
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
