/** The public port: takes requests in order, has them routed and handled, and sends the responses. */
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { BASE_PATH } from '../contract/operations.ts'
import type { Store } from '../store/store.ts'
import { hasBody, IncomingBody, requestsUpgrade } from './body.ts'
import { clientAddress, compileTrustProxy, type TrustProxy } from './client-address.ts'
import { Connections } from './connections.ts'
import { Cors } from './cors.ts'
import { failureResponse, keyMissing, rateLimited } from './error-responses.ts'
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
import { PetsApi } from './pets.ts'
import { type HandlerOptions, RequestHandler } from './request-handler.ts'
import { type IdOf, REQUEST_ID_HEADER, requestIds } from './request-id.ts'
import { RequestLog, type StoreFailures } from './request-log.ts'
import { type HttpResponse, send, toRawResponse } from './response.ts'
import { authorizationOf, hasUnsupportedTransferCoding, Router } from './route.ts'
import { sendTimeout } from './slow-clients.ts'

export interface PublicPortOptions
  extends Pick<ListenerOptions, 'tls'>,
    Pick<HandlerOptions, 'access' | 'metrics' | 'pages' | 'bodyLimit' | 'bufferBytes'> {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly failures: StoreFailures
  /** A new name for a request, for the log and for responses from 400 up. */
  readonly makeRequestId: () => string
  /** The most open connections; without it, as many as the system's limit on open files allows. */
  readonly maxConnections?: number | undefined
  readonly pageLinks: boolean
  readonly corsOrigins: readonly string[]
  /** Proxies whose forwarding headers are believed: addresses or networks. */
  readonly trustProxy: readonly string[]
  /** The base address as clients see it, if it is not this port's own. */
  readonly publicUrl: string | undefined
  readonly timeouts: ArrivalTimeouts & {
    /** Of a peer that reads nothing of a response. */
    readonly sendMs: number
  }
}

/** Connections that wait to be accepted; the system might allow fewer. */
const BACKLOG = 4_096
/** Busy connections are destroyed this long after `close`. */
const DRAIN_MS = 6_000

export class PublicPort {
  readonly server: Server
  readonly #options: PublicPortOptions
  readonly #handler: RequestHandler
  readonly #router: Router
  readonly #cors: Cors
  readonly #trust: TrustProxy
  readonly #idOf: IdOf
  readonly #connections: Connections
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
    const operations = new PetsApi({ store: options.store, listUrl, hasGetPet, pageLinks: options.pageLinks })
    this.#handler = new RequestHandler({ ...options, cors: this.#cors, operations })
    this.#trust = compileTrustProxy(options.trustProxy)
    this.#idOf = requestIds(options.makeRequestId, this.#trust)
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

  /** `fd` is a socket to use instead. Requests wait for `opening`. Rejects with the system's error. */
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

  async close(): Promise<void> {
    this.isDraining = !this.#isHandedOver
    await closeServer(DRAIN_MS, this.server, this.#sockets, this.#options.clock)
  }

  /** Counts a rejection for its address, or a CONNECT for its key; the result makes the bytes of the response. */
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
    const answer =
      this.#opening?.then(
        () => this.#handler.handle(exchange),
        (cause: unknown) => failureResponse(cause, exchange.id),
      ) ?? this.#handler.handle(exchange)
    if (answer instanceof Promise) {
      this.#connections.markPending(response, body)
      void answer.then((answer) => this.#respond(exchange, answer))
    } else this.#respond(exchange, answer)
  }

  #respond(exchange: Exchange, answer: HttpResponse | undefined): void {
    const { route, body, admission, operation } = exchange
    const { access, clock, metrics } = this.#options
    body?.drop()
    const seconds = (clock.monotonic() - exchange.arrivedAtMs) / 1000
    if (answer === undefined) {
      this.#log.logAborted(exchange)
      return
    }
    metrics.countResponse(route.endpoint.name, answer.status, seconds)
    if (admission !== undefined) access.countResponse(admission, operation, answer.status)
    this.#log.logResponse(exchange, answer)
    this.#connections.send(exchange, typeof answer.body !== 'string', () => this.#send(exchange, answer))
  }

  #send(exchange: Exchange, answer: HttpResponse): void {
    const { route, response, admission, isUnread, headers } = exchange
    const { access } = this.#options
    const isLast = this.isDraining || isUnread || closesConnection(exchange)
    if (isLast || (this.#idle.isCrowded && admission?.key === undefined)) response.shouldKeepAlive = false
    const verdict = admission?.verdict ?? access.unusedAllowance()
    const cors = this.#cors.headers(headers.origin)
    const own = cors.length === 0 ? route.headers : [...route.headers, ...cors]
    const more = answer.status < 400 ? own : [...own, REQUEST_ID_HEADER, exchange.id]
    send(response, answer, verdict, more, isUnread)
    if (isUnread) this.#connections.endUnread(response)
    if (response.writableLength > 0 && response.socket !== null) this.#watchUnsent(response.socket)
  }
}

/** Whether the connection ends with this request, as what follows cannot or must not be read (RFC 9112 6.1). */
function closesConnection({ route: { endpoint }, request: { httpVersion }, headers }: Exchange): boolean {
  if (endpoint.kind === 'violation' || requestsUpgrade(headers)) return true
  return headers['transfer-encoding'] !== undefined && (httpVersion === '1.0' || hasUnsupportedTransferCoding(headers))
}
