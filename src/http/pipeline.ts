/**
 * Requests on one connection are done one after the other (O23, RFC 9112 9.3.2): one that arrives while the response
 * before it has not left waits, and nothing is done for it. Node keeps the order: a response has no socket until its
 * turn comes.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Node parses whatever one read brings (64 KiB), so a few connections can make many requests wait: about 3 KB each. */
const MAX_WAITING = 10_000

export class Pipeline {
  #waiting = 0
  /** How many requests wait on each connection. */
  readonly #waitingOn = new WeakMap<Socket, number>()

  /** Whether requests wait on the connection for their turn. */
  hasWaiting(socket: Socket): boolean {
    return (this.#waitingOn.get(socket) ?? 0) > 0
  }

  /** Calls `begin` when the responses before this one have left, or never when the connection ends first. */
  wait(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req
    if (this.#waiting >= MAX_WAITING) {
      socket.destroy()
      return
    }
    this.#waiting += 1
    const before = this.#waitingOn.get(socket)
    if (before === undefined) {
      socket.once('close', () => {
        this.#waiting -= this.#waitingOn.get(socket) ?? 0
        this.#waitingOn.set(socket, 0)
      })
    }
    this.#waitingOn.set(socket, (before ?? 0) + 1)
    // No more is read meanwhile. A request that waits has no need of its body yet.
    socket.pause()
    response.once('socket', () =>
      // In a turn of its own, so that a long queue does not keep other connections waiting.
      setImmediate(() => {
        if (socket.destroyed) return
        const left = (this.#waitingOn.get(socket) ?? 1) - 1
        this.#waiting -= 1
        this.#waitingOn.set(socket, left)
        if (left === 0) socket.resume()
        begin()
      }),
    )
  }
}
