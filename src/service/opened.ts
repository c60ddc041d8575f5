/** What the service has opened, and the order in which it ends. */

type Close = () => Promise<void> | void

export interface Port {
  readonly close: Close
  /** What comes before, where another process listens on its socket next. */
  readonly part?: () => Promise<void>
}

export class Opened {
  readonly #data: Close[] = []
  readonly #ports: Port[] = []

  data(close: Close): void {
    this.#data.push(close)
  }

  port(port: Port): void {
    this.#ports.push(port)
  }

  /**
   * The newest first; but of ports that are handed on the public one, which is opened last, since its clients wait from
   * then on.
   */
  async stop(): Promise<void> {
    const ports = this.#ports.splice(0)
    const isHandedOn = ports.some(({ part }) => part !== undefined)
    await Promise.all(ports.map((port) => port.part?.()))
    for (const { close } of isHandedOn ? ports : ports.reverse()) await close()
    await this.abandon()
  }

  /** Closes the data alone. */
  async abandon(): Promise<void> {
    for (const close of this.#data.splice(0).reverse()) await close()
  }
}
