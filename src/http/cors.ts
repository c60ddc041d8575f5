/** Cross-origin requests by browsers, for the origins that the operator allows (O24). */
import type { IncomingMessage } from 'node:http'
import { REQUEST_HEADERS, RESPONSE_HEADERS } from '../contract/operations.ts'
import { type HttpResponse, jsonResponse, NO_HEADERS } from './response.ts'

const EXPOSED = RESPONSE_HEADERS.join(', ')
const PREFLIGHT_AGE_S = 600

const PREFLIGHT_ALLOWED = jsonResponse(204, '', [
  'Access-Control-Allow-Methods',
  'GET, HEAD, POST',
  'Access-Control-Allow-Headers',
  REQUEST_HEADERS.join(', '),
  'Access-Control-Max-Age',
  String(PREFLIGHT_AGE_S),
])
const PREFLIGHT_REFUSED = jsonResponse(204, '')

export class Cors {
  readonly #origins: ReadonlySet<string>

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins)
  }

  isPreflight({ method, headers }: IncomingMessage): boolean {
    return (
      method === 'OPTIONS' &&
      this.#origins.size > 0 &&
      headers.origin !== undefined &&
      headers['access-control-request-method'] !== undefined
    )
  }

  /** A response varies by origin even if the origin is not allowed. */
  headers(origin: string | undefined): readonly string[] {
    if (this.#origins.size === 0) return NO_HEADERS
    if (origin === undefined || !this.allows(origin)) return ['Vary', 'Origin']
    return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED, 'Vary', 'Origin']
  }

  preflight(origin: string | undefined): HttpResponse {
    return this.allows(origin) ? PREFLIGHT_ALLOWED : PREFLIGHT_REFUSED
  }

  allows(origin: string | undefined): boolean {
    return origin !== undefined && (this.#origins.has(origin) || this.#origins.has('*'))
  }
}
