/**
 * A request as a report holds it, and back again. A request never holds a key, only the place where one belongs, so
 * neither does a report.
 */
import { isUtf8 } from 'node:buffer'
import type { Request } from '../http/request.ts'

/** `bytes` is a body in base64, where it is no UTF-8; `raw` a whole request as text that no HTTP client would send. */
export type Sent =
  | { readonly raw: string }
  | {
      readonly method: string
      /** Relative to the base address, with the query. */
      readonly path: string
      readonly headers: Readonly<Record<string, string>>
      readonly body?: string
      readonly bytes?: string
      /** The body came a moment after the head. */
      readonly isBodyApart?: boolean
    }

export function sentOf(request: Request): Sent {
  if ('raw' in request || !Buffer.isBuffer(request.body)) return request as Sent
  const { body, ...head } = request
  return isUtf8(body) ? { ...head, body: body.toString() } : { ...head, bytes: body.toString('base64') }
}

export function requestOf(sent: Sent): Request {
  if ('raw' in sent || sent.bytes === undefined) return sent
  const { bytes, ...head } = sent
  return { ...head, body: Buffer.from(bytes, 'base64') }
}

/** Whether a value from a file is such a request. */
export function isSent(value: unknown): value is Sent {
  if (typeof value !== 'object' || value === null) return false
  if ('raw' in value) return typeof value.raw === 'string'
  const { method, path, headers, body = '', bytes = '', isBodyApart = false } = value as Record<string, unknown>
  return (
    [method, path, body, bytes].every((each) => typeof each === 'string') &&
    typeof isBodyApart === 'boolean' &&
    typeof headers === 'object' &&
    headers !== null &&
    Object.values(headers).every((each) => typeof each === 'string')
  )
}
