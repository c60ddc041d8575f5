/** Request bodies (R1, R10, O19, O23): their media type, their limit, and their reading, fixed or chunked. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i
const NO_BODY = Buffer.alloc(0)

/** What stopped the reading: the body is over the limit, it ended too early, or the connection did. */
export type Unread = 'too large' | 'cut off' | 'aborted'

/** Whether a body follows the headers. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/**
 * Whether the request asks for another protocol. It is answered as if it had not, and is the last of its connection: node's
 * parser does not go on behind it.
 */
export function asksForUpgrade(headers: IncomingHttpHeaders): boolean {
  return headers.upgrade !== undefined
}

/** Whether the body is JSON as it stands. One without content, and without a type, is no other type. */
export function isJson(headers: IncomingHttpHeaders): boolean {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return false
  const type = headers['content-type']
  if (type !== undefined) return JSON_TYPE.test(type)
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

/** The most bytes that the body can have, by its headers and the limit; undefined when it is known to be over the limit. */
export function sizeAtMost(headers: IncomingHttpHeaders, limit: number): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return limit
  const length = Number(headers['content-length'] ?? 0)
  return length > limit ? undefined : length
}

/** Reads the body. What follows the limit is dropped as it arrives. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | Unread> {
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
    // Of every other request, the parser itself says so.
    if (asksForUpgrade(request.headers)) request.socket.once('end', () => resolve('cut off'))
  })
}
