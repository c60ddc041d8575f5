/**
 * When the limit on open files is near, each new connection closes the one that has been idle longest. Otherwise the
 * system would reset new connections, and idle clients could lock everybody out.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'

/** File descriptors kept for what is opened later: the database, the counters, the operator port and files. */
const RESERVED = 64
const MIN_CONNECTIONS = 16
/** Idle connections are tracked from this share of the limit on, so that the usual request costs nothing more. */
const TRACK_FROM = 1 / 2

/** The most connections that the limit on open files allows; undefined if the system does not report the limit. */
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
  /** By the peer's address and port, as a request over TLS has another socket object; the one idle longest first. */
  #idle: Map<string, Socket> | undefined
  #isWarned = false

  /** `open` is the live set of a port's connections, of which there may be `max`. */
  constructor(max: number, open: ReadonlySet<Socket>, log: Logger) {
    this.#max = max
    this.#open = open
    this.#log = log
  }

  /** To be called when the connection is in `open`. */
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
