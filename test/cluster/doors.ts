/**
 * The network between the machines, as TCP proxies: a door has the address by which others know a service, and forwards
 * to where it listens. A door that is cut off lets nothing through in either direction and closes nothing, like a
 * network that drops all packets; what was sent in the meantime arrives when the fault is lifted. A slow door delays
 * each piece.
 */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Address {
  readonly host: string
  readonly port: number
}

export class Door {
  readonly #server: Server
  readonly #to: Address
  readonly #sockets = new Set<Socket>()
  #isCut = false
  #delayMs = 0
  readonly #cutSources = new Set<string>()
  #changed = Promise.withResolvers<void>()

  private constructor(to: Address) {
    this.#to = to
    this.#server = createServer({ allowHalfOpen: true }, (client) => void this.#lead(client))
  }

  static async open(at: Address, to: Address): Promise<Door> {
    const door = new Door(to)
    door.#server.listen(at.port, at.host)
    await once(door.#server, 'listening')
    return door
  }

  cut(): void {
    this.#isCut = true
  }

  /** Cuts off only the callers from this address. */
  cutFrom(source: string): void {
    this.#cutSources.add(source)
  }

  slow(delayMs: number): void {
    this.#delayMs = delayMs
  }

  /** Ends what `cutFrom` began. */
  allow(source: string): void {
    this.#cutSources.delete(source)
    this.#wake()
  }

  /** Ends what `cut` and `slow` began. */
  heal(): void {
    this.#isCut = false
    this.#delayMs = 0
    this.#wake()
  }

  #wake(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    this.heal()
  }

  async #lead(client: Socket): Promise<void> {
    const source = client.remoteAddress ?? ''
    this.#hold(client)
    await this.#passage(source)
    if (client.destroyed) return
    const upstream = connect({ ...this.#to, allowHalfOpen: true })
    this.#hold(upstream)
    await Promise.all([this.#carry(client, upstream, source), this.#carry(upstream, client, source)])
  }

  #hold(socket: Socket): void {
    this.#sockets.add(socket)
    // Whoever reads the connection sees that it is broken.
    socket.setNoDelay(true).on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
  }

  async #carry(from: Socket, to: Socket, source: string): Promise<void> {
    try {
      for await (const chunk of from) {
        await this.#passage(source)
        if (to.destroyed) break
        to.write(chunk)
      }
      await this.#passage(source)
      to.end()
    } catch {
      await this.#passage(source)
      to.destroy()
    }
  }

  async #passage(source: string): Promise<void> {
    if (this.#delayMs > 0) await sleep(this.#delayMs)
    while (this.#isCut || this.#cutSources.has(source)) await this.#changed.promise
  }
}
