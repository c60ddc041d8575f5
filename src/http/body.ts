/** Request bodies (R1, R10, O19, O23): media type, limit, and reading, with a fixed length or chunked. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i
export const NO_BODY: Buffer = Buffer.alloc(0)

/** Why a body could not be read: it is over the limit, it ended too early, or the connection was closed. */
type Unread = 'too large' | 'cut off' | 'aborted'

/** Whether the request has a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/**
 * Whether the request asks for another protocol. It is answered as if it had not asked, and is the last of its
 * connection: node's parser does not continue after it.
 */
export function asksForUpgrade(headers: IncomingHttpHeaders): boolean {
  return headers.upgrade !== undefined
}

/** Whether the body is plain JSON. An empty body without a type is accepted here. */
export function isJson(headers: IncomingHttpHeaders): boolean {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return false
  const type = headers['content-type']
  if (type !== undefined) return JSON_TYPE.test(type)
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

/**
 * The most bytes that the body can have, by its headers and the limit; undefined if it is known to exceed the limit.
 */
export function sizeAtMost(headers: IncomingHttpHeaders, limit: number): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return limit
  const length = Number(headers['content-length'] ?? 0)
  return length > limit ? undefined : length
}

/** Reads the body. Bytes beyond the limit are dropped as they arrive. */
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
    // For every other request the parser itself reports this.
    if (asksForUpgrade(request.headers)) request.socket.once('end', () => resolve('cut off'))
  })
}
