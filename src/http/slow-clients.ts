/** Bounds on slow clients (O19): memory for bodies and responses, and a timeout for connections that read nothing. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock, Timer } from '../common/clock.ts'

export type Reserve = (bytes: number, ...owners: readonly string[]) => (() => void) | undefined

/**
 * A budget of bytes, of which each key or address can have a share. The result reserves bytes and returns what releases
 * them, or undefined beyond a limit. Something larger than a limit is admitted while nothing else counts against it.
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

/** Calls `release` once the response was sent or its connection has ended. */
export function whenClosed(response: ServerResponse, release: () => void): void {
  if (response.closed) release()
  else response.once('close', release)
}

const CHECKS_PER_TIMEOUT = 60

interface SendProgress {
  sentBytes: number
  /** When they last increased, by the monotonic clock. */
  sinceMs: number
}

/** Not in node's types. Nothing public counts what the operating system has accepted of one write. */
interface Handle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

/** Disconnects peers that read nothing for a time. Peers that send would restart the timeout of a node socket. */
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
