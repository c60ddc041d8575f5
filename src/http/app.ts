/**
 * The public port: every hook and route, in the order in which a request meets them (O22): well-formed HTTP, preflight, key
 * and limit, path and method, media type, body. One `buildApp` serves production and tests; what it needs is passed in.
 */
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { Socket } from 'node:net'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import type { Logger } from 'pino'
import { BASE_PATH, GET_PET_REMOVAL_MS, type Operation } from '../contract/operations.ts'
import type { Access, Admission } from '../domain/access.ts'
import type { Metrics } from '../operator/metrics.ts'
import { type Clock, type Eventual, type PetStore, StoreUnavailable, whenReady } from '../store/store.ts'
import { type Answer, error, json, rateLimited, send, unavailable } from './answer.ts'
import { Cors } from './cors.ts'
import { MalformedRequests, type ParserError } from './malformed.ts'
import { PetsApi } from './pets.ts'
import { deprecationHeaders, hasBrokenEscape, isPetPath, MAX_TARGET_LENGTH, methodsOf, pathOf } from './target.ts'

export interface AppOptions {
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
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  /** What is served beside the interface with `--pages`, free of charge. */
  readonly pages: Pages | undefined
  /** How long a request may take to arrive, in ms: its headers, and all of it. */
  readonly timeouts: { readonly headersMs: number; readonly requestMs: number }
}

export interface Pages {
  /** The answer to GET at a path, or undefined where there is no page. */
  find(path: string, acceptEncoding: string | undefined): Answer | undefined
}

export interface App {
  readonly server: FastifyInstance
  /** From now on every request is answered 503, and its connection closed. */
  drain(): void
}

/** What a response counts as in the metrics. */
type Counted = Operation | 'page' | 'other'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is asking and what is left to them; set before any route is looked at. */
    admission: Admission | undefined
    arrivedAtMs: number
  }
}

/** Node ends header reading at this many bytes: 431, or 414 when the target alone is longer. */
const MAX_HEADERS_BYTES = 32_768
const TIMEOUT_CHECK_MS = 1_000
const SHUTDOWN_RETRY_AFTER_S = 2

export function buildApp(options: AppOptions): App {
  const { access, clock, log, metrics } = options
  const listUrl = `${options.publicUrl ?? BASE_PATH}/pets`
  const api = new PetsApi({ pets: options.pets, clock, listUrl, pageLinks: options.pageLinks })
  const cors = new Cors(options.corsOrigins)
  const sunset = deprecationHeaders(listUrl)
  const malformed = new MalformedRequests({
    access,
    clock,
    answered: (answer) => metrics.answered('other', answer.status, 0),
  })
  let draining = false

  const settings: FastifyServerOptions<Server> = {
    serverFactory: (handler) => createServer(options, handler),
    logger: false,
    bodyLimit: options.bodyLimit,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    routerOptions: { querystringParser: () => ({}) },
    clientErrorHandler: (cause: ParserError, socket) => void malformed.handle(cause, socket),
    frameworkErrors: (_cause, request, reply) => {
      // A path whose escapes are no UTF-8: well-formed, and the path of nothing.
      arrive(request, reply, () => exit(request, reply, notFound(), 'other'))
    },
  }
  const server: FastifyInstance = fastify(settings)

  server.decorateRequest('admission', undefined)
  server.decorateRequest('arrivedAtMs', 0)
  server.addHook('onRequest', arrive)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  server.setErrorHandler((cause: FastifyError, request, reply) => fail(request, reply, cause, 'createPet'))
  server.setNotFoundHandler((request, reply) => exit(request, reply, notFound(), 'other'))

  const list = (request: FastifyRequest) =>
    api.list(request.url.slice(request.url.indexOf('?') + 1 || request.url.length))
  const get = (request: FastifyRequest) => api.get((request.params as { petId: string }).petId)
  route(['GET', 'HEAD'], '/pets', 'listPets', list)
  route(['POST'], '/pets', 'createPet', (request) => api.create(Buffer.isBuffer(request.body) ? request.body : NO_BODY))
  route(['GET', 'HEAD'], '/pets/:petId', 'getPet', get)
  // Named by the interface, but not defined there (O2).
  route(['GET', 'HEAD'], '/store/orders', 'other', () => error(501, 'Listing orders is not part of this service.'))

  // Without these listeners node would answer by itself: 100 before the key was looked at, 417 and 4xx without our headers.
  server.server.on('checkContinue', (request, response) => server.routing(request, response))
  server.server.on('checkExpectation', (request, response) => server.routing(request, response))
  server.server.on('connect', (_request, socket) => {
    if (!(socket instanceof Socket)) return
    void malformed.handle(Object.assign(new Error('CONNECT'), { code: 'HPE_INVALID_METHOD' }), socket)
  })

  function route(
    method: string[],
    path: string,
    operation: Counted,
    handle: (request: FastifyRequest) => Eventual<Answer>,
  ): void {
    server.route({
      method,
      url: BASE_PATH + path,
      handler: (request, reply) => {
        finish(request, reply, operation, () => handle(request))
      },
    })
  }

  /** The checks that come before any route; `next` goes on to the route. */
  function arrive(request: FastifyRequest, reply: FastifyReply, next: () => void): void {
    request.arrivedAtMs = performance.now()
    const answer = (answer: Answer) => exit(request, reply, answer, 'other')
    try {
      const admitted = whenReady(admit(request), (admission) => {
        request.admission = admission
        const refused = refuse(request, admission)
        if (refused !== undefined) return answer(refused)
        if (request.headers.expect !== undefined) reply.raw.writeContinue()
        next()
      })
      if (!(admitted instanceof Promise)) return
      malformed.track(request.raw.socket, admitted)
      admitted.catch((cause) => fail(request, reply, cause, 'other'))
    } catch (cause) {
      fail(request, reply, cause, 'other')
    }
  }

  /** Key and limit. What is malformed, and a preflight, counts for the address. */
  function admit(request: FastifyRequest): Eventual<Admission> {
    if (draining) return whenReady(access.lookAtAddress(request.ip), (verdict) => ({ key: undefined, verdict }))
    const { headers } = request
    if (findPage(request) !== undefined) {
      return whenReady(access.lookAtAddress(request.ip), (verdict) => ({ key: undefined, verdict }))
    }
    return isMalformed(request) || cors.isPreflight(request.method, headers)
      ? access.enterByAddress(request.ip)
      : access.enter(headers.authorization, request)
  }

  function findPage({ url, method, headers }: FastifyRequest): Answer | undefined {
    if (options.pages === undefined || url.startsWith(`${BASE_PATH}/`) || !(method === 'GET' || method === 'HEAD'))
      return undefined
    return options.pages.find(pathOf(url), headers['accept-encoding'])
  }

  /** The answer that ends a request before any route, or undefined to go on. */
  function refuse(request: FastifyRequest, { key, verdict }: Admission): Answer | undefined {
    const { headers, method } = request
    if (draining) return unavailable('The service is shutting down; try again.', SHUTDOWN_RETRY_AFTER_S)
    const page = findPage(request)
    if (page !== undefined) return page
    metrics.limited(key?.plan ?? 'anonymous', verdict.admitted, key && (key.label || key.id))
    if (!verdict.admitted) return rateLimited(verdict)
    if (isMalformed(request)) return error(400, 'This is not a valid HTTP request.')
    if (cors.isPreflight(method, headers)) return json(204, '', cors.preflightHeaders(headers.origin))
    if (key === undefined) return UNAUTHORIZED
    if (request.url.length > MAX_TARGET_LENGTH) return error(414, 'The address is too long.')
    if (request.is404) {
      const methods = methodsOf(pathOf(request.url), clock())
      if (methods === undefined || methods.split(', ').includes(method)) return notFound()
      return error(405, `This path answers ${methods}.`, ['Allow', methods])
    }
    if (clock() >= GET_PET_REMOVAL_MS && isPetPath(pathOf(request.url))) return notFound()
    if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
      return error(417, 'The only expectation met here is 100-continue.')
    }
    if (method === 'POST' && (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
      return error(415, 'The body must be application/json without a content coding.')
    }
    return undefined
  }

  function finish(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: Counted,
    handle: () => Eventual<Answer>,
  ): void {
    try {
      const answered = whenReady(handle(), (answer) => exit(request, reply, answer, operation))
      if (!(answered instanceof Promise)) return
      malformed.track(request.raw.socket, answered)
      answered.catch((cause) => fail(request, reply, cause, operation))
    } catch (cause) {
      fail(request, reply, cause, operation)
    }
  }

  function fail(request: FastifyRequest, reply: FastifyReply, cause: unknown, operation: Counted): void {
    exit(request, reply, toAnswer(cause), operation)
  }

  function exit(request: FastifyRequest, reply: FastifyReply, answer: Answer, operation: Counted): void {
    if (malformed.hasEnded(request.raw.socket) || reply.raw.headersSent) return
    const seconds = (performance.now() - request.arrivedAtMs) / 1000
    metrics.answered(operation, answer.status, seconds)
    if (answer.status >= 500 || log.isLevelEnabled('debug')) record(request, answer, operation, seconds)
    send(reply.raw, answer, request.admission?.verdict ?? access.untouched(), extraHeaders(request, operation))
  }

  function extraHeaders(request: FastifyRequest, operation: Counted): readonly string[] {
    const isDeprecated = operation === 'getPet' || (operation === 'other' && isPetPath(pathOf(request.url)))
    const headers = isDeprecated && clock() < GET_PET_REMOVAL_MS ? sunset : NO_HEADERS
    if (cors.isOff && !draining) return headers
    return [...headers, ...cors.headers(request.headers.origin), ...(draining ? ['Connection', 'close'] : [])]
  }

  function record(request: FastifyRequest, answer: Answer, operation: Counted, seconds: number): void {
    const line = {
      requestId: options.makeRequestId(),
      method: request.method,
      path: pathOf(request.url),
      operation,
      status: answer.status,
      keyId: request.admission?.key?.id,
      ms: Math.round(seconds * 1e6) / 1e3,
      err: answer.cause,
    }
    if (answer.status >= 500 && answer.status !== 501) log.error(line, 'answered with an error')
    else log.debug(line, 'answered')
  }

  return {
    server,
    drain() {
      draining = true
    },
  }
}

function createServer({ tls, timeouts }: AppOptions, handler: RequestListener): Server {
  const options = {
    requireHostHeader: false, // node's own answer to a missing Host would lack the limit headers
    maxHeaderSize: MAX_HEADERS_BYTES,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, timeouts.headersMs),
  }
  return tls === undefined ? createHttpServer(options, handler) : createHttpsServer({ ...options, ...tls }, handler)
}

const NO_BODY = Buffer.alloc(0)
const NO_HEADERS: readonly string[] = []

const UNAUTHORIZED = error(401, 'A valid API key is needed: Authorization: Bearer <API_KEY>.', [
  'WWW-Authenticate',
  'Bearer',
])

function notFound(): Answer {
  return error(404, 'There is nothing at this path.')
}

/** What the parser lets through and HTTP does not: broken escapes in the target (O18), HTTP/1.1 without a Host. */
function isMalformed(request: FastifyRequest): boolean {
  return hasBrokenEscape(request.url) || (request.headers.host === undefined && request.raw.httpVersion === '1.1')
}

/** A failure as what a client may know of it. Fastify's own codes are those of reading a body. */
function toAnswer(cause: unknown): Answer {
  if (cause instanceof StoreUnavailable) {
    return unavailable('The service cannot answer at the moment; try again.', cause.retryAfterS, cause)
  }
  switch (cause instanceof Error && 'code' in cause ? cause.code : undefined) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return error(413, 'The body is too large.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return error(415, 'The body must be application/json without a content coding.')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return error(400, 'The body is not as long as Content-Length says.')
    default:
      return { ...error(500, 'Something went wrong here, not with the request.'), cause }
  }
}
