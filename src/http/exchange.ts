/** One request, its response, its Route and, once known, its Admission. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Admission } from '../domain/access.ts'
import type { LedgerOperation } from '../store/ledger.ts'
import type { IncomingBody } from './body.ts'
import { clientAddress, type TrustProxy } from './client-address.ts'
import type { IdOf } from './request-id.ts'
import type { Route } from './route.ts'

export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly route: Route
  readonly body: IncomingBody | undefined
  /** By the monotonic time. */
  readonly arrivedAtMs: number
  readonly #trust: TrustProxy
  readonly #idOf: IdOf
  #id: string | undefined
  admission: Admission | undefined

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    body: IncomingBody | undefined,
    arrivedAtMs: number,
    trust: TrustProxy,
    idOf: IdOf,
  ) {
    this.request = request
    this.response = response
    this.route = route
    this.body = body
    this.arrivedAtMs = arrivedAtMs
    this.#trust = trust
    this.#idOf = idOf
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers
  }

  get isUnread(): boolean {
    return this.body?.isUnread ?? false
  }

  /** For the ledger, which has no pages. */
  get operation(): LedgerOperation {
    const { name } = this.route.endpoint
    return name === 'page' ? 'other' : name
  }

  /** For the log, and for responses from 400 up. */
  get id(): string {
    this.#id ??= this.#idOf(this.request)
    return this.#id
  }

  /** The client's address (O14). */
  get ip(): string {
    return clientAddress(this.request, this.#trust)
  }
}
