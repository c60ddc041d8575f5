/**
 * Answers to what HTTP's parser refuses: not HTTP at all, broken framing, unknown methods, headers too large, a request that
 * takes too long. They count for the address (O14), carry the limit headers and an Error (R6, R15), and end the connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../common/clock.ts'
import type { Verdict } from '../contract/limits.ts'
import type { Access } from '../domain/access.ts'
import { type Answer, toRawResponse } from './answer.ts'
import type { ParserError } from './listener.ts'
import { error, MALFORMED, rateLimited, TARGET_TOO_LONG } from './refusals.ts'
import { REQUEST_ID_HEADER, type RequestIds } from './request-id.ts'

/** After the answer the peer has this long to read it; closing at once could take it back out of the peer's hands. */
const LINGER_MS = 1_000
/** How long answers already under way on the connection may hold up this one. */
const PATIENCE_MS = 5_000
/** The longest target that is read; RFC 9110 asks for 8,000 octets at least. */
export const MAX_TARGET_LENGTH = 8_192

export class MalformedRequests {
  readonly #access: Access
  readonly #clock: Clock
  readonly #ids: RequestIds
  readonly #answered: (answer: Answer, requestId: string, client: string) => void
  readonly #ended = new WeakSet<Socket>()
  /**
   * The last response of a connection that may not have left it at once. Not a property of the socket: sockets with and
   * without it would have different shapes to V8, which makes every request dearer (docs/performance.md).
   */
  readonly #last = new WeakMap<Socket, ServerResponse>()
  /** Requests that broke off half-way and were answered here. */
  readonly #broken = new WeakSet<IncomingMessage>()

  /** `answered` is told of each answer, with its id and the address that it went to. */
  constructor(options: {
    access: Access
    clock: Clock
    ids: RequestIds
    answered: (answer: Answer, requestId: string, client: string) => void
  }) {
    this.#access = options.access
    this.#clock = options.clock
    this.#ids = options.ids
    this.#answered = options.answered
  }

  /**
   * Notes a response that must leave the connection before any answer given here: one that is not ready yet, or whose
   * request has a body still to come. Not every response, since remembering each for a moment makes its request a fifth
   * dearer. The last is enough, as answers leave in the order of their requests; it is noted once, when it arrives or begins.
   */
  noteResponse(response: ServerResponse): void {
    this.#last.set(response.req.socket, response)
  }

  /** Whether the request broke off and had its one answer from here. */
  hasAnswered(request: IncomingMessage): boolean {
    return this.#broken.has(request)
  }

  async handle(cause: ParserError, socket: Socket): Promise<void> {
    if (this.#ended.has(socket)) return
    const answer = describe(cause)
    // A connection opened ahead of need and never used asked for nothing.
    if (answer === undefined || !socket.writable || socket.bytesRead === 0) {
      socket.destroy()
      return
    }
    this.#ended.add(socket)
    // Where the client closes its side now, node would close the other before the answer is ready.
    socket.removeAllListeners('end')
    const last = this.#last.get(socket)
    const isBroken = last?.req.complete === false
    if (isBroken && last.headersSent) {
      // Answered before its body was read (a 401, say): a second answer would be taken for that of the next request.
      socket.destroySoon()
      return
    }
    if (isBroken) this.#broken.add(last.req)
    const client = socket.remoteAddress ?? ''
    const verdict = await this.#count(client)
    const answerNow = () => {
      // The response before has said that the connection closes behind it, and node closes it.
      if (last !== undefined && !isBroken && !last.shouldKeepAlive) return
      const final = verdict.admitted ? answer : rateLimited(verdict)
      const id = this.#ids.idOf(isBroken ? last?.req : undefined)
      this.#answered(final, id, client)
      const more = [REQUEST_ID_HEADER, id]
      if (socket.writable) socket.end(toRawResponse(final, verdict, new Date(this.#clock()), more))
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
    }
    if (last === undefined) answerNow()
    else if (isBroken) whenItsTurn(last, answerNow)
    else whenLeft(last, answerNow)
  }

  async #count(ip: string): Promise<Verdict> {
    try {
      return (await this.#access.enterByAddress(ip)).verdict
    } catch {
      return this.#access.untouched()
    }
  }
}

/**
 * Calls back when the response, and so every one before it, has left, or when that takes too long. Before node hears of it:
 * where the client has closed its side, node then closes the connection.
 */
function whenLeft(response: ServerResponse, next: () => void): void {
  if (response.writableFinished || response.destroyed) next()
  else soon(next, (call) => response.prependListener('finish', call).once('close', call))
}

/** Calls back when every response before this one has left, or when that takes too long. */
function whenItsTurn(response: ServerResponse, next: () => void): void {
  if (response.socket !== null) next()
  else soon(next, (call) => response.once('socket', call))
}

/** Calls `next` once: when what is listened for happens, or when patience ends. */
function soon(next: () => void, listen: (call: () => void) => void): void {
  let called = false
  const call = () => {
    if (called) return
    called = true
    clearTimeout(timer)
    next()
  }
  const timer = setTimeout(call, PATIENCE_MS).unref()
  listen(call)
}

/** Undefined where nobody is left to answer: the peer hung up, or the TLS handshake failed. */
function describe(cause: ParserError): Answer | undefined {
  const { code = '' } = cause
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return error(408, 'The request took too long to arrive.')
  if (code === 'HPE_HEADER_OVERFLOW') return isTargetTooLong(cause) ? TARGET_TOO_LONG : HEADERS_TOO_LARGE
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return error(413, 'The chunk extensions are too large.')
  if (code === 'CONNECT' || (OVER_METHOD.includes(code) && hasRequestLine(cause))) return UNKNOWN_METHOD
  return code.startsWith('HPE_') ? MALFORMED : undefined
}

const HEADERS_TOO_LARGE = error(431, 'The headers are too large.')
const UNKNOWN_METHOD = error(501, 'This server does not know the method.')
/** What the parser says of a method that it does not know, or knows only from RTSP. */
const OVER_METHOD = ['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT']
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!-~]+ HTTP\/1\.[01]\r?$/
const METHOD_BEGUN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** As much of such a line as may have arrived. */
const REQUEST_LINE_BEGUN =
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: [!-~]*(?: (?:HTTP\/1\.[01]\r?|HTTP\/1\.?|HTTP\/?|HTT|HT|H|))?)?$/

/** Whether what the parser stopped at stands in a request line that is otherwise right, as far as it has arrived (O23). */
function hasRequestLine({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const packet = rawPacket.toString('latin1')
  const parsed = packet.slice(0, bytesParsed)
  // A line begins behind a line break, or behind a body, which need not end with one.
  const starts = [parsed.lastIndexOf('\n') + 1, bytesParsed - (METHOD_BEGUN.exec(parsed)?.[0].length ?? 0)]
  return starts.some((start) => {
    const end = packet.indexOf('\n', start)
    return end === -1 ? REQUEST_LINE_BEGUN.test(packet.slice(start)) : REQUEST_LINE.test(packet.slice(start, end))
  })
}

/**
 * Whether what overflowed is seen to be the target. In a head that arrives in pieces the parser does not say where it is;
 * that the head is too large (431) is true of it either way.
 */
function isTargetTooLong({ rawPacket }: ParserError): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const packet = rawPacket.toString('latin1')
  const end = packet.indexOf('\r\n')
  return /^[A-Z-]+ /.test(packet) && (end === -1 ? packet.length : end) > MAX_TARGET_LENGTH
}
