/**
 * The public port, in the order in which a request meets it (O22): well-formed HTTP, preflight, key and limit, path and
 * method, media type, body. All that comes before a body is decided here, on node's own request; Fastify reads the bodies
 * and owns the life of the server. One `buildApp` serves production and tests; what it needs is passed in.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import fastify, { type FastifyError, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { type Eventual, whenReady } from '../common/eventual.ts'
import { BASE_PATH, GET_PET_REMOVAL_MS } from '../contract/operations.ts'
import type { Access, Admission } from '../domain/access.ts'
import { type PetStore, StoreUnavailable } from '../store/store.ts'
import { type Answer, error, json, rateLimited, send, unavailable } from './answer.ts'
import { Cors } from './cors.ts'
import { Exchange, trustProxies } from './exchange.ts'
import { createListener, type ListenerOptions } from './listener.ts'
import { MalformedRequests, type ParserError } from './malformed.ts'
import type { Metrics } from './metrics.ts'
import { PetsApi } from './pets.ts'
import { deprecationHeaders, MAX_TARGET_LENGTH, ORDERS_PATH, PETS_PATH } from './target.ts'

export interface AppOptions extends Pick<ListenerOptions, 'tls' | 'timeouts'> {
  readonly pets: PetStore
  readonly access: Access
  readonly clock: Clock
  readonly metrics: Metrics
  readonly log: Logger
  /** Names a request in the log. */
  readonly makeRequestId: () => string
  readonly bodyLimit: number
  readonly pageLinks: boolean
  readonly corsOrigins: readonly string[]
  /** Proxies whose forwarding headers are believed: addresses or networks. */
  readonly trustProxy: readonly string[]
  /** The base address as clients see it, where it is not this port's own. */
  readonly publicUrl: string | undefined
  /** What is served beside the interface with `--pages`, free of charge. */
  readonly pages: Pages | undefined
}

export interface Pages {
  has(path: string): boolean
  /** The answer to GET at a path that it has. */
  get(path: string, acceptEncoding: string | undefined): Eventual<Answer>
}

export interface App {
  readonly server: FastifyInstance
  /** From now on every request is answered 503, and its connection closed. */
  drain(): void
}

const SHUTDOWN_RETRY_AFTER_S = 2

/** Finds the exchange again when Fastify has read the body of its request. */
const EXCHANGE = Symbol('exchange')

interface ReadRequest extends IncomingMessage {
  [EXCHANGE]?: Exchange
}

export function buildApp(options: AppOptions): App {
  const { access, clock, log, metrics, pages } = options
  const listUrl = `${options.publicUrl ?? BASE_PATH}/pets`
  const api = new PetsApi({ pets: options.pets, clock, listUrl, pageLinks: options.pageLinks })
  const cors = new Cors(options.corsOrigins)
  const trust = trustProxies(options.trustProxy)
  const sunset = deprecationHeaders(listUrl)
  const malformed = new MalformedRequests({
    access,
    clock,
    answered: (answer) => metrics.answered('other', answer.status, 0),
  })
  let draining = false
  let readBody: RequestListener

  const server: FastifyInstance = fastify({
    serverFactory: (handler) => {
      readBody = handler
      const onConnect = (socket: ParserSocket) => void malformed.handle(CONNECT_REFUSED, socket)
      return createListener({ ...options, onRequest: arrive, onConnect })
    },
    clientErrorHandler: (cause: ParserError, socket: ParserSocket) => void malformed.handle(cause, socket),
    logger: false,
    bodyLimit: options.bodyLimit,
    return503OnClosing: false,
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  server.post(PETS_PATH, ({ raw, body }) => {
    conclude(raw, () => api.create(Buffer.isBuffer(body) ? body : NO_BODY))
  })
  server.setErrorHandler((cause: FastifyError, { raw }) => {
    conclude(raw, () => toAnswer(cause))
  })

  function arrive(request: IncomingMessage, response: ServerResponse): void {
    const exchange = new Exchange(request, response, trust)
    if (exchange.hasBody) malformed.noteResponse(response)
    answerWith(exchange, () =>
      whenReady(admit(exchange), (admission) => {
        exchange.admission = admission
        return refuse(exchange, admission) ?? route(exchange)
      }),
    )
  }

  /** Goes on with a request whose body has been read. */
  function conclude(request: ReadRequest, work: () => Eventual<Answer>): void {
    const exchange = request[EXCHANGE]
    if (exchange !== undefined) answerWith(exchange, work)
  }

  /** Sends what `work` answers, now or later; no answer means that Fastify goes on to read the body. */
  function answerWith(exchange: Exchange, work: () => Eventual<Answer | undefined>): void {
    const fail = (cause: unknown) => exit(exchange, toAnswer(cause))
    try {
      const done = whenReady(work(), (answer) => answer && exit(exchange, answer))
      if (!(done instanceof Promise)) return
      malformed.noteResponse(exchange.response)
      done.catch(fail)
    } catch (cause) {
      fail(cause)
    }
  }

  /** Key and limit. What is malformed, and a preflight, counts for the address; a page does not count. */
  function admit(exchange: Exchange): Eventual<Admission> {
    if (draining || isPage(exchange)) {
      return whenReady(access.lookAtAddress(exchange.ip), (verdict) => ({ key: undefined, verdict }))
    }
    return exchange.isMalformed || cors.isPreflight(exchange)
      ? access.enterByAddress(exchange.ip)
      : access.enter(exchange.headers.authorization, exchange)
  }

  function isPage({ path, isRead }: Exchange): boolean {
    return pages !== undefined && isRead && !path.startsWith(`${BASE_PATH}/`) && pages.has(path)
  }

  /** The answer to a request that may not go on to a path, or undefined. */
  function refuse(exchange: Exchange, { key, verdict }: Admission): Answer | undefined {
    if (draining) return unavailable('The service is shutting down; try again.', SHUTDOWN_RETRY_AFTER_S)
    if (isPage(exchange)) return undefined
    metrics.limited(key?.plan ?? 'anonymous', verdict.admitted, key && (key.label || key.id))
    if (!verdict.admitted) return rateLimited(verdict)
    if (exchange.isMalformed) return error(400, 'This is not a valid HTTP request.')
    if (cors.isPreflight(exchange)) return json(204, '', cors.preflightHeaders(exchange.headers.origin))
    if (key === undefined) return UNAUTHORIZED
    if (exchange.target.length > MAX_TARGET_LENGTH) return error(414, 'The address is too long.')
    return undefined
  }

  /** The answer of the path, or undefined when the body has to be read first. */
  function route(exchange: Exchange): Eventual<Answer> | undefined {
    const { path, petId, method, isRead, headers } = exchange
    if (isPage(exchange)) {
      exchange.operation = 'page'
      return pages?.get(path, headers['accept-encoding'])
    }
    const methods = methodsOf(exchange)
    if (methods === undefined && !(path === ORDERS_PATH && isRead)) return NOT_FOUND
    if (methods !== undefined && !methods.includes(method)) {
      const allowed = methods.join(', ')
      return error(405, `This path answers ${allowed}.`, ['Allow', allowed])
    }
    const expect = headers.expect?.toLowerCase()
    if (expect !== undefined && expect !== '100-continue')
      return error(417, 'The only expectation met here is 100-continue.')
    if (path === ORDERS_PATH) return error(501, 'Listing orders is not part of this service.')
    if (petId !== undefined) {
      exchange.operation = 'getPet'
      return api.get(petId)
    }
    if (isRead) {
      exchange.operation = 'listPets'
      return api.list(exchange.query)
    }
    exchange.operation = 'createPet'
    if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return UNSUPPORTED_MEDIA_TYPE
    // Not for a body that will be refused; and an HTTP/1.0 client would take the interim answer for the answer.
    const isWelcome = Number(headers['content-length'] ?? 0) <= options.bodyLimit
    if (expect !== undefined && isWelcome && exchange.request.httpVersion !== '1.0') exchange.response.writeContinue()
    const request: ReadRequest = exchange.request
    request[EXCHANGE] = exchange
    request.url = PETS_PATH // however it was spelled
    readBody(request, exchange.response)
    return undefined
  }

  function exit(exchange: Exchange, answer: Answer): void {
    const { request, response, operation, admission } = exchange
    if (malformed.hasAnswered(request) || response.headersSent) return
    const seconds = (performance.now() - exchange.arrivedAtMs) / 1000
    metrics.answered(operation, answer.status, seconds)
    if (answer.status >= 500 || log.isLevelEnabled('debug')) record(exchange, answer, seconds)
    send(response, answer, admission?.verdict ?? access.untouched(), extraHeaders(exchange))
  }

  /** The methods of a path that the interface knows (R7, R9, R11), or undefined for any other path. */
  function methodsOf({ path, petId }: Exchange): readonly string[] | undefined {
    if (path === PETS_PATH) return PETS_METHODS
    return petId !== undefined && clock() < GET_PET_REMOVAL_MS ? PET_METHODS : undefined
  }

  function extraHeaders({ petId, headers }: Exchange): readonly string[] {
    const deprecation = petId !== undefined && clock() < GET_PET_REMOVAL_MS ? sunset : NO_HEADERS
    if (cors.isOff && !draining) return deprecation
    return [...deprecation, ...cors.headers(headers.origin), ...(draining ? ['Connection', 'close'] : NO_HEADERS)]
  }

  function record({ method, path, operation, admission }: Exchange, { status, cause }: Answer, seconds: number): void {
    const line = {
      requestId: options.makeRequestId(),
      method,
      path,
      operation,
      status,
      keyId: admission?.key?.id,
      ms: Math.round(seconds * 1e6) / 1e3,
      err: cause,
    }
    const isTold = cause instanceof StoreUnavailable && cause.known
    if (status >= 500 && status !== 501 && !isTold) log.error(line, 'answered with an error')
    else log.debug(line, 'answered')
  }

  return {
    server,
    drain() {
      draining = true
    },
  }
}

type ParserSocket = Parameters<MalformedRequests['handle']>[1]

const CONNECT_REFUSED: ParserError = Object.assign(new Error('CONNECT'), { code: 'HPE_INVALID_METHOD' })
const PETS_METHODS: readonly string[] = ['GET', 'HEAD', 'POST']
const PET_METHODS: readonly string[] = ['GET', 'HEAD']
const NO_BODY = Buffer.alloc(0)
const NO_HEADERS: readonly string[] = []

const NOT_FOUND = error(404, 'There is nothing at this path.')
const UNSUPPORTED_MEDIA_TYPE = error(415, 'The body must be application/json without a content coding.')
const UNAUTHORIZED = error(401, 'A valid API key is needed: Authorization: Bearer <API_KEY>.', [
  'WWW-Authenticate',
  'Bearer',
])

/** A failure as what a client may know of it. Fastify's own codes are those of reading a body. */
function toAnswer(cause: unknown): Answer {
  if (cause instanceof StoreUnavailable) {
    const message =
      cause.outcome === 'unknown'
        ? 'The service cannot say whether this was done; look before you try again.'
        : 'The service cannot answer at the moment; try again.'
    return unavailable(message, cause.retryAfterS, cause)
  }
  switch (cause instanceof Error && 'code' in cause ? cause.code : undefined) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return error(413, 'The body is too large.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return UNSUPPORTED_MEDIA_TYPE
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return error(400, 'The body is not as long as Content-Length says.')
    default:
      return { ...error(500, 'Something went wrong here, not with the request.'), cause }
  }
}
