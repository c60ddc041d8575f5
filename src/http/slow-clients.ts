/**
 * Bounds on slow clients (O19): memory for bodies that are still arriving and responses that are not read, and a
 * timeout for connections that read nothing.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock, Timer } from '../common/clock.ts'

/** Bytes over all connections. One key or address may have a share; only who exceeds it is refused. */
export class MemoryBudget {
  readonly #limit: number
  readonly #limitOfOne: number
  #bytes = 0
  /** Bytes reserved by each key and address. */
  readonly #bytesByOwner = new Map<string, number>()

  /** `share` is the part of `limit` that one owner may have. */
  constructor(limit: number, share = 1) {
    this.#limit = limit
    this.#limitOfOne = limit * share
  }

  /**
   * Reserves bytes for all of the owners; the result releases them, and is to be called once. Undefined if that exceeds
   * a limit. Something larger than a limit is admitted while nothing else counts against that limit.
   */
  reserve(bytes: number, ...owners: readonly string[]): (() => void) | undefined {
    if (this.#bytes > 0 && this.#bytes + bytes > this.#limit) return undefined
    for (const owner of owners) {
      const used = this.#bytesByOwner.get(owner)
      if (used !== undefined && used + bytes > this.#limitOfOne) return undefined
    }
    this.#add(bytes, owners)
    return () => this.#add(-bytes, owners)
  }

  #add(bytes: number, owners: readonly string[]): void {
    this.#bytes += bytes
    for (const owner of owners) {
      const used = (this.#bytesByOwner.get(owner) ?? 0) + bytes
      if (used === 0) this.#bytesByOwner.delete(owner)
      else this.#bytesByOwner.set(owner, used)
    }
  }
}

/** Calls `release` once the response was sent or its connection has ended, which it may have before there is an answer. */
export function whenClosed(response: ServerResponse, release: () => void): void {
  if (response.closed) release()
  else response.once('close', release)
}

/** How often within the timeout each peer is checked, and so how exact the timeout is. */
const CHECKS_PER_TIMEOUT = 60

interface SendProgress {
  /** Bytes that the operating system has accepted. */
  sentBytes: number
  /** When they were last seen to increase, by the monotonic clock. */
  sinceMs: number
}

/** Members of node's handle of a socket that are not in its types. */
interface Handle {
  readonly bytesWritten: number
  /** Of those, the bytes that the operating system has not accepted yet. */
  readonly writeQueueSize: number
}

/**
 * Disconnects peers that read no byte of their responses for a time, even while they send requests. The timeout of a
 * node socket is of no use here: any activity restarts it.
 */
export class SendTimeout {
  readonly #timeoutMs: number
  readonly #clock: Clock
  readonly #peers = new Map<Socket, SendProgress>()
  #timer: Timer | undefined

  constructor(timeoutMs: number, clock: Clock) {
    this.#timeoutMs = timeoutMs
    this.#clock = clock
  }

  /** To be called when a response to the peer could not be sent at once. */
  watch(socket: Socket): void {
    if (this.#peers.has(socket)) return
    this.#peers.set(socket, { sentBytes: bytesSent(socket), sinceMs: this.#clock.monotonic() })
    this.#timer ??= this.#clock.every(this.#timeoutMs / CHECKS_PER_TIMEOUT, () => this.#check()).unref()
  }

  /** Destroys the connections whose timeout is over. */
  #check(): void {
    const nowMs = this.#clock.monotonic()
    for (const [socket, progress] of this.#peers) {
      const sentBytes = bytesSent(socket)
      if (socket.destroyed || socket.writableLength === 0) this.#peers.delete(socket)
      else if (sentBytes > progress.sentBytes) Object.assign(progress, { sentBytes, sinceMs: nowMs })
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
