/**
 * Protects others from an address that sends thousands of chunks or pipelined requests (O22). One read of 64 KiB can
 * take HTTP's parser 20 ms, so the address is parsed in slices for a while, one in each turn of the event loop.
 */
import type { Socket } from 'node:net'
import { type Clock, MINUTE_MS } from '../common/clock.ts'
import { turnQueue } from '../common/turn-queue.ts'
import { addressBucket } from '../domain/access.ts'

const SLICE_BYTES = 1_024
const FLOOD_MS = MINUTE_MS
/** Of connections that wait with more than a slice, up to two reads each. More are closed. */
const MOST_WAITING = 128
/** Beyond it all are forgotten: one client can have many addresses. */
const MOST_ADDRESSES = 10_000

/** Stops reading from the connection; the result continues. */
export function holdReading(socket: Socket): () => void {
  // Node continues by itself when a request is complete, or when the stream of a body has room.
  const hold = () => socket.pause()
  socket.on('resume', hold)
  hold()
  return () => {
    socket.off('resume', hold)
    socket.resume()
  }
}

export class Floods {
  readonly #clock: Clock
  readonly #sockets: ReadonlySet<Socket>
  readonly #untilMs = new Map<string, number>()
  readonly #sliced = new WeakSet<Socket>()
  readonly #inTurn = turnQueue()
  #waiting = 0

  /** `sockets` are the connections that speak HTTP. */
  constructor(clock: Clock, sockets: ReadonlySet<Socket>) {
    this.#clock = clock
    this.#sockets = sockets
  }

  /** Call this after node's own listener has taken the connection. */
  onConnection(socket: Socket): void {
    if (this.#untilMs.size === 0) return
    const untilMs = this.#untilMs.get(addressOf(socket))
    if (untilMs !== undefined && untilMs > this.#clock.monotonic()) this.#slice(socket)
  }

  /** Slices all connections of this one's address. */
  note(socket: Socket): void {
    const address = addressOf(socket)
    const nowMs = this.#clock.monotonic()
    for (const [each, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(each)
    if (this.#untilMs.size >= MOST_ADDRESSES) this.#untilMs.clear()
    this.#untilMs.set(address, nowMs + FLOOD_MS)
    for (const each of this.#sockets) if (addressOf(each) === address) this.#slice(each)
  }

  /** To be called when HTTP's parser gets no more of the connection. */
  leave(socket: Socket): void {
    this.#sliced.add(socket)
  }

  #slice(socket: Socket): void {
    if (this.#sliced.has(socket)) return
    this.#sliced.add(socket)
    const parsers = socket.listeners('data')
    socket.removeAllListeners('data')
    let isItsTurn = false
    // With another listener, node's parser no longer reads past the stream.
    socket.on('data', (bytes: NonSharedBuffer) => {
      if (this.#waiting >= MOST_WAITING && bytes.length > SLICE_BYTES) {
        socket.destroy()
        return
      }
      const readOn = holdReading(socket)
      // Until it drains, node has stopped reading too, and fails if it gets anything.
      const parsed = isItsTurn && !socket.writableNeedDrain ? Math.min(SLICE_BYTES, bytes.length) : 0
      if (parsed < bytes.length) socket.unshift(bytes.subarray(parsed))
      if (parsed > 0) for (const parse of parsers) parse.call(socket, bytes.subarray(0, parsed))
      isItsTurn = false
      this.#waiting += 1
      this.#inTurn(() => {
        this.#waiting -= 1
        isItsTurn = true
        if (socket.writableNeedDrain) socket.once('drain', readOn)
        else readOn()
      })
    })
  }
}

function addressOf({ remoteAddress = '' }: Socket): string {
  return addressBucket(remoteAddress)
}
