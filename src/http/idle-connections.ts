/**
 * Where descriptors run short, each new connection takes the place of the one that has been idle longest. Otherwise the
 * system would reset new ones without a word, and idle clients could shut everybody out.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'

/** Descriptors that the service opens later: for its database, its counters, the operator port and files. */
const RESERVED = 64
const MIN_CONNECTIONS = 16
/** Idleness is noted from this part of the limit on, so that the usual request costs nothing more. */
const TRACK_FROM = 1 / 2

/** How many connections the limit on descriptors leaves room for; undefined where the system does not tell it. */
export function connectionLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    if (limit === undefined) return undefined
    return Math.max(MIN_CONNECTIONS, Number(limit) - readdirSync('/proc/self/fd').length - RESERVED)
  } catch {
    return undefined
  }
}

export class IdleConnections {
  readonly #max: number
  readonly #open: ReadonlySet<Socket>
  readonly #log: Logger
  /** By the address of the peer, since the socket of a request over TLS is another; the one idle longest first. */
  #idle: Map<string, Socket> | undefined
  #isWarned = false

  /** `open` are the connections of a port, which may have `max`. */
  constructor(max: number, open: ReadonlySet<Socket>, log: Logger) {
    this.#max = max
    this.#open = open
    this.#log = log
  }

  /** To be called when the connection is among the open ones. */
  onConnection(socket: Socket): void {
    if (this.#open.size < this.#max * TRACK_FROM) {
      this.#idle = undefined
      this.#isWarned = false
      return
    }
    if (this.#idle === undefined) {
      this.#idle = new Map()
      for (const each of this.#open) this.#add(each)
    } else this.#add(socket)
    if (this.#open.size > this.#max) this.#makeRoom(socket)
  }

  /** To be called when a request begins. */
  onRequest(response: ServerResponse): void {
    const { socket } = response.req
    const name = peerOf(socket)
    const raw = this.#idle?.get(name)
    if (raw === undefined) return
    this.#idle?.delete(name)
    response.once('close', () => {
      if (!raw.destroyed) this.#idle?.set(name, raw)
    })
  }

  #add(socket: Socket): void {
    const name = peerOf(socket)
    this.#idle?.set(name, socket)
    socket.once('close', () => this.#idle?.delete(name))
  }

  #makeRoom(next: Socket): void {
    const [longest] = this.#idle?.values() ?? []
    if (longest === undefined || longest === next) return
    this.#idle?.delete(peerOf(longest))
    longest.destroy()
    if (this.#isWarned) return
    this.#isWarned = true
    this.#log.warn(
      `${this.#max} connections are open, as many as the limit on open files leaves room for: from now on each new one closes the one that has been idle longest. Raise the limit, LimitNOFILE= under systemd.`,
    )
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remotePort} ${remoteAddress}`
}
