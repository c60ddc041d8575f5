/**
 * The public port, in the order in which a request meets it (O22): well-formed HTTP, preflight, key and limit, path and
 * method, media type, body. `#arrive`, `#admit`, `#refuse`, `#answer` and `#exit` are that order; what each request
 * asks for is found out once (route.ts). Production and tests use this one class; what it needs is passed in.
 */
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { type Eventual, whenReady } from '../common/eventual.ts'
import { BASE_PATH } from '../contract/operations.ts'
import { type Access, type Admission, addressSubject } from '../domain/access.ts'
import type { PetStore } from '../store/store.ts'
import { type Answer, lengthOf, send } from './answer.ts'
import { asksForUpgrade, hasBody, NO_BODY, otherMediaType, readBody, sizeAtMost } from './body.ts'
import { type TrustProxy, trustProxies } from './client-address.ts'
import { Connections } from './connections.ts'
import { Cors } from './cors.ts'
import { Exchange } from './exchange.ts'
import { connectionsAtMost, IdleConnections } from './idle-connections.ts'
import { type ArrivalTimeouts, closeWithin, createListener, type ListenerOptions, part, socketsOf } from './listener.ts'
import { MAX_TARGET_LENGTH, RefusedRequests } from './malformed.ts'
import type { Metrics } from './metrics.ts'
import { PetsApi } from './pets.ts'
import {
  BODY_TOO_LARGE,
  failed,
  MALFORMED,
  methodNotAllowed,
  NO_ORDERS,
  NOT_FOUND,
  rateLimited,
  TARGET_TOO_LONG,
  TOO_MUCH_HELD,
  UNAUTHORIZED,
  UNEXPECTED,
  UNKNOWN_CODING,
  unsupportedMediaType,
} from './refusals.ts'
import { REQUEST_ID_HEADER, RequestIds } from './request-id.ts'
import { RequestLog, type StoreFailures } from './request-log.ts'
import { countedAs, hasOtherCoding, Router } from './route.ts'
import { MemoryBudget, UnreadResponses } from './slow-clients.ts'

export interface PublicPortOptions extends Pick<ListenerOptions, 'tls'> {
  readonly pets: PetStore
  readonly access: Access
  readonly clock: Clock
  readonly metrics: Metrics
  readonly log: Logger
  readonly failures: StoreFailures
  /** A new name for a request, for the log and for responses from 400 up. */
  readonly makeRequestId: () => string
  readonly bodyLimit: number
  /**
   * Bodies that are arriving and large lists that are not read may hold so many bytes over all connections, of which
   * one key, and one address, may have an eighth (O19).
   */
  readonly heldBytes: number
  /** How many connections there is room for; without it, as many as the system's limit on open files leaves. */
  readonly mostConnections?: number | undefined
  readonly pageLinks: boolean
  readonly corsOrigins: readonly string[]
  /** Proxies whose forwarding headers are believed: addresses or networks. */
  readonly trustProxy: readonly string[]
  /** The base address as clients see it, where it is not this port's own. */
  readonly publicUrl: string | undefined
  /** What `--pages` serves beside the interface; it counts for no limit. */
  readonly pages: Pages | undefined
  readonly timeouts: ArrivalTimeouts & {
    /** A peer that reads nothing for so many ms while a response is unsent is disconnected. */
    readonly unreadMs: number
  }
}

export interface Pages {
  has(path: string): boolean
  /**
   * The response to GET at a path that it has; the headers are the request's. Undefined if nothing is there any more.
   */
  get(path: string, headers: IncomingHttpHeaders): Eventual<(Answer & { readonly body: Uint8Array }) | undefined>
}

/** The part of `heldBytes` that one key, or one address, may have. */
const SHARE = 1 / 8
/**
 * A smaller body is not counted: its connection takes more. In bytes.
 */
const SMALL_BODY = 1_024
/**
 * The bytes of pages that clients may leave unread, and the part of one address. They need no key, so their budget is
 * apart from that of the interface.
 */
const PAGES_UNREAD_BYTES = 67_108_864
const SHARE_OF_PAGES = 1 / 4
/** How many connections may wait while one process follows another; the system may allow fewer. */
const BACKLOG = 4_096
/** Connections that are still busy this long after `close` are cut. */
const DRAIN_MS = 6_000

export class PublicPort {
  readonly server: Server
  readonly #options: PublicPortOptions
  readonly #api: PetsApi
  readonly #router: Router
  readonly #cors: Cors
  readonly #trust: TrustProxy
  readonly #ids: RequestIds
  readonly #connections: Connections
  readonly #held: MemoryBudget
  readonly #pagesHeld = new MemoryBudget(PAGES_UNREAD_BYTES, SHARE_OF_PAGES)
  readonly #unread: UnreadResponses
  readonly #log: RequestLog
  readonly #sockets: ReadonlySet<Socket>
  /** Those of them that have got through TLS, if the port speaks it. */
  readonly #speaking: ReadonlySet<Socket>
  readonly #idle: IdleConnections | undefined
  /** What requests wait for. */
  #opening: Promise<void> | undefined
  #isDraining = false
  #isParted = false
  #latest: Exchange | undefined

  constructor(options: PublicPortOptions) {
    const { access, clock, metrics, pages } = options
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
    this.#api = new PetsApi({ pets: options.pets, listUrl, hasGetPet, pageLinks: options.pageLinks })
    this.#trust = trustProxies(options.trustProxy)
    this.#ids = new RequestIds(options.makeRequestId, this.#trust)
    this.#held = new MemoryBudget(options.heldBytes, SHARE)
    this.#unread = new UnreadResponses(options.timeouts.unreadMs, clock)
    this.#log = new RequestLog(options.log, clock, options.failures)
    const answered = ({ status }: Answer, requestId: string, client: string) => {
      metrics.answered(countedAs(undefined), status, 0)
      this.#log.rejected(status, requestId, client)
    }
    const refused = new RefusedRequests({ access, clock, ids: this.#ids, answered })
    this.#connections = new Connections((answer, socket, broken) => refused.respond(answer, socket, broken), clock)
    this.server = createListener({
      ...options,
      onRequest: (request, response) => this.#arrive(request, response),
      onRefused: (cause, socket) => this.#connections.refuse(cause, socket),
    })
    this.#sockets = socketsOf(this.server, 'connection')
    const { mostConnections = connectionsAtMost(), log } = options
    if (mostConnections !== undefined) {
      const idle = new IdleConnections(mostConnections, this.#sockets, log)
      this.server.on('connection', (socket: Socket) => idle.accepted(socket))
      this.#idle = idle
    }
    this.#speaking = options.tls === undefined ? this.#sockets : socketsOf(this.server, 'secureConnection')
  }

  /** From `close` on each response closes its connection; not told after `part`, as another process answers then. */
  get isDraining(): boolean {
    return this.#isDraining
  }

  /** The request that was begun last, for the log. */
  latest(): Record<string, unknown> | undefined {
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

  /** Before `close`, where another process listens on the socket next: then every request is answered. */
  async part(): Promise<void> {
    this.#isParted = true
    await part(this.server, this.#speaking, this.#options.clock)
  }

  /** Stops accepting and finishes what is under way. */
  async close(): Promise<void> {
    this.#isDraining = !this.#isParted
    await closeWithin(DRAIN_MS, this.server, this.#sockets, this.#options.clock)
  }

  #arrive(request: IncomingMessage, response: ServerResponse): void {
    if (this.#connections.isNext(response)) this.#begin(request, response)
    else this.#connections.wait(response, () => this.#begin(request, response))
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const arrivedAtMs = this.#options.clock.monotonic()
    const route = this.#router.find(request)
    const exchange = new Exchange(request, response, route, arrivedAtMs, this.#trust, this.#ids)
    this.#latest = exchange
    this.#idle?.begun(response)
    if (hasBody(request.headers)) this.#connections.note(response)
    try {
      const admission = this.#opening?.then(() => this.#admit(exchange)) ?? this.#admit(exchange)
      const answer = whenReady(admission, (admission) => this.#answerTo(exchange, admission))
      if (answer instanceof Promise) this.#exitLater(exchange, answer)
      else this.#exit(exchange, answer)
    } catch (cause) {
      this.#exit(exchange, failed(cause, exchange.id))
    }
  }

  /** Key and limit. What is malformed counts for the address, whatever key it has; a page does not count. */
  #admit(exchange: Exchange): Eventual<Admission> {
    const { access } = this.#options
    switch (exchange.route.purpose) {
      case 'page':
        return access.lookAtAddress(exchange.ip)
      case 'malformed':
      case 'otherCoding':
        return access.enterByAddress(exchange.ip)
      case 'preflight':
        return this.#cors.allows(exchange.headers.origin)
          ? access.enterPreflight(exchange.ip)
          : access.enterByAddress(exchange.ip)
      default:
        return access.enter(exchange.authorization, exchange)
    }
  }

  #answerTo(exchange: Exchange, admission: Admission): Eventual<Answer | undefined> {
    exchange.admission = admission
    return this.#refuse(exchange, admission) ?? this.#answer(exchange)
  }

  /** The response to a request that may not go on to a path, or undefined. */
  #refuse({ request, route }: Exchange, { key, verdict }: Admission): Answer | undefined {
    if (route.purpose === 'page') return undefined
    this.#options.metrics.limited(key?.plan ?? 'anonymous', verdict.admitted, key?.id)
    if (!verdict.admitted) return rateLimited(verdict)
    if (route.purpose === 'malformed') return MALFORMED
    if (route.purpose === 'otherCoding') return UNKNOWN_CODING
    if (route.purpose === 'preflight') return undefined
    if (key === undefined) return UNAUTHORIZED
    return (request.url ?? '').length > MAX_TARGET_LENGTH ? TARGET_TOO_LONG : undefined
  }

  /** The response of the path; undefined when the client hung up before it could be made. */
  #answer(exchange: Exchange): Eventual<Answer | undefined> {
    const { route, headers } = exchange
    if (headers.expect !== undefined && route.purpose !== undefined && !isContinue(headers.expect)) return UNEXPECTED
    switch (route.purpose) {
      case 'listPets':
        return this.#api.list(route.query)
      case 'getPet':
        return this.#api.get(route.petId)
      case 'createPet':
        return this.#create(exchange)
      case 'listOrders':
        return NO_ORDERS
      case 'page':
        return whenReady(this.#options.pages?.get(route.path, headers), (page) => page ?? NOT_FOUND)
      case 'preflight':
        return this.#cors.preflight(headers.origin)
      default:
        return route.allow === undefined ? NOT_FOUND : methodNotAllowed(route.allow)
    }
  }

  async #create(exchange: Exchange): Promise<Answer | undefined> {
    const { request, response, headers, admission } = exchange
    const { bodyLimit } = this.#options
    const otherType = otherMediaType(request)
    if (otherType !== undefined) return unsupportedMediaType(otherType)
    const size = sizeAtMost(headers, bodyLimit)
    if (size === undefined) return BODY_TOO_LARGE
    // RFC 9112 6.3: it has none. Node never tells of the end of such a request.
    if (!hasBody(headers)) return this.#api.create(NO_BODY, undefined)
    const give = size <= SMALL_BODY ? undefined : this.#held.take(size, ...holdersOf(exchange))
    if (give === undefined && size > SMALL_BODY) return TOO_MUCH_HELD
    try {
      // An HTTP/1.0 client would take the interim response for the response.
      if (headers.expect !== undefined && request.httpVersion !== '1.0') response.writeContinue()
      const body = await readBody(request, bodyLimit)
      switch (body) {
        case 'too large':
          return BODY_TOO_LARGE
        case 'cut off':
          return MALFORMED
        case 'aborted':
          return undefined
        default:
          return await this.#api.create(body, admission?.key?.id)
      }
    } finally {
      give?.()
    }
  }

  #exitLater(exchange: Exchange, answer: Promise<Answer | undefined>): void {
    this.#connections.note(exchange.response)
    answer.then(
      (answer) => this.#exit(exchange, answer),
      (cause: unknown) => this.#exit(exchange, failed(cause, exchange.id)),
    )
  }

  #exit(exchange: Exchange, made: Answer | undefined): void {
    const { request, response, route } = exchange
    const { clock, metrics } = this.#options
    if (this.#connections.hasAnswered(request)) this.#noteAnswer(exchange, MALFORMED.status)
    if (this.#connections.hasAnswered(request) || response.headersSent) return
    const seconds = (clock.monotonic() - exchange.arrivedAtMs) / 1000
    if (made === undefined) {
      metrics.aborted += 1
      this.#log.aborted(exchange)
      return
    }
    const answer = this.#hold(exchange, made)
    metrics.answered(countedAs(route.purpose), answer.status, seconds)
    this.#noteAnswer(exchange, answer.status)
    this.#log.answered(exchange, answer)
    this.#connections.leave(response, typeof answer.body !== 'string', () => this.#send(exchange, answer))
  }

  /** For the ledger. */
  #noteAnswer({ admission, operation }: Exchange, status: number): void {
    if (admission !== undefined) this.#options.access.noteAnswer(admission, operation, status)
  }

  #send(exchange: Exchange, answer: Answer): void {
    const { response, admission } = exchange
    const { access } = this.#options
    if (this.#isDraining || isLast(exchange)) response.shouldKeepAlive = false
    send(response, answer, admission?.verdict ?? access.untouched(), this.#moreHeaders(exchange, answer.status))
    if (response.writableLength > 0 && response.socket !== null) this.#unread.watch(response.socket)
  }

  /** The response itself, or another one where there is no room for its body. */
  #hold(exchange: Exchange, answer: Answer): Answer {
    const { response, route, ip } = exchange
    if (typeof answer.body === 'string' || response.req.method === 'HEAD') return answer
    const length = lengthOf(answer)
    const give =
      route.purpose === 'page'
        ? this.#pagesHeld.take(length, addressSubject(ip))
        : this.#held.take(length, ...holdersOf(exchange))
    if (give === undefined) return TOO_MUCH_HELD
    response.once('close', give)
    return answer
  }

  #moreHeaders(exchange: Exchange, status: number): readonly string[] {
    const { route, headers } = exchange
    const cors = this.#cors.headers(headers.origin)
    if (cors.length === 0 && status < 400) return route.headers
    const id = status < 400 ? [] : [REQUEST_ID_HEADER, exchange.id]
    return [...route.headers, ...cors, ...id]
  }
}

/** In whose shares of the memory a request's body and response are. */
function holdersOf({ ip, admission }: Exchange): readonly string[] {
  const lineage = admission?.key?.lineage
  return lineage === undefined ? [addressSubject(ip)] : [addressSubject(ip), `key:${lineage}`]
}

/** Whether what follows the request on its connection cannot be read, or must not be (RFC 9112 6.1). */
function isLast({ route: { purpose }, request: { httpVersion }, headers }: Exchange): boolean {
  if (purpose === 'malformed' || asksForUpgrade(headers)) return true
  return headers['transfer-encoding'] !== undefined && (httpVersion === '1.0' || hasOtherCoding(headers))
}

function isContinue(expect: string): boolean {
  return expect.toLowerCase() === '100-continue'
}
