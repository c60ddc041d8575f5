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

/** The time for a response grows by a second for so many bytes: Node does not say how much of one write has been read. */
export const READ_BYTES_PER_S = 8_192
const CHECKS_PER_TIMEOUT = 60

interface Unsent {
  /** The bytes of completed writes. */
  readonly sentBytes: number
  /** By the monotonic clock. */
  readonly deadlineMs: number
}

/** Disconnects peers that do not read a response in time. Peers that send would restart the timeout of a node socket. */
export function sendTimeout(timeoutMs: number, clock: Clock): (socket: Socket) => void {
  const peers = new Map<Socket, Unsent>()
  let timer: Timer | undefined
  const watch = (socket: Socket) => {
    const deadlineMs = clock.monotonic() + timeoutMs + (socket.writableLength / READ_BYTES_PER_S) * 1_000
    peers.set(socket, { sentBytes: sentBytes(socket), deadlineMs })
  }
  const check = () => {
    for (const [socket, unsent] of peers) {
      if (socket.destroyed || socket.writableLength === 0) peers.delete(socket)
      else if (sentBytes(socket) > unsent.sentBytes) watch(socket)
      else if (clock.monotonic() >= unsent.deadlineMs) socket.destroy()
    }
    if (peers.size > 0) return
    clock.cancel(timer)
    timer = undefined
  }
  return (socket) => {
    if (peers.has(socket)) return
    watch(socket)
    timer ??= clock.every(timeoutMs / CHECKS_PER_TIMEOUT, check).unref()
  }
}

function sentBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength
}
