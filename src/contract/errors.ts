/** The catalogue of errors (R6, O8): codes, statuses, and the body of every error response. */
import type { ErrorBody } from './schemas.ts'

// An import statement would load all of node:http, which takes 25 ms at the start.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

export const ERROR_STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_implemented: 501,
  unavailable: 503,
} as const

const CODE_BY_STATUS = new Map<number, string>(Object.entries(ERROR_STATUS).map(([code, status]) => [status, code]))

/** A status outside the catalogue gets its reason phrase in snake case (417: `expectation_failed`). */
export function errorCode(status: number): string {
  return (
    CODE_BY_STATUS.get(status) ??
    reasonPhrase(status)
      .toLowerCase()
      .replace(/[^a-z]/g, '_')
  )
}

/** Empty for an unknown status. */
export function reasonPhrase(status: number): string {
  return STATUS_CODES[status] ?? ''
}

export function errorBody(status: number, message: string): ErrorBody {
  return { code: errorCode(status), message, status }
}
