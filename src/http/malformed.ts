/**
 * What an error of HTTP's parser means: not HTTP at all, broken framing, an unknown method, headers too large, a
 * request that takes too long. Such responses count for the address (O14), carry the limit headers and an Error (R6,
 * R15), and are the last on their connection (connections.ts says when).
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../common/clock.ts'
import type { Verdict } from '../contract/limits.ts'
import type { Access } from '../domain/access.ts'
import { type Answer, toRawResponse } from './answer.ts'
import { MAX_HEADERS_BYTES } from './listener.ts'
import type { ParserError } from './protocol.ts'
import { error, MALFORMED, rateLimited, TARGET_TOO_LONG, UNKNOWN_CODING } from './refusals.ts'
import { REQUEST_ID_HEADER, type RequestIds } from './request-id.ts'

/** The longest target that is read; RFC 9110 asks for 8,000 octets at least. */
export const MAX_TARGET_LENGTH = 8_192

interface RefusedRequestsOptions {
  readonly access: Access
  readonly clock: Clock
  readonly ids: RequestIds
  /** Told of each response, with its id and the address that it goes to. */
  readonly answered: (answer: Answer, requestId: string, client: string) => void
}

export class RefusedRequests {
  readonly #options: RefusedRequestsOptions

  constructor(options: RefusedRequestsOptions) {
    this.#options = options
  }

  /**
   * Counts what was refused; the result makes the bytes of its response, which is a 429 over the limit. See `Respond`.
   */
  async respond(answer: Answer, socket: Socket, broken: IncomingMessage | undefined): Promise<() => string> {
    const { clock, ids, answered } = this.#options
    const client = socket.remoteAddress ?? ''
    const verdict = await this.#count(client)
    return () => {
      const final = verdict.admitted ? answer : rateLimited(verdict)
      const id = ids.idOf(broken)
      answered(final, id, client)
      return toRawResponse(final, verdict, new Date(clock.now()), [REQUEST_ID_HEADER, id])
    }
  }

  async #count(ip: string): Promise<Verdict> {
    const { access } = this.#options
    try {
      return (await access.enterByAddress(ip)).verdict
    } catch {
      return access.untouched()
    }
  }
}

/** Undefined where there is nobody to answer: the peer hung up, or the TLS handshake failed. */
export function meaningOf(cause: ParserError): Answer | undefined {
  const { code = '', reason = '' } = cause
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return error(408, 'The request took too long to arrive.')
  if (code === 'HPE_HEADER_OVERFLOW') return isTargetTooLong(cause) ? TARGET_TOO_LONG : HEADERS_TOO_LARGE
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return error(413, 'The chunk extensions are too large.')
  if (code === 'CONNECT' || (OVER_METHOD.includes(code) && hasRequestLine(cause))) return UNKNOWN_METHOD
  // The same code stands for a Content-Length beside the Transfer-Encoding.
  if (code === 'HPE_INVALID_TRANSFER_ENCODING' && !reason.includes('Content-Length')) return UNKNOWN_CODING
  return code.startsWith('HPE_') ? MALFORMED : undefined
}

const HEADERS_TOO_LARGE = error(431, 'The headers are too large.')
const UNKNOWN_METHOD = error(501, 'This server does not know the method.')
/** The client has closed its side in the middle of a line. */
export const CUT_OFF: ParserError = Object.assign(new Error('cut off'), { code: 'HPE_INVALID_EOF_STATE' })
/** What the parser says of a method that it does not know, or knows only from RTSP. */
const OVER_METHOD = ['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT']
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!-~]+ HTTP\/1\.[01]\r?$/
const METHOD_AND_SPACE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ /
const TOKEN_CHARACTER = /[!#$%&'*+.^_`|~0-9A-Za-z-]/
/** As much of such a line as may have arrived. */
const REQUEST_LINE_BEGUN =
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: (?:[!-~]+(?: (?:HTTP\/1\.[01]\r?|HTTP\/1\.?|HTTP\/?|HTT|HT|H|))?)?)?$/

/** Lines in which the place may stand where the parser stopped: one begins behind a line break, or behind a body. */
function linesAround({ code = '', rawPacket, bytesParsed = 0 }: ParserError): readonly string[] {
  if (!OVER_METHOD.includes(code) || !Buffer.isBuffer(rawPacket)) return []
  const packet = rawPacket.toString('latin1')
  const parsed = packet.slice(0, bytesParsed)
  const starts = [parsed.lastIndexOf('\n') + 1, ...methodsAtEnd(parsed)]
  return starts.map((start) => {
    const end = packet.indexOf('\n', start)
    return packet.slice(start, end === -1 ? undefined : end + 1)
  })
}

/**
 * Where a method may begin, behind a body, whose line has been read so far: in the method itself, in the target, or in
 * the version.
 */
function methodsAtEnd(parsed: string): readonly number[] {
  if (METHOD_AND_SPACE.test(parsed.slice(parsed.lastIndexOf('\n') + 1))) return []
  const target = parsed.lastIndexOf(' ')
  const ends = [parsed.length, target, target > 0 ? parsed.lastIndexOf(' ', target - 1) : -1]
  const starts = ends.map((end) => {
    // A loop, because a pattern that looks for its end takes quadratic time on a long body.
    let start = end
    while (start > 0 && TOKEN_CHARACTER.test(parsed[start - 1] ?? '')) start -= 1
    return start
  })
  return starts.filter((start) => start >= 0)
}

/** Whether what the parser stopped at stands in a request line that is otherwise right (O23). */
function hasRequestLine(cause: ParserError): boolean {
  return linesAround(cause).some((line) => REQUEST_LINE.test(line.replace(/\n$/, '')) || isTooLong(line))
}

/** Whether the line may still become a request line of a method that is not known. */
export function mayGoOn(cause: ParserError): boolean {
  return linesAround(cause).some((line) => REQUEST_LINE_BEGUN.test(line) && !isTooLong(line))
}

/** Whether to stop waiting for the rest of a line. */
function isTooLong(line: string): boolean {
  return line.length > MAX_HEADERS_BYTES && !line.endsWith('\n')
}

/** What was refused before its line had arrived, with what has come since. */
export function joined(begun: ParserError, more: ParserError): ParserError {
  if (!OVER_METHOD.includes(more.code ?? '') || !Buffer.isBuffer(begun.rawPacket) || !Buffer.isBuffer(more.rawPacket)) {
    return more
  }
  const { code, bytesParsed = 0, rawPacket } = begun
  return Object.assign(new Error(more.message), {
    code,
    bytesParsed,
    rawPacket: Buffer.concat([rawPacket, more.rawPacket]),
  })
}

/**
 * Whether what overflowed is seen to be the target.
 */
function isTargetTooLong({ rawPacket }: ParserError): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const packet = rawPacket.toString('latin1').trimStart()
  const end = packet.indexOf('\r\n')
  return /^[A-Z-]+ /.test(packet) && (end === -1 ? packet.length : end) > MAX_TARGET_LENGTH
}
