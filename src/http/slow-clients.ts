/**
 * Bounds on slow clients (O19): memory for bodies that are still arriving and responses that are not read, and a
 * timeout for connections that read nothing.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock, Timer } from '../common/clock.ts'

/** Reserves bytes of a budget; see `memoryBudget`. */
export type Reserve = (bytes: number, ...owners: readonly string[]) => (() => void) | undefined

/**
 * A budget of bytes over all connections, of which one key or address may have a share: only who exceeds it is refused.
 * Bytes are reserved for all of the owners; the result releases them, and is to be called once. Undefined if that
 * exceeds a limit. Something larger than a limit is admitted while nothing else counts against that limit.
 */
export function memoryBudget(limit: number, share = 1): Reserve {
  let all = 0
  const byOwner = new Map<string, number>()
  const add = (bytes: number, owners: readonly string[]) => {
    all += bytes
    for (const owner of owners) {
      const used = (byOwner.get(owner) ?? 0) + bytes
      if (used === 0) byOwner.delete(owner)
      else byOwner.set(owner, used)
    }
  }
  return (bytes, ...owners) => {
    if (all > 0 && all + bytes > limit) return undefined
    for (const owner of owners) {
      const used = byOwner.get(owner)
      if (used !== undefined && used + bytes > limit * share) return undefined
    }
    add(bytes, owners)
    return () => add(-bytes, owners)
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

/**
 * Members of node's handle of a socket that are not in its types. Nothing public counts what the operating system has
 * accepted of one write: `bytesWritten` includes all of it, and `writableLength` until its end.
 */
interface Handle {
  readonly bytesWritten: number
  /** Of those, the bytes that the operating system has not accepted yet. */
  readonly writeQueueSize: number
}

/**
 * Disconnects peers that read no byte of their responses for a time, even while they send requests. The result is to be
 * called when a response to a peer could not be sent at once. The timeout of a node socket is of no use here: any
 * activity restarts it.
 */
export function sendTimeout(timeoutMs: number, clock: Clock): (socket: Socket) => void {
  const peers = new Map<Socket, SendProgress>()
  let timer: Timer | undefined
  const check = () => {
    const nowMs = clock.monotonic()
    for (const [socket, progress] of peers) {
      const sentBytes = bytesSent(socket)
      if (socket.destroyed || socket.writableLength === 0) peers.delete(socket)
      else if (sentBytes > progress.sentBytes) Object.assign(progress, { sentBytes, sinceMs: nowMs })
      else if (nowMs - progress.sinceMs >= timeoutMs) socket.destroy()
    }
    if (peers.size > 0) return
    clock.cancel(timer)
    timer = undefined
  }
  return (socket) => {
    if (peers.has(socket)) return
    peers.set(socket, { sentBytes: bytesSent(socket), sinceMs: clock.monotonic() })
    timer ??= clock.every(timeoutMs / CHECKS_PER_TIMEOUT, check).unref()
  }
}

function bytesSent(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { readonly _handle: Handle | null }
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize
}
