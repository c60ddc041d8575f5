/**
 * The public port, in the order in which a request meets it (O22): well-formed HTTP, preflight, key and limit, path and
 * method, media type, body. `#receive`, `#admit`, `#answer` and `#respond` are that order; what each request asks for is
 * found out once (route.ts). Production and tests use this one class; what it needs is passed in.
 */
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { type MaybePromise, whenReady } from '../common/maybe-promise.ts'
import { BASE_PATH } from '../contract/operations.ts'
import { type Access, type Admission, addressBucket } from '../domain/access.ts'
import type { Store } from '../store/store.ts'
import {
  contentCodingProblem,
  hasBody,
  IncomingBody,
  maxBodySize,
  mediaTypeProblem,
  NO_BODY,
  requestsUpgrade,
  UNCOUNTED_BODY_BYTES,
} from './body.ts'
import { clientAddress, compileTrustProxy, type TrustProxy } from './client-address.ts'
import { Connections } from './connections.ts'
import { Cors } from './cors.ts'
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
import { Exchange } from './exchange.ts'
import { Floods } from './flooding.ts'
import { connectionLimit, IdleConnections } from './idle-connections.ts'
import {
  type ArrivalTimeouts,
  closeServer,
  createListener,
  drainForHandover,
  type ListenerOptions,
  socketsOf,
} from './listener.ts'
import { MAX_TARGET_LENGTH } from './malformed.ts'
import type { Metrics } from './metrics.ts'
import { PetsApi } from './pets.ts'
import { type IdOf, REQUEST_ID_HEADER, requestIds } from './request-id.ts'
import { RequestLog, type StoreFailures } from './request-log.ts'
import { bodyLength, type HttpResponse, send, toRawResponse } from './response.ts'
import { authorizationOf, hasUnsupportedTransferCoding, type OperationHandlers, type Route, Router } from './route.ts'
import { memoryBudget, type Reserve, sendTimeout, whenClosed } from './slow-clients.ts'

export interface PublicPortOptions extends Pick<ListenerOptions, 'tls'> {
  readonly store: Store
  readonly access: Access
  readonly clock: Clock
  readonly metrics: Metrics
  readonly log: Logger
  readonly failures: StoreFailures
  /** A new name for a request, for the log and for responses from 400 up. */
  readonly makeRequestId: () => string
  readonly bodyLimit: number
  /**
   * The most bytes of unread bodies and unsent large answers over all connections; one key, or one address, may have an
   * eighth of it (O19).
   */
  readonly bufferBytes: number
  /** The most open connections; without it, as many as the system's limit on open files allows. */
  readonly maxConnections?: number | undefined
  readonly pageLinks: boolean
  readonly corsOrigins: readonly string[]
  /** Proxies whose forwarding headers are believed: addresses or networks. */
  readonly trustProxy: readonly string[]
  /** The base address as clients see it, where it is not this port's own. */
  readonly publicUrl: string | undefined
  /** What `--pages` serves beside the interface; its requests count towards no limit. */
  readonly pages: Pages | undefined
  readonly timeouts: ArrivalTimeouts & {
    /** A peer that reads nothing of a response for so many ms is disconnected. */
    readonly sendMs: number
  }
}

export interface Pages {
  has(path: string): boolean
  /**
   * The response to GET at a path that it has; the headers are the request's. Undefined if nothing is there any more.
   */
  get(
    path: string,
    headers: IncomingHttpHeaders,
  ): MaybePromise<(HttpResponse & { readonly body: Uint8Array }) | undefined>
}

/** The part of `bufferBytes` that one key, or one address, may have. */
const SHARE = 1 / 8
/**
 * The most bytes of pages that are unsent, and the share of one address. Pages need no key, so their budget is apart
 * from that of the interface.
 */
const PAGE_BUFFER_BYTES = 67_108_864
const SHARE_OF_PAGES = 1 / 4
/** Connections that may wait to be accepted while one process takes over from another; the system may allow fewer. */
const BACKLOG = 4_096
/** Connections that are still busy this long after `close` are destroyed. */
const DRAIN_MS = 6_000

export class PublicPort {
  readonly server: Server
  readonly #options: PublicPortOptions
  readonly #handlers: OperationHandlers
  readonly #router: Router
  readonly #cors: Cors
  readonly #trust: TrustProxy
  readonly #idOf: IdOf
  readonly #connections: Connections
  readonly #reserve: Reserve
  readonly #reserveForPages = memoryBudget(PAGE_BUFFER_BYTES, SHARE_OF_PAGES)
  readonly #watchUnsent: (socket: Socket) => void
  readonly #log: RequestLog
  readonly #sockets: ReadonlySet<Socket>
  /** Those that have completed the TLS handshake; all of them if the port has no TLS. */
  readonly #httpSockets: ReadonlySet<Socket>
  readonly #idle: IdleConnections
  /** Pending while the store is still being opened: requests wait for it. */
  #opening: Promise<void> | undefined
  /** From `close` on each response closes its connection; not after `handOver`, as another process answers then. */
  isDraining = false
  #isHandedOver = false
  #latest: Exchange | undefined

  constructor(options: PublicPortOptions) {
    const { clock, pages } = options
    this.#options = options
    const listUrl = `${options.publicUrl ?? BASE_PATH}/pets`
    this.#cors = new Cors(options.corsOrigins)
    this.#router = new Router({
      clock,
      listUrl,
      schemes: [options.tls === undefined ? 'http' : 'https', options.publicUrl?.split(':')[0] ?? []].flat(),
      isPage: (path) => pages?.has(path) ?? false,
      isPreflight: (request) => this.#cors.isPreflight(request),
    })
    const hasGetPet = () => this.#router.hasGetPet()
    this.#handlers = new PetsApi({ store: options.store, listUrl, hasGetPet, pageLinks: options.pageLinks })
    this.#trust = compileTrustProxy(options.trustProxy)
    this.#idOf = requestIds(options.makeRequestId, this.#trust)
    this.#reserve = memoryBudget(options.bufferBytes, SHARE)
    this.#watchUnsent = sendTimeout(options.timeouts.sendMs, clock)
    this.#log = new RequestLog(options.log, clock, options.failures)
    this.server = createListener({
      ...options,
      onRequest: (request, response) => this.#receive(request, response),
      onParserError: (cause, socket) => this.#connections.reject(cause, socket),
    })
    this.#sockets = socketsOf(this.server, 'connection')
    const { maxConnections = connectionLimit(), log } = options
    this.#idle = new IdleConnections(maxConnections, this.#sockets, log, clock)
    this.server.on('connection', (socket: Socket) => this.#idle.onConnection(socket))
    const speaking = options.tls === undefined ? 'connection' : 'secureConnection'
    this.#httpSockets = speaking === 'connection' ? this.#sockets : socketsOf(this.server, speaking)
    const floods = new Floods(clock, this.#httpSockets)
    this.server.on(speaking, (socket: Socket) => floods.onConnection(socket))
    this.#connections = new Connections(
      (answer, socket, request) => this.#reject(answer, socket, request),
      clock,
      floods,
    )
  }

  /** The most recent request, for the log of a crash. */
  latestRequest(): Record<string, unknown> | undefined {
    return this.#latest && this.#log.fields(this.#latest)
  }

  /**
   * `fd` is a socket to use instead. Requests wait for `opening`. Rejects with the system's error if the port cannot be
   * bound.
   */
  async listen(host: string, port: number, fd?: number, opening?: Promise<void>): Promise<void> {
    this.#opening = opening?.then(() => {
      this.#opening = undefined
    })
    this.server.listen({ host, port, fd }, BACKLOG)
    await once(this.server, 'listening')
  }

  /** To be called before `close` if another process takes over the socket: then no request is lost. */
  async handOver(): Promise<void> {
    this.#isHandedOver = true
    const responseOf = (socket: Socket) => this.#connections.pendingOf(socket)
    await drainForHandover(this.server, this.#httpSockets, responseOf, this.#options.clock)
  }

  /** Stops accepting and finishes the requests in progress. */
  async close(): Promise<void> {
    this.isDraining = !this.#isHandedOver
    await closeServer(DRAIN_MS, this.server, this.#sockets, this.#options.clock)
  }

  /**
   * Counts what the parser rejected, for its address, or a CONNECT, for its key; the result makes the bytes of the
   * response.
   */
  async #reject(answer: HttpResponse, socket: Socket, request: IncomingMessage | undefined): Promise<() => string> {
    const { access, clock, metrics } = this.#options
    const ip = request === undefined ? (socket.remoteAddress ?? '') : clientAddress(request, this.#trust)
    const authorization = request && authorizationOf(request)
    const admission = await Promise.try(() =>
      request === undefined ? access.admitAddress(ip) : access.admit(authorization, { ip, operation: 'other' }),
    ).catch(() => undefined)
    const verdict = admission?.verdict ?? access.unusedAllowance()
    return () => {
      const hasKey = admission?.key !== undefined
      const own = request === undefined || hasKey ? answer : keyMissing(authorization)
      const final = verdict.admitted ? own : rateLimited(verdict, hasKey)
      const id = this.#idOf(request)
      metrics.countResponse('other', final.status, 0)
      if (admission !== undefined) access.countResponse(admission, 'other', final.status)
      this.#log.logRejected(final.status, id, ip)
      return toRawResponse(final, verdict, new Date(clock.now()), [REQUEST_ID_HEADER, id])
    }
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { headers, socket } = request
    const isChunked = headers['transfer-encoding'] !== undefined
    const takeChunk = isChunked ? this.#connections.chunkAllowance(socket) : undefined
    const body = hasBody(headers) ? new IncomingBody(request, this.#options.bodyLimit, takeChunk) : undefined
    if (this.#connections.isItsTurn(response)) this.#begin(request, response, body)
    else this.#connections.wait(response, body, () => this.#begin(request, response, body))
  }

  #begin(request: IncomingMessage, response: ServerResponse, body: IncomingBody | undefined): void {
    const arrivedAtMs = this.#options.clock.monotonic()
    const route = this.#router.find(request)
    const exchange = new Exchange(request, response, route, body, arrivedAtMs, this.#trust, this.#idOf)
    this.#latest = exchange
    this.#idle.onRequest(response)
    if (body !== undefined) this.#connections.markPending(response, body)
    try {
      const admission = this.#opening?.then(() => this.#admit(exchange)) ?? this.#admit(exchange)
      const answer = whenReady(admission, (admission) => this.#answer(exchange, admission))
      if (answer instanceof Promise) this.#respondLater(exchange, answer)
      else this.#respond(exchange, answer)
    } catch (cause) {
      this.#respond(exchange, failureResponse(cause, exchange.id))
    }
  }

  /** Key and limit. A page counts towards no limit. */
  #admit(exchange: Exchange): MaybePromise<Admission> {
    const { access } = this.#options
    switch (exchange.route.endpoint.kind) {
      case 'page':
        return access.peekAddress(exchange.ip)
      case 'preflight':
        return this.#cors.allows(exchange.headers.origin)
          ? access.admitPreflight(exchange.ip)
          : access.admitAddress(exchange.ip)
      default:
        return access.admit(authorizationOf(exchange.request), exchange)
    }
  }

  /** The response; undefined when the client hung up before it could be made. */
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
        return expectationProblem(headers) ?? this.#cors.preflight(headers.origin)
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
            : this.#handlers[endpoint.operation](route, NO_BODY, undefined))
        )
    }
  }

  /** Calls an operation with the body, or responds what is wrong with it. */
  async #callWithBody(exchange: Exchange, operation: keyof OperationHandlers): Promise<HttpResponse | undefined> {
    const { request, response, headers, route, body, admission } = exchange
    const call = (body: Buffer) => this.#handlers[operation](route, body, admission?.key?.id)
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
      // An HTTP/1.0 client would take the interim response for the response.
      if (headers.expect !== undefined && request.httpVersion !== '1.0') response.writeContinue()
      const bytes = await body.read()
      return Buffer.isBuffer(bytes) ? await call(bytes) : bytes
    } finally {
      release?.()
    }
  }

  #respondLater(exchange: Exchange, answer: Promise<HttpResponse | undefined>): void {
    this.#connections.markPending(exchange.response, exchange.body)
    answer.then(
      (answer) => this.#respond(exchange, answer),
      (cause: unknown) => this.#respond(exchange, failureResponse(cause, exchange.id)),
    )
  }

  #respond(exchange: Exchange, result: HttpResponse | undefined): void {
    const { route, body } = exchange
    const { clock, metrics } = this.#options
    body?.drop()
    const seconds = (clock.monotonic() - exchange.arrivedAtMs) / 1000
    if (result === undefined) {
      this.#log.logAborted(exchange)
      return
    }
    const answer = this.#withinBuffers(exchange, result)
    metrics.countResponse(route.endpoint.name, answer.status, seconds)
    this.#countResponse(exchange, answer.status)
    this.#log.logResponse(exchange, answer)
    this.#connections.send(exchange, typeof answer.body !== 'string', () => this.#send(exchange, answer))
  }

  /** For the ledger. */
  #countResponse({ admission, operation }: Exchange, status: number): void {
    if (admission !== undefined) this.#options.access.countResponse(admission, operation, status)
  }

  #send(exchange: Exchange, answer: HttpResponse): void {
    const { response, admission, isUnread } = exchange
    const { access } = this.#options
    const isLast = this.isDraining || isUnread || closesConnection(exchange)
    if (isLast || (this.#idle.isCrowded && admission?.key === undefined)) response.shouldKeepAlive = false
    const verdict = admission?.verdict ?? access.unusedAllowance()
    const own = this.#ownHeaders(exchange.route, exchange.headers)
    const more = answer.status < 400 ? own : [...own, REQUEST_ID_HEADER, exchange.id]
    send(response, answer, verdict, more, isUnread)
    if (isUnread) this.#connections.endUnread(response)
    if (response.writableLength > 0 && response.socket !== null) this.#watchUnsent(response.socket)
  }

  /** The response itself, or 503 if the memory budget has no room for its body. */
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

  /** What every response of a path has, and every response to a page of another origin. */
  #ownHeaders(route: Route, { origin }: IncomingHttpHeaders): readonly string[] {
    const cors = this.#cors.headers(origin)
    return cors.length === 0 ? route.headers : [...route.headers, ...cors]
  }
}

/** Whose shares of the memory budget a request counts towards. */
function budgetOwners({ ip, admission }: Exchange): readonly string[] {
  const lineage = admission?.key?.lineage
  return lineage === undefined ? [addressBucket(ip)] : [addressBucket(ip), `key:${lineage}`]
}

/** Whether the connection ends with this request, as what follows cannot or must not be read (RFC 9112 6.1). */
function closesConnection({ route: { endpoint }, request: { httpVersion }, headers }: Exchange): boolean {
  if (endpoint.kind === 'violation' || requestsUpgrade(headers)) return true
  return headers['transfer-encoding'] !== undefined && (httpVersion === '1.0' || hasUnsupportedTransferCoding(headers))
}

/** What a client is told of its key or target, whatever the path has; undefined if both are right. */
function clientProblem(exchange: Exchange): HttpResponse | undefined {
  const { request, admission } = exchange
  if (admission?.key === undefined) return keyMissing(authorizationOf(request))
  return (request.url ?? '').length > MAX_TARGET_LENGTH ? TARGET_TOO_LONG : undefined
}

function expectationProblem({ expect }: IncomingHttpHeaders): HttpResponse | undefined {
  return expect === undefined || expect.toLowerCase() === '100-continue' ? undefined : EXPECTATION_FAILED
}
