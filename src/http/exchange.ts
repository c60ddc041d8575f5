/** One request with its response and its Route and, once it is known, its Admission. */
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
  /** Undefined if the request has none. */
  readonly body: IncomingBody | undefined
  /** By the monotonic time. */
  readonly arrivedAtMs: number
  readonly #trust: TrustProxy
  readonly #idOf: IdOf
  #id: string | undefined
  /** The key and the verdict on its limits; set once. */
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

  /** Whether a part of the body has not arrived, and nobody waits for it. */
  get isUnread(): boolean {
    return this.body?.isUnread ?? false
  }

  /** What the request counts as in the ledger, in which pages are not. */
  get operation(): LedgerOperation {
    const { name } = this.route.endpoint
    return name === 'page' ? 'other' : name
  }

  /** What the request is called in the log and in a response from 400 up. */
  get id(): string {
    this.#id ??= this.#idOf(this.request)
    return this.#id
  }

  /** The client's address (O14). */
  get ip(): string {
    return clientAddress(this.request, this.#trust)
  }
}
