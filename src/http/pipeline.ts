/**
 * Processes the requests of one connection in order (O23, RFC 9112 9.3.2): one that arrives before the previous
 * response has been sent waits, and no work is done for it. Node keeps the order: a response has no socket until it is
 * its turn.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Node parses everything that one read returns (64 KiB), so few connections can make many requests wait: about 3 KB
 * each.
 */
const MAX_WAITING = 10_000

/** The number of requests waiting on the connection. */
const WAITING = Symbol('waiting')

interface PipelinedSocket extends Socket {
  [WAITING]?: number
}

export class Pipeline {
  #waiting = 0

  /** Calls `begin` when the previous responses have been sent, or never if the connection ends first. */
  wait(response: ServerResponse, begin: () => void): void {
    const socket: PipelinedSocket = response.req.socket
    if (this.#waiting >= MAX_WAITING) {
      socket.destroy()
      return
    }
    this.#waiting += 1
    if (socket[WAITING] === undefined) {
      socket.once('close', () => {
        this.#waiting -= socket[WAITING] ?? 0
        socket[WAITING] = 0
      })
    }
    socket[WAITING] = (socket[WAITING] ?? 0) + 1
    // Stop reading. A waiting request does not need its body yet.
    socket.pause()
    response.once('socket', () =>
      // In a turn of its own, so that a long queue does not delay other connections.
      setImmediate(() => {
        if (socket.destroyed) return
        this.#waiting -= 1
        socket[WAITING] = (socket[WAITING] ?? 1) - 1
        if (socket[WAITING] === 0) socket.resume()
        begin()
      }),
    )
  }
}
