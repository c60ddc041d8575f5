/**
 * The one exit (R1, R6, R15): every answer of the public port is an Answer, and this file alone turns it into bytes, so
 * no header can be forgotten on the way. An answer to what is not even HTTP goes through `toRawResponse`.
 */
import type { ServerResponse } from 'node:http'
import { errorBody, reasonPhrase } from '../contract/errors.ts'
import type { Verdict } from '../contract/limits.ts'

export interface Answer {
  readonly status: number
  /** Empty for no content. */
  readonly body: string | Buffer
  /** Whether each character of the body stands for one byte; see `ready`. */
  readonly isBytes?: boolean
  readonly contentType: string
  /** Names and values in turn. */
  readonly headers: readonly string[]
  /** What went wrong here, for the log; never for the client. */
  readonly cause?: unknown
}

const NO_HEADERS: readonly string[] = []

export function json(status: number, body: string, headers: readonly string[] = NO_HEADERS): Answer {
  return { status, body, contentType: 'application/json', headers }
}

export function error(status: number, message: string, headers: readonly string[] = NO_HEADERS): Answer {
  return json(status, JSON.stringify(errorBody(status, message)), headers)
}

/** The same answer, to be sent many times: its text is encoded now, one character a byte, which is all copied out later. */
export function ready(answer: Answer): Answer {
  return { ...answer, body: Buffer.from(answer.body).toString('latin1'), isBytes: true }
}

/** 429 with the time to wait (R16). */
export function rateLimited(verdict: Verdict): Answer {
  const wait = verdict.retryAfterS
  return error(429, `The limit of ${verdict.limit} requests is used up; try again in ${wait} s.`, [
    'retry-after',
    String(wait),
  ])
}

export function unavailable(message: string, retryAfterS: number, cause?: unknown): Answer {
  return { ...error(503, message, ['retry-after', String(retryAfterS)]), cause }
}

export function send(response: ServerResponse, answer: Answer, verdict: Verdict, more: readonly string[]): void {
  response.writeHead(answer.status, toHeaders(answer, verdict, more))
  response.end(answer.body, answer.isBytes ? 'latin1' : 'utf8')
}

/** The same answer as bytes for a connection that HTTP's parser has given up on; it closes the connection. */
export function toRawResponse(answer: Answer, verdict: Verdict, date: Date): string {
  const headers = toHeaders(answer, verdict, ['date', date.toUTCString(), 'connection', 'close'])
  let head = `HTTP/1.1 ${answer.status} ${reasonPhrase(answer.status)}\r\n`
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
  return `${head}\r\n${answer.body}`
}

function toHeaders(answer: Answer, verdict: Verdict, more: readonly string[]): string[] {
  const headers = [
    'X-RateLimit-Limit',
    String(verdict.limit),
    'X-RateLimit-Remaining',
    verdict.remaining.toFixed(), // not String(): V8 keeps its texts for reuse, and a number that counts down has no reuse
    'X-RateLimit-Reset',
    String(verdict.resetS),
  ]
  if (answer.status !== 204) {
    const length = answer.isBytes ? answer.body.length : Buffer.byteLength(answer.body)
    headers.push('Content-Type', answer.contentType, 'Content-Length', String(length))
  }
  for (const part of answer.headers) headers.push(part)
  for (const part of more) headers.push(part)
  return headers
}
