/** Error responses of the operator port, each with the request id of the log. */
import type { Socket } from 'node:net'
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onResponseHookHandler,
  onSendHookHandler,
  preParsingHookHandler,
} from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import { reasonPhrase } from '../contract/errors.ts'
import { clientAddress, type TrustProxy } from '../http/client-address.ts'
import { closeLingering } from '../http/lingering-close.ts'
import type { ParserError } from '../http/listener.ts'
import { type IdOf, REQUEST_ID_HEADER } from '../http/request-id.ts'

declare module 'fastify' {
  interface FastifyRequest {
    readonly quotedId: string
  }
}

const UNKNOWN_CODING = 'the only transfer coding supported is chunked'

/** Returns a hook that answers 404 before the body is read. */
export function addNotFoundHandler(
  server: FastifyInstance,
  answer: (reply: FastifyReply) => void,
): preParsingHookHandler {
  server.setNotFoundHandler((_request, reply) => answer(reply))
  return ({ is404 }, reply, _payload, done) => {
    if (is404) answer(reply)
    else done()
  }
}

export function errorOptions(idOf: IdOf, log: Logger, trustProxy: TrustProxy, clock: Clock) {
  return {
    // Routes still answer while the port closes; /readyz reports it.
    return503OnClosing: false,
    frameworkErrors({ code }: FastifyError, { raw }: FastifyRequest, reply: FastifyReply) {
      const [status, why] =
        code === 'FST_ERR_BAD_URL' ? [400, 'the path cannot be decoded'] : [414, 'a part of the path is too long']
      const requestId = idOf(raw)
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
      const requestId = idOf(undefined)
      log.debug({ requestId, client: socket.remoteAddress, status }, 'answered a request that the HTTP parser refused')
      socket.write(
        `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n${REQUEST_ID_HEADER}: ${requestId}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
      closeLingering(socket, clock)
    },
  }
}

export function addErrorHandler(server: FastifyInstance, idOf: IdOf, log: Logger): void {
  server.decorateRequest('quotedId', {
    getter(this: FastifyRequest) {
      const value = idOf(this.raw)
      // Created only for requests that need it.
      Object.defineProperty(this, 'quotedId', { value })
      return value
    },
  })
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode < 500) return reply.code(statusCode).send({ status: error.message })
    log.error({ ...logFields(request, reply), status: 500, err: error }, 'answered with an error')
    return reply.code(500).send({ status: `something went wrong; the log says why under the id ${request.quotedId}` })
  })
}

/** Sends the request id with an error. */
export const nameFailure: onSendHookHandler = (request, reply, _payload, done) => {
  if (reply.statusCode >= 400) reply.header(REQUEST_ID_HEADER, request.quotedId)
  done()
}

export function failureLog(log: Logger, trustProxy: TrustProxy): onResponseHookHandler {
  return (request, reply, done) => {
    const { statusCode: status } = reply
    if (status >= 400 && log.isLevelEnabled('debug')) {
      log.debug({ ...logFields(request, reply), client: clientAddress(request.raw, trustProxy), status }, 'answered')
    }
    done()
  }
}

/** The path is the route's, because the request's path might contain secrets. */
export function logFields(
  { quotedId, method, routeOptions }: FastifyRequest,
  reply: FastifyReply,
): Record<string, unknown> {
  return { requestId: quotedId, method, path: routeOptions.url, ms: msOf(reply) }
}

/** To the microsecond. */
function msOf({ elapsedTime }: FastifyReply): number {
  return Math.round(elapsedTime * 1e3) / 1e3
}

/** Rejects other versions than HTTP/1.x and other transfer codings than chunked, as the public port does (O23). */
export const checkProtocol: onRequestHookHandler = (request, reply, done) => {
  const { httpVersion, headers } = request.raw
  const coding = headers['transfer-encoding']?.toLowerCase() ?? 'chunked'
  if (httpVersion !== '1.1' && httpVersion !== '1.0') refuse(reply, 400, 'this is not HTTP/1.x')
  else if (coding === 'chunked') done()
  else if (coding.endsWith('chunked')) refuse(reply, 501, UNKNOWN_CODING)
  // The parser's error handler sends the response.
  else reply.hijack()
}

function refuse(reply: FastifyReply, status: number, why: string): void {
  reply.code(status).header('Connection', 'close').send({ status: why })
}
