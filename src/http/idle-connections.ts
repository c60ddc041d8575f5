/**
 * Near the limit on open files, each new connection closes the longest idle one, so that idle clients lock nobody out.
 * If incomplete headers take too much memory, the oldest of their connections are closed.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Clock, Timer } from '../common/clock.ts'
import { addressBucket } from '../domain/access.ts'

/** File descriptors for everything else: the database, the counters, the operator port and files. */
const RESERVED = 64
const MIN_CONNECTIONS = 16
/** Idle connections are tracked from this share of the limit, or this number: tracking slows each request down. */
const TRACK_FROM = 1 / 2
const TRACKED_CONNECTIONS = 512
/** In bytes of incomplete headers. Node reads at most 32 KiB on one connection. */
const MAX_UNFINISHED = { all: 16_777_216, ofAddress: 4_194_304 }
const CHECK_EVERY_MS = 100

/** The most connections that the limit on open files allows; infinite if the system does not report the limit. */
export function connectionLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    if (limit === undefined) return Infinity
    return Math.max(MIN_CONNECTIONS, Number(limit) - readdirSync('/proc/self/fd').length - RESERVED)
  } catch {
    return Infinity
  }
}

/** A connection without a request in progress, and how many bytes it had sent when that began. */
interface Idle {
  readonly socket: Pick<Socket, 'bytesRead' | 'remoteAddress'>
  readonly readBefore: number
}

/** The idle connections to close so that the others are within both limits, from the oldest on. */
export function beyond<I extends Idle>(idle: Iterable<I>, limits = MAX_UNFINISHED): readonly I[] {
  const unfinished: { readonly of: I; readonly bytes: number; readonly address: string }[] = []
  const byAddress = new Map<string, number>()
  let all = 0
  for (const of of idle) {
    const bytes = of.socket.bytesRead - of.readBefore
    if (bytes === 0) continue
    const address = addressBucket(of.socket.remoteAddress ?? '')
    unfinished.push({ of, bytes, address })
    byAddress.set(address, (byAddress.get(address) ?? 0) + bytes)
    all += bytes
  }
  return unfinished.flatMap(({ of, bytes, address }) => {
    const used = byAddress.get(address) ?? 0
    if (all <= limits.all && used <= limits.ofAddress) return []
    all -= bytes
    byAddress.set(address, used - bytes)
    return [of]
  })
}

export class IdleConnections {
  readonly #max: number
  readonly #open: ReadonlySet<Socket>
  readonly #log: Logger
  readonly #clock: Clock
  /** By the peer's address and port, since a request over TLS has another socket object; the longest idle first. */
  #idle: Map<string, Idle & { readonly socket: Socket }> | undefined
  #checker: Timer | undefined
  #isWarned = false

  constructor(max: number, open: ReadonlySet<Socket>, log: Logger, clock: Clock) {
    this.#max = max
    this.#open = open
    this.#log = log
    this.#clock = clock
  }

  /** Whether connections without a key must close behind their response: unfinished headers behind it are not counted. */
  get isCrowded(): boolean {
    return this.#idle !== undefined
  }

  /** To be called when the connection is in `open`. */
  onConnection(socket: Socket): void {
    if (this.#open.size < Math.min(this.#max * TRACK_FROM, TRACKED_CONNECTIONS)) {
      this.#idle = undefined
      this.#clock.cancel(this.#checker)
      this.#checker = undefined
      this.#isWarned = false
      return
    }
    this.#checker ??= this.#clock
      .every(CHECK_EVERY_MS, () => {
        for (const { socket } of beyond(this.#idle?.values() ?? [])) socket.destroy()
      })
      .unref()
    if (this.#idle === undefined) {
      this.#idle = new Map()
      for (const each of this.#open) this.#add(each)
    } else this.#add(socket)
    if (this.#open.size > this.#max) this.#makeRoom(socket)
  }

  onRequest(response: ServerResponse): void {
    if (this.#idle === undefined) return
    const name = peerOf(response.req.socket)
    const raw = this.#idle.get(name)?.socket
    if (raw === undefined) return
    this.#idle.delete(name)
    response.once('close', () => {
      if (!raw.destroyed) this.#idle?.set(name, { socket: raw, readBefore: raw.bytesRead })
    })
  }

  #add(socket: Socket): void {
    const name = peerOf(socket)
    this.#idle?.set(name, { socket, readBefore: socket.bytesRead })
    socket.once('close', () => this.#idle?.delete(name))
  }

  #makeRoom(next: Socket): void {
    const [longest] = this.#idle?.values().map(({ socket }) => socket) ?? []
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
