/**
 * What slow clients may cost (O19): a bound in bytes on bodies that are still arriving and responses that are not read,
 * and a bound in time on connections that read nothing.
 */
import type { Socket } from 'node:net'
import type { Clock, Timer } from '../common/clock.ts'

/** Bytes over all connections, of which a key or an address may hold a part: who goes beyond it is refused alone. */
export class MemoryBudget {
  readonly #limit: number
  readonly #limitOfOne: number
  #bytes = 0
  /** What each key and address holds at the moment. */
  readonly #bytesByOwner = new Map<string, number>()

  /** `share` is the part of `limit` that one holder may have. */
  constructor(limit: number, share = 1) {
    this.#limit = limit
    this.#limitOfOne = limit * share
  }

  /**
   * Takes room for all of the holders; what it returns gives it back, and is to be called once. Undefined if there is
   * no room. Something larger than a limit has room while nothing else counts against that limit.
   */
  reserve(bytes: number, ...holders: readonly string[]): (() => void) | undefined {
    if (this.#bytes > 0 && this.#bytes + bytes > this.#limit) return undefined
    for (const holder of holders) {
      const held = this.#bytesByOwner.get(holder)
      if (held !== undefined && held + bytes > this.#limitOfOne) return undefined
    }
    this.#add(bytes, holders)
    return () => this.#add(-bytes, holders)
  }

  #add(bytes: number, holders: readonly string[]): void {
    this.#bytes += bytes
    for (const holder of holders) {
      const held = (this.#bytesByOwner.get(holder) ?? 0) + bytes
      if (held === 0) this.#bytesByOwner.delete(holder)
      else this.#bytesByOwner.set(holder, held)
    }
  }
}

/** How often in that time each peer is looked at, and so how exact the time is. */
const CHECKS_PER_TIMEOUT = 60

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

/**
 * Disconnects peers that take no byte of their responses for a time, even while they send requests. The timeout of a
 * node socket does not serve: it starts again whenever the queue became shorter.
 */
export class SendTimeout {
  readonly #timeoutMs: number
  readonly #clock: Clock
  readonly #peers = new Map<Socket, Progress>()
  #timer: Timer | undefined

  constructor(patienceMs: number, clock: Clock) {
    this.#timeoutMs = patienceMs
    this.#clock = clock
  }

  /** To be called when a response to the peer could not be sent at once. */
  watch(socket: Socket): void {
    if (this.#peers.has(socket)) return
    this.#peers.set(socket, { taken: bytesSent(socket), sinceMs: this.#clock.monotonic() })
    this.#timer ??= this.#clock.every(this.#timeoutMs / CHECKS_PER_TIMEOUT, () => this.#check()).unref()
  }

  /** Cuts those whose time is over. */
  #check(): void {
    const nowMs = this.#clock.monotonic()
    for (const [socket, progress] of this.#peers) {
      const taken = bytesSent(socket)
      if (socket.destroyed || socket.writableLength === 0) this.#peers.delete(socket)
      else if (taken > progress.taken) Object.assign(progress, { taken, sinceMs: nowMs })
      else if (nowMs - progress.sinceMs >= this.#timeoutMs) socket.destroy()
    }
    if (this.#peers.size > 0) return
    this.#clock.cancel(this.#timer)
    this.#timer = undefined
  }
}

function bytesSent(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { readonly _handle: Handle | null }
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize
}
