/**
 * The responses of the operator port from 400 up; each has the id of its request, as the log does. Outside of the
 * office a refusal is a sentence in `status`, also for requests that never reach a route.
 */
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { reasonPhrase } from '../contract/errors.ts'
import { clientAddress, type TrustProxy } from '../http/client-address.ts'
import type { ParserError } from '../http/listener.ts'
import { REQUEST_ID_HEADER, type RequestIds } from '../http/request-id.ts'
import { destroySoon } from './connections.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request is called in the log and in a response from 400 up. */
    readonly quotedId: string
  }
}

const UNKNOWN_CODING = 'the only transfer coding read here is chunked'

/** Answers requests without a route before their body is read, which Fastify would do first. */
export function addNotFoundHandler(server: FastifyInstance, answer: (reply: FastifyReply) => void): void {
  server.setNotFoundHandler((_request, reply) => answer(reply))
  server.addHook('preParsing', ({ is404 }, reply, _payload, done) => {
    if (is404) answer(reply)
    else done()
  })
}

/** Fastify's options for refusals that it makes before routing. */
export function errorOptions(ids: RequestIds, log: Logger, trustProxy: TrustProxy, clock: Clock) {
  return {
    // Routes answer while the port closes; /readyz reports it.
    return503OnClosing: false,
    frameworkErrors({ code }: FastifyError, { raw }: FastifyRequest, reply: FastifyReply) {
      const [status, why] =
        code === 'FST_ERR_BAD_URL' ? [400, 'the path cannot be decoded'] : [414, 'a part of the path is too long']
      const requestId = ids.idOf(raw)
      const client = clientAddress(raw, trustProxy)
      log.debug({ requestId, client, method: raw.method, ms: msOf(reply), status }, 'answered')
      reply.code(status).header(REQUEST_ID_HEADER, requestId).send({ status: why })
    },
    clientErrorHandler({ code, reason }: ParserError, socket: Socket) {
      if (!socket.writable || !/^HPE_|^ERR_HTTP_REQUEST_TIMEOUT$/.test(code ?? '')) {
        socket.destroy()
        return
      }
      const [status, why] =
        code === 'HPE_HEADER_OVERFLOW'
          ? [431, 'the headers are too large']
          : code === 'ERR_HTTP_REQUEST_TIMEOUT'
            ? [408, 'the request took too long to arrive']
            : code === 'HPE_INVALID_TRANSFER_ENCODING' && !reason?.includes('Content-Length')
              ? [501, UNKNOWN_CODING]
              : [400, 'this is not HTTP']
      const body = JSON.stringify({ status: why })
      const requestId = ids.idOf(undefined)
      log.debug({ requestId, client: socket.remoteAddress, status }, 'answered what HTTP’s parser refused')
      socket.end(
        `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n${REQUEST_ID_HEADER}: ${requestId}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
      destroySoon(socket, clock)
    },
  }
}

export function addErrorHandler(server: FastifyInstance, ids: RequestIds, log: Logger, trustProxy: TrustProxy): void {
  server.decorateRequest('quotedId', {
    getter(this: FastifyRequest) {
      const value = ids.idOf(this.raw)
      // Made once, and only for the requests that need it.
      Object.defineProperty(this, 'quotedId', { value })
      return value
    },
  })
  server.addHook('onSend', (request, reply, _payload, done) => {
    if (reply.statusCode >= 400) reply.header(REQUEST_ID_HEADER, request.quotedId)
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status } = reply
    if (status >= 400 && log.isLevelEnabled('debug')) {
      log.debug({ ...logFields(request, reply), client: clientAddress(request.raw, trustProxy), status }, 'answered')
    }
    done()
  })
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode < 500) return reply.code(statusCode).send({ status: error.message })
    log.error({ ...logFields(request, reply), status: 500, err: error }, 'answered with an error')
    return reply.code(500).send({ status: `this failed; the log says why, by the id ${request.quotedId}` })
  })
}

/** For the log. The path is the route's; the path of the request may hold what should not be logged. */
export function logFields(
  { quotedId, method, routeOptions }: FastifyRequest,
  reply: FastifyReply,
): Record<string, unknown> {
  return { requestId: quotedId, method, path: routeOptions.url, ms: msOf(reply) }
}

/** The time since the request arrived, to the microsecond. */
function msOf({ elapsedTime }: FastifyReply): number {
  return Math.round(elapsedTime * 1e3) / 1e3
}

/**
 * Refuses what node's parser takes and the operator port does not: other versions than HTTP/1.x, and transfer codings
 * other than chunked, as on the public port (O23). Call it before any other hook is added.
 */
export function addProtocolChecks(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    const { httpVersion, headers } = request.raw
    const coding = headers['transfer-encoding']?.toLowerCase() ?? 'chunked'
    if (httpVersion !== '1.1' && httpVersion !== '1.0') refuse(reply, 400, 'this is not HTTP/1.x')
    else if (coding === 'chunked') done()
    else if (coding.endsWith('chunked')) refuse(reply, 501, UNKNOWN_CODING)
    // The parser refuses it as well, and that has the one response.
    else reply.hijack()
  })
}

function refuse(reply: FastifyReply, status: number, why: string): void {
  reply.code(status).header('Connection', 'close').send({ status: why })
}
