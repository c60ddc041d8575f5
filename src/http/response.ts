/** The single exit (R1, R6, R15): only this file turns an HttpResponse into bytes, so no header can be missing. */
import type { ServerResponse } from 'node:http'
import { reasonPhrase } from '../contract/errors.ts'
import type { Verdict } from '../contract/limits.ts'
import { RATE_LIMIT_HEADER } from '../contract/operations.ts'

export interface HttpResponse {
  readonly status: number
  /** Empty for no content. Pieces are sent in order, and may be shared with other responses. */
  readonly body: string | Uint8Array | readonly Uint8Array[]
  readonly contentType: string
  /** Names and values, alternating. */
  readonly headers: readonly string[]
  /** The internal cause, for the log; never sent to the client. */
  readonly cause?: unknown
}

export const NO_HEADERS: readonly string[] = []
/** Longer texts are sent as bytes, which count towards the budget of slow clients (O19). In UTF-16 units. */
const MAX_STRING_LENGTH = 65_536

export function jsonResponse(status: number, json: HttpResponse['body'], headers = NO_HEADERS): HttpResponse {
  const body = typeof json === 'string' && json.length > MAX_STRING_LENGTH ? Buffer.from(json) : json
  return { status, body, contentType: 'application/json', headers }
}

/** In bytes. */
export function bodyLength({ body }: HttpResponse): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  return body instanceof Uint8Array ? body.length : body.reduce((length, piece) => length + piece.length, 0)
}

/** `more` are further headers. With `leavesOpen` the response is not ended, which would close its connection. */
export function send(
  response: ServerResponse,
  answer: HttpResponse,
  verdict: Verdict,
  more: readonly string[],
  leavesOpen = false,
): void {
  const { body } = answer
  response.writeHead(answer.status, toHeaders(answer, verdict, more))
  const isOnePiece = typeof body === 'string' || body instanceof Uint8Array
  if (isOnePiece && !leavesOpen) {
    response.end(body)
    return
  }
  response.cork()
  response.flushHeaders()
  for (const piece of isOnePiece ? [body] : body) response.write(piece)
  if (!leavesOpen) response.end()
}

/** A small response as bytes, for a connection that HTTP's parser has given up; it closes the connection. */
export function toRawResponse(answer: HttpResponse, verdict: Verdict, date: Date, more: readonly string[]): string {
  const headers = toHeaders(answer, verdict, [...more, 'Date', date.toUTCString(), 'Connection', 'close'])
  let head = `HTTP/1.1 ${answer.status} ${reasonPhrase(answer.status)}\r\n`
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
  return `${head}\r\n${answer.body}`
}

function toHeaders(answer: HttpResponse, verdict: Verdict, more: readonly string[]): string[] {
  const headers = [
    RATE_LIMIT_HEADER.limit,
    String(verdict.limit),
    RATE_LIMIT_HEADER.remaining,
    verdict.remaining.toFixed(), // not String(), whose results V8 caches: a value that counts down is not reused
    RATE_LIMIT_HEADER.reset,
    String(verdict.resetS),
  ]
  // 304 would describe the body that the client has and this response leaves out (RFC 9110 15.4.5).
  if (answer.status !== 204 && answer.status !== 304) {
    headers.push('Content-Type', answer.contentType, 'Content-Length', String(bodyLength(answer)))
  }
  // What one key was answered is never another's (O23); a page says itself how long it may be kept.
  if (!answer.headers.includes('Cache-Control')) headers.push('Cache-Control', 'no-store')
  for (const part of answer.headers) headers.push(part)
  for (const part of more) headers.push(part)
  return headers
}
