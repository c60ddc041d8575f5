/** Cross-origin use by browsers, for the origins that the operator allows (O24). */
import type { Exchange } from './exchange.ts'

const EXPOSED = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Location'
/** Seconds for which a browser may go on without asking again. */
const PREFLIGHT_AGE_S = 600

export class Cors {
  readonly #origins: ReadonlySet<string>

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins)
  }

  get isOff(): boolean {
    return this.#origins.size === 0
  }

  isPreflight({ method, headers }: Exchange): boolean {
    return (
      !this.isOff &&
      method === 'OPTIONS' &&
      headers.origin !== undefined &&
      headers['access-control-request-method'] !== undefined
    )
  }

  /** What an answer to a page of `origin` carries; the answer differs by origin even where it is not allowed. */
  headers(origin: string | undefined): readonly string[] {
    if (this.isOff) return []
    if (origin === undefined || !(this.#origins.has(origin) || this.#origins.has('*'))) return ['Vary', 'Origin']
    return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED, 'Vary', 'Origin']
  }

  preflightHeaders(origin: string | undefined): readonly string[] {
    if (this.headers(origin).length <= 2) return []
    return [
      'Access-Control-Allow-Methods',
      'GET, HEAD, POST',
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type',
      'Access-Control-Max-Age',
      String(PREFLIGHT_AGE_S),
    ]
  }
}
