/** One request with its response and its Route and, once it is known, its Admission. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Admission } from '../domain/access.ts'
import { clientAddress, type TrustProxy } from './client-address.ts'
import type { Route } from './route.ts'

export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly route: Route
  /** On the clock of `performance.now()`. */
  readonly arrivedAtMs = performance.now()
  readonly #trust: TrustProxy
  /** The key and the verdict on its limits; set once. */
  admission: Admission | undefined

  constructor(request: IncomingMessage, response: ServerResponse, route: Route, trust: TrustProxy) {
    this.request = request
    this.response = response
    this.route = route
    this.#trust = trust
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers
  }

  /** The client's address (O14). */
  get ip(): string {
    return clientAddress(this.request, this.#trust)
  }
}
