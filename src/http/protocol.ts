/**
 * Whether a request is one of HTTP/1.0 or HTTP/1.1 (O23). Node's parser also takes RTSP, ICE and other versions of
 * HTTP, and does not tell which it was: that stands only in the request line, so the bytes are looked at. To do so node
 * must copy them (1 µs, a tenth of what a whole request takes); so requests that are most likely HTTP are looked at up
 * to a number of times a second, and all others always.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../common/clock.ts'

/** Looks at GET and POST in HTTP/1.1, in each second: a thousandth of the processor's time. RTSP/1.1 does not exist. */
const LOOKS_PER_S = 1_000
const BLANK_LINE = '\r\n\r\n'
const WHOLE_LINE = /[A-Z_-]+ [!-~]+ [A-Z]+\/\d\.\d\r?\n/
/** The only others that the parser takes. */
const OTHER_PROTOCOL = /^(?:RTSP|ICE)\//
const CLOSING_BRACE = 0x7d
/** The most that is kept of what follows a request, in bytes. */
const MAX_BEHIND = 1_024

/** Why HTTP's parser rejected a connection, or an error of the connection itself. */
export interface ParserError extends Error {
  readonly code?: string | undefined
  readonly reason?: string
  /** What has arrived of a head that is not complete, or the bytes with the error. */
  readonly rawPacket?: unknown
  /** The offset in the packet. */
  readonly bytesParsed?: number
}

/** What node's parser of a connection has, beside what is in node's types. */
interface Parser {
  /** The request whose head has arrived last. */
  readonly incoming: IncomingMessage | null
  /** A copy of the bytes that are being parsed. */
  getCurrentBuffer(): Buffer
  readonly constructor: { readonly kOnExecute: number }
  /** Under `kOnExecute`: called after each piece of bytes. */
  [hook: number]: ((parsed: unknown) => void) | undefined
}

export class Protocols {
  /** The beginnings of heads that have not arrived in one piece. */
  readonly #begun = new Map<Socket, Beginning>()
  /** The connections whose last piece ended in a body. */
  readonly #inBody = new Set<Socket>()
  /**
   * Of the piece that is being parsed: its connection, whether a head ended in it, its bytes if they were looked at,
   * and how far.
   */
  #socket: Socket | undefined
  #hasHead = false
  #bytes: Buffer | undefined
  #seen = 0
  /** Where those bytes follow the beginning of a head; a part of it may be missing there. */
  #joint = 0
  #looksLeft = LOOKS_PER_S
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Call it before the server listens. */
  watch(server: Server, connected: 'connection' | 'secureConnection'): void {
    server.on(connected, (socket: Socket) => {
      const parser = parserOf(socket)
      const { kOnExecute } = parser.constructor
      const executed = parser[kOnExecute]
      parser[kOnExecute] = (parsed) => {
        this.#endPiece(socket, parser, parsed instanceof Error)
        executed?.(parsed)
      }
      socket.once('close', () => {
        this.#begun.delete(socket)
        this.#inBody.delete(socket)
      })
    })
  }

  /** To be called when the request arrives, not later. */
  isHttp({ method = '', url = '', httpVersion, socket }: IncomingMessage): boolean {
    this.#of(socket)
    this.#hasHead = true
    if (httpVersion !== '1.1' && httpVersion !== '1.0') return false
    const isUsual = httpVersion === '1.1' && (method === 'GET' || method === 'POST')
    if (isUsual && !this.#mayLook()) return true
    const bytes = this.#bytesFor(socket, parserOf(socket))
    const line = `${method} ${url} `
    const at = bytes.indexOf(line, this.#seen, 'latin1')
    if (at === -1) return true
    this.#seen = at + line.length
    return !OTHER_PROTOCOL.test(bytes.toString('latin1', this.#seen, this.#seen + 5))
  }

  /** The error with all that had arrived of the line in which it is. */
  withBegun(cause: ParserError, socket: Socket): ParserError {
    const { rawPacket, bytesParsed = 0 } = cause
    const begun = Buffer.isBuffer(rawPacket) ? this.#begun.get(socket) : undefined
    if (begun === undefined || !Buffer.isBuffer(rawPacket)) return cause
    this.#begun.delete(socket)
    const { line } = begun
    return Object.assign(cause, { rawPacket: line, bytesParsed: line.length - rawPacket.length + bytesParsed })
  }

  #mayLook(): boolean {
    if (this.#looksLeft === 0) return false
    if (this.#looksLeft === LOOKS_PER_S) {
      const renew = () => {
        this.#looksLeft = LOOKS_PER_S
      }
      this.#clock.after(1_000, renew).unref()
    }
    this.#looksLeft -= 1
    return true
  }

  #bytesFor(socket: Socket, parser: Parser): Buffer {
    if (this.#bytes === undefined) {
      const { line } = this.#begun.get(socket) ?? NOTHING
      this.#bytes = Buffer.concat([line, parser.getCurrentBuffer()])
      this.#joint = line.length
    }
    return this.#bytes
  }

  /** Keeps the beginning of a request line whose head has not arrived. */
  #endPiece(socket: Socket, parser: Parser, isRefused: boolean): void {
    this.#of(socket)
    const { incoming } = parser
    const wasInBody = this.#inBody.size > 0 && this.#inBody.delete(socket)
    if (this.#hasHead && this.#begun.size > 0) this.#begun.delete(socket)
    if (incoming?.complete === false) this.#inBody.add(socket)
    else if (!this.#hasHead && !wasInBody) {
      this.#begun.set(socket, beginning(this.#begun.get(socket) ?? NOTHING, parser.getCurrentBuffer()))
    } else if (!isRefused && (wasInBody || this.#bytes !== undefined)) {
      const rest = behind(this.#bytesFor(socket, parser), Math.max(this.#seen, this.#joint))
      if (rest.length > 0) this.#begun.set(socket, beginning(NOTHING, rest))
    }
    this.#of(undefined)
  }

  /**
   * Begins with a piece of another connection. Node does not tell of the end of each, where it had paused the parser.
   */
  #of(socket: Socket | undefined): void {
    if (this.#socket === socket) return
    this.#socket = socket
    this.#hasHead = false
    this.#bytes = undefined
    this.#seen = 0
    this.#joint = 0
  }
}

/** As much as must be known of the beginning of a head: its first line, as far as it has arrived, or more. */
interface Beginning {
  readonly line: Buffer
  readonly isWhole: boolean
}

const NOTHING: Beginning = { line: Buffer.alloc(0), isWhole: false }

/** A copy, not a view, which would keep all that arrived in the piece. */
function beginning(before: Beginning, piece: Buffer): Beginning {
  if (before.isWhole) return before
  const line = Buffer.concat([before.line, piece])
  // Empty lines may stand before the first (RFC 9112 2.2).
  return { line, isWhole: line.toString('latin1').trimStart().includes('\n') }
}

/**
 * The beginning of a head in the bytes behind the last request, whose line ends at `from`. Where a body came apart from
 * its head its end is not known: a whole request line is looked for, or else the last line; what is missed is taken for
 * HTTP.
 */
function behind(bytes: Buffer, from: number): Buffer {
  if (bytes.at(-1) === CLOSING_BRACE) return NOTHING.line
  const blankAt = bytes.lastIndexOf(BLANK_LINE)
  const start = Math.max(from, blankAt === -1 ? 0 : blankAt + BLANK_LINE.length, bytes.length - MAX_BEHIND)
  const text = bytes.toString('latin1', start)
  return bytes.subarray(start + (WHOLE_LINE.exec(text)?.index ?? text.lastIndexOf('\n') + 1))
}

function parserOf(socket: Socket): Parser {
  return (socket as Socket & { readonly parser: Parser }).parser
}
