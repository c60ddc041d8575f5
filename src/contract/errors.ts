/** The catalogue of errors (R6, O8): each code with its status, and the one shape in which an error leaves the service. */
import { STATUS_CODES } from 'node:http'
import type { ErrorBody } from './schemas.ts'

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

export type ErrorCode = keyof typeof ERROR_STATUS

const CODE_BY_STATUS = new Map<number, string>(Object.entries(ERROR_STATUS).map(([code, status]) => [status, code]))

/** The code of a status; one outside the catalogue is its reason phrase in the same form (417 is `expectation_failed`). */
export function errorCode(status: number): string {
  return CODE_BY_STATUS.get(status) ?? (STATUS_CODES[status] ?? 'error').toLowerCase().replace(/[^a-z]+/g, '_')
}

export function errorBody(status: number, message: string): ErrorBody {
  return { code: errorCode(status), message, status }
}
