/** Answers a request in the order of the checks (O22): key and limit, path and method, media type, body, operation. */
import type { IncomingHttpHeaders } from 'node:http'
import { type MaybePromise, whenReady } from '../common/maybe-promise.ts'
import { type Access, type Admission, addressBucket } from '../domain/access.ts'
import { contentCodingProblem, maxBodySize, mediaTypeProblem, NO_BODY, UNCOUNTED_BODY_BYTES } from './body.ts'
import type { Cors } from './cors.ts'
import {
  BODY_TOO_LARGE,
  BUFFERS_FULL,
  EXPECTATION_FAILED,
  failureResponse,
  keyMissing,
  NOT_FOUND,
  rateLimited,
  TARGET_TOO_LONG,
  unsupportedMediaType,
} from './error-responses.ts'
import type { Exchange } from './exchange.ts'
import { MAX_TARGET_LENGTH } from './malformed.ts'
import type { Metrics } from './metrics.ts'
import { bodyLength, type HttpResponse } from './response.ts'
import { authorizationOf, type OperationHandlers } from './route.ts'
import { memoryBudget, type Reserve, whenClosed } from './slow-clients.ts'

export interface Pages {
  has(path: string): boolean
  /** The response to GET; undefined if the page is gone. */
  get(
    path: string,
    headers: IncomingHttpHeaders,
  ): MaybePromise<(HttpResponse & { readonly body: Uint8Array }) | undefined>
}

export interface HandlerOptions {
  readonly access: Access
  readonly metrics: Metrics
  readonly cors: Cors
  readonly operations: OperationHandlers
  readonly pages: Pages | undefined
  readonly bodyLimit: number
  /** For unread bodies and unsent large responses of all connections; one key or address can have an eighth (O19). */
  readonly bufferBytes: number
}

const SHARE = 1 / 8
/** For unsent pages, which need no key, and so have a budget of their own; an address can have a share. */
const PAGE_BUFFER_BYTES = 67_108_864
const SHARE_OF_PAGES = 1 / 4

export class RequestHandler {
  readonly #options: HandlerOptions
  readonly #reserve: Reserve
  readonly #reserveForPages = memoryBudget(PAGE_BUFFER_BYTES, SHARE_OF_PAGES)

  constructor(options: HandlerOptions) {
    this.#options = options
    this.#reserve = memoryBudget(options.bufferBytes, SHARE)
  }

  /** The response; undefined if the client hung up before there was one. Never throws or rejects. */
  handle(exchange: Exchange): MaybePromise<HttpResponse | undefined> {
    const fail = (cause: unknown) => failureResponse(cause, exchange.id)
    try {
      const found = whenReady(this.#admit(exchange), (admission) => this.#answer(exchange, admission))
      const answer = whenReady(found, (answer) => answer && this.#withinBuffers(exchange, answer))
      return answer instanceof Promise ? answer.catch(fail) : answer
    } catch (cause) {
      return fail(cause)
    }
  }

  /** Key and limit. A page counts towards no limit. */
  #admit(exchange: Exchange): MaybePromise<Admission> {
    const { access } = this.#options
    switch (exchange.route.endpoint.kind) {
      case 'page':
        return access.peekAddress(exchange.ip)
      case 'preflight':
        return this.#options.cors.allows(exchange.headers.origin)
          ? access.admitPreflight(exchange.ip)
          : access.admitAddress(exchange.ip)
      default:
        return access.admit(authorizationOf(exchange.request), exchange)
    }
  }

  #answer(exchange: Exchange, admission: Admission): MaybePromise<HttpResponse | undefined> {
    exchange.admission = admission
    const { headers, route } = exchange
    const { endpoint } = route
    if (endpoint.kind !== 'page') {
      const { key, verdict } = admission
      this.#options.metrics.countLimit(key?.plan ?? 'anonymous', verdict.admitted)
      if (!verdict.admitted) return rateLimited(verdict, key !== undefined)
    }
    switch (endpoint.kind) {
      case 'preflight':
        return expectationProblem(headers) ?? this.#options.cors.preflight(headers.origin)
      case 'page':
        return (
          expectationProblem(headers) ??
          whenReady(this.#options.pages?.get(route.path, headers), (page) => page ?? NOT_FOUND)
        )
      case 'none':
      case 'violation':
        return clientProblem(exchange) ?? endpoint.response
      case 'operation':
        return (
          clientProblem(exchange) ??
          expectationProblem(headers) ??
          (endpoint.hasBody
            ? this.#callWithBody(exchange, endpoint.operation)
            : this.#options.operations[endpoint.operation](route, NO_BODY, undefined))
        )
    }
  }

  async #callWithBody(exchange: Exchange, operation: keyof OperationHandlers): Promise<HttpResponse | undefined> {
    const { request, response, headers, route, body, admission } = exchange
    const call = (body: Buffer) => this.#options.operations[operation](route, body, admission?.key?.id)
    const coding = contentCodingProblem(request)
    if (coding !== undefined) return unsupportedMediaType(coding, ['Accept-Encoding', 'identity'])
    const type = mediaTypeProblem(request)
    if (type !== undefined) return unsupportedMediaType(type, ['Accept', 'application/json'])
    const size = maxBodySize(headers, this.#options.bodyLimit)
    if (size === undefined) return BODY_TOO_LARGE
    // RFC 9112 6.3: without both headers there is no body, and node emits no `end` for one.
    if (body === undefined) return call(NO_BODY)
    const release = size <= UNCOUNTED_BODY_BYTES ? undefined : this.#reserve(size, ...budgetOwners(exchange))
    if (release === undefined && size > UNCOUNTED_BODY_BYTES) return BUFFERS_FULL
    try {
      // An HTTP/1.0 client would take it for the response.
      if (headers.expect !== undefined && request.httpVersion !== '1.0') response.writeContinue()
      const bytes = await body.read()
      return Buffer.isBuffer(bytes) ? await call(bytes) : bytes
    } finally {
      release?.()
    }
  }

  /** 503 if the memory budget has no room for the body. */
  #withinBuffers(exchange: Exchange, answer: HttpResponse): HttpResponse {
    const { response, route, ip } = exchange
    // A HEAD gets no body, and a creation is done.
    if (typeof answer.body === 'string' || response.req.method !== 'GET') return answer
    const length = bodyLength(answer)
    const release =
      route.endpoint.kind === 'page'
        ? this.#reserveForPages(length, addressBucket(ip))
        : this.#reserve(length, ...budgetOwners(exchange))
    if (release === undefined) return BUFFERS_FULL
    whenClosed(response, release)
    return answer
  }
}

/** Whose shares of a memory budget a request counts towards. */
function budgetOwners({ ip, admission }: Exchange): readonly string[] {
  const lineage = admission?.key?.lineage
  return lineage === undefined ? [addressBucket(ip)] : [addressBucket(ip), `key:${lineage}`]
}

/** What is wrong with the key or the length of the target, whatever the path has. */
function clientProblem({ request, admission }: Exchange): HttpResponse | undefined {
  if (admission?.key === undefined) return keyMissing(authorizationOf(request))
  return (request.url ?? '').length > MAX_TARGET_LENGTH ? TARGET_TOO_LONG : undefined
}

function expectationProblem({ expect }: IncomingHttpHeaders): HttpResponse | undefined {
  return expect === undefined || expect.toLowerCase() === '100-continue' ? undefined : EXPECTATION_FAILED
}
