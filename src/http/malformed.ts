/** The response to an error of HTTP's parser. It counts for the address if the parser delivers no request (O14). */
import {
  errorResponse,
  INCOMPLETE,
  malformed,
  TARGET_TOO_LONG,
  UNSUPPORTED_TRANSFER_CODING,
} from './error-responses.ts'
import type { ParserError } from './listener.ts'
import type { HttpResponse } from './response.ts'

/** The longest target that is read; RFC 9110 asks for 8,000 octets at least. */
export const MAX_TARGET_LENGTH = 8_192

/** Undefined if nobody can be answered: the peer closed the connection, or the TLS handshake failed. */
export function responseToParserError(cause: ParserError): HttpResponse | undefined {
  const { code = '', reason = '' } = cause
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return errorResponse(408, 'The request took too long to arrive.')
  if (code === 'HPE_HEADER_OVERFLOW') return isTargetTooLong(cause) ? TARGET_TOO_LONG : HEADERS_TOO_LARGE
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return errorResponse(413, 'The chunk extensions are too large.')
  if (code === 'CONNECT' || isUnknownMethod(cause)) return UNKNOWN_METHOD
  // The same code stands for a Content-Length beside the Transfer-Encoding.
  if (code === 'HPE_INVALID_TRANSFER_ENCODING' && !reason.includes('Content-Length')) return UNSUPPORTED_TRANSFER_CODING
  return code.startsWith('HPE_') ? (MALFORMED[code] ?? NOT_HTTP) : undefined
}

const NOT_HTTP = malformed('This is not a valid HTTP request.')
const INVALID_HEADER = malformed('A header has an invalid name or value.')
const INVALID_LENGTH = malformed('Content-Length is not valid, or there are several.')
const LINE_END = malformed('A line of the request or of its chunks does not end with CR LF.')
const MALFORMED: Readonly<Record<string, HttpResponse>> = {
  HPE_INVALID_METHOD: malformed('The request does not begin with a method.'),
  HPE_INVALID_URL: malformed('The address contains a character that must be percent-encoded, or no address was sent.'),
  HPE_INVALID_VERSION: malformed('The first line must end with HTTP/1.1 or HTTP/1.0, and CR LF.'),
  HPE_INVALID_CONSTANT: malformed('The address must be followed by one space and HTTP/1.1.'),
  HPE_INVALID_HEADER_TOKEN: INVALID_HEADER,
  HPE_UNEXPECTED_SPACE: INVALID_HEADER,
  HPE_INVALID_CONTENT_LENGTH: INVALID_LENGTH,
  HPE_UNEXPECTED_CONTENT_LENGTH: INVALID_LENGTH,
  HPE_INVALID_TRANSFER_ENCODING: malformed('Content-Length and Transfer-Encoding must not be sent together.'),
  HPE_INVALID_CHUNK_SIZE: malformed('A chunk of the body has an invalid length.'),
  HPE_INVALID_EOF_STATE: INCOMPLETE,
  HPE_CR_EXPECTED: LINE_END,
  HPE_LF_EXPECTED: LINE_END,
  HPE_STRICT: LINE_END,
}

const HEADERS_TOO_LARGE = errorResponse(431, 'The headers are too large.')
const UNKNOWN_METHOD = errorResponse(501, 'This server does not know the method.')
/** Codes of the parser for a method that it does not know, or knows only from RTSP. */
const OVER_METHOD = ['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT']
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!-~]+ HTTP\/1\.[01]\r?$/

/** Whether the parser stopped in a request line with an unknown method. */
function isUnknownMethod({ code = '', rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (!OVER_METHOD.includes(code) || !Buffer.isBuffer(rawPacket)) return false
  const start = rawPacket.lastIndexOf('\n', bytesParsed - rawPacket.length - 1) + 1
  const end = rawPacket.indexOf('\n', start)
  return REQUEST_LINE.test(rawPacket.toString('latin1', start, end === -1 ? undefined : end))
}

function isTargetTooLong({ rawPacket }: ParserError): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const packet = rawPacket.toString('latin1').trimStart()
  const end = packet.indexOf('\r\n')
  return /^[A-Z-]+ /.test(packet) && (end === -1 ? packet.length : end) > MAX_TARGET_LENGTH
}
