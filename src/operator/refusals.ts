/**
 * The answers of the operator port from 400 up: each carries the id of its request, which the log has too. Outside of the
 * office a refusal is a sentence in `status`, also of what never reaches a route.
 */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { REQUEST_ID_HEADER, type RequestIds } from '../http/request-id.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request is called in the log and in an answer from 400 up. */
    readonly quotedId: string
  }
}

/** Of what Fastify refuses before it has a route. */
export function refusalOptions(ids: RequestIds) {
  return {
    // While the port closes its routes answer; /readyz says so by itself.
    return503OnClosing: false,
    frameworkErrors({ code }: FastifyError, { raw }: FastifyRequest, reply: FastifyReply) {
      const [status, why] =
        code === 'FST_ERR_BAD_URL' ? [400, 'the path cannot be decoded'] : [414, 'a part of the path is too long']
      reply.code(status).header(REQUEST_ID_HEADER, ids.idOf(raw)).send({ status: why })
    },
    clientErrorHandler({ code }: NodeJS.ErrnoException, socket: Socket) {
      if (!socket.writable || !/^HPE_|^ERR_HTTP_REQUEST_TIMEOUT$/.test(code ?? '')) {
        socket.destroy()
        return
      }
      const [status, why] =
        code === 'HPE_HEADER_OVERFLOW'
          ? [431, 'the headers are too large']
          : code === 'ERR_HTTP_REQUEST_TIMEOUT'
            ? [408, 'the request took too long to arrive']
            : [400, 'this is not HTTP']
      const body = JSON.stringify({ status: why })
      socket.end(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${REQUEST_ID_HEADER}: ${ids.idOf(undefined)}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
    },
  }
}

export function addRefusals(server: FastifyInstance, ids: RequestIds, log: Logger): void {
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
  server.addHook('onResponse', (request, { statusCode: status }, done) => {
    if (status >= 400 && log.isLevelEnabled('debug')) log.debug({ ...describe(request), status }, 'answered')
    done()
  })
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode < 500) return reply.code(statusCode).send({ status: error.message })
    log.error({ ...describe(request), status: 500, err: error }, 'answered with an error')
    return reply.code(500).send({ status: `this failed; the log says why, by the id ${request.quotedId}` })
  })
}

/** For the log. The path is the route's, for others may hold what nobody should read. */
export function describe({ quotedId, method, routeOptions }: FastifyRequest): Record<string, unknown> {
  return { requestId: quotedId, method, path: routeOptions.url }
}
