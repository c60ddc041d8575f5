/**
 * Disconnects peers that do not read (O19): those that take no byte of their responses for a time, even while they send
 * requests. The timeout of a node socket does not serve: it starts again whenever the queue became shorter.
 */
import type { Socket } from 'node:net'
import type { Clock, Timer } from '../common/clock.ts'

/** How often in that time each peer is looked at, and so how exact the time is. */
const LOOKS = 60

interface Progress {
  /** Bytes that the system has taken. */
  taken: number
  /** When they were seen to become more, by the monotonic time. */
  sinceMs: number
}

/** What node has of a connection, beside what is in its types. */
interface Handle {
  readonly bytesWritten: number
  /** Of those, the bytes that the system has not taken yet. */
  readonly writeQueueSize: number
}

export class UnreadResponses {
  readonly #patienceMs: number
  readonly #clock: Clock
  readonly #peers = new Map<Socket, Progress>()
  #looking: Timer | undefined

  constructor(patienceMs: number, clock: Clock) {
    this.#patienceMs = patienceMs
    this.#clock = clock
  }

  /** To be called when a response to the peer could not be sent at once. */
  watch(socket: Socket): void {
    if (this.#peers.has(socket)) return
    this.#peers.set(socket, { taken: takenBy(socket), sinceMs: this.#clock.monotonic() })
    this.#looking ??= this.#clock.every(this.#patienceMs / LOOKS, () => this.#look()).unref()
  }

  /** Cuts those whose time is over. */
  #look(): void {
    const nowMs = this.#clock.monotonic()
    for (const [socket, progress] of this.#peers) {
      const taken = takenBy(socket)
      if (socket.destroyed || socket.writableLength === 0) this.#peers.delete(socket)
      else if (taken > progress.taken) Object.assign(progress, { taken, sinceMs: nowMs })
      else if (nowMs - progress.sinceMs >= this.#patienceMs) socket.destroy()
    }
    if (this.#peers.size > 0) return
    this.#clock.cancel(this.#looking)
    this.#looking = undefined
  }
}

function takenBy(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { readonly _handle: Handle | null }
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize
}
