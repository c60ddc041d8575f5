/** Request bodies (R1, R10, O19, O23): media type, limit, and reading, with a fixed length or chunked. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { countFields } from './route.ts'

const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i
/** In characters. */
const LONGEST_SHOWN = 100
export const NO_BODY: Buffer = Buffer.alloc(0)

/** Why a body could not be read: over the limit, incomplete, or the connection was closed. */
type BodyFailure = 'too large' | 'cut off' | 'aborted'

/** Whether the request has a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/**
 * Whether the request asks for another protocol. It is answered as if it had not asked, and is the last of its
 * connection: node's parser does not continue after it.
 */
export function requestsUpgrade(headers: IncomingHttpHeaders): boolean {
  return headers.upgrade !== undefined
}

/**
 * Why the body is not plain JSON, as a part of a sentence; undefined if it is. An empty body needs no type.
 */
export function mediaTypeProblem({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>) {
  const coding = headers['content-encoding'] ?? 'identity'
  if (coding.toLowerCase() !== 'identity') return `the coding ${shown(coding)} was sent`
  const type = headers['content-type']
  if (type !== undefined && countFields(rawHeaders, 'content-type') > 1) return 'two Content-Type fields were sent'
  if (type !== undefined) return JSON_TYPE.test(type) ? undefined : `${shown(type)} was sent`
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  return isEmpty ? undefined : 'no Content-Type was sent'
}

/** A field as it can stand in a message. */
function shown(field: string): string {
  return field === '' ? 'nothing' : field.slice(0, LONGEST_SHOWN).replace(/[^ -~]/g, '?')
}

/**
 * The most bytes that the body can have, by its headers and the limit; undefined if it is known to exceed the limit.
 */
export function maxBodySize(headers: IncomingHttpHeaders, limit: number): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return limit
  const length = Number(headers['content-length'] ?? 0)
  return length > limit ? undefined : length
}

/** Reads the body. Bytes beyond the limit are dropped as they arrive. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | BodyFailure> {
  return new Promise((resolve) => {
    let parts: Buffer[] = []
    let size = 0
    request.on('data', (part: Buffer) => {
      size += part.length
      if (size <= limit) {
        parts.push(part)
      } else {
        parts = []
        resolve('too large')
      }
    })
    request.on('end', () => resolve(parts.length === 1 ? (parts[0] ?? NO_BODY) : Buffer.concat(parts)))
    request.on('error', () => resolve('aborted'))
    request.on('close', () => resolve('aborted'))
    // For every other request the parser itself reports this.
    if (requestsUpgrade(request.headers)) request.socket.once('end', () => resolve('cut off'))
  })
}
