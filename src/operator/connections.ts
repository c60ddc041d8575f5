/** Time limits and closing of connections of the operator port. Pipelined requests are processed in order. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../common/clock.ts'
import { hasBody } from '../http/body.ts'
import { Pipeline } from '../http/connections.ts'
import { holdReading } from '../http/flooding.ts'
import { closeIdle, drainForHandover, socketsOf } from '../http/listener.ts'
import { READ_BYTES_PER_S } from '../http/slow-clients.ts'
import type { PortHooks } from './hooks.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Another handler limits the time of the body, which can arrive after the response. */
    isWatched: boolean
  }
}

/** Time limit for the rest of an answered request. */
const LINGER_MS = 1_000
/** Up to this size it is discarded, so that the connection can be reused. A smaller chunk counts as MIN_PIECE_BYTES. */
const MAX_DISCARDED_BYTES = 65_536
const MIN_PIECE_BYTES = 64
/** Time limit for reading a response, plus time for its length. */
const UNREAD_MS = 30_000

const inProgress = new WeakMap<Socket, ServerResponse>()

export const noteRequest: PortHooks['noteRequest'] = ({ raw }, reply, done) => {
  const { socket } = raw
  inProgress.set(socket, reply.raw)
  reply.raw.once('close', () => inProgress.delete(socket))
  done()
}

/** Closes idle connections, and returns the hooks that limit active ones. */
export function limitConnections(server: FastifyInstance, clock: Clock): Pick<PortHooks, 'awaitTurn' | 'limitTime'> {
  const pipeline = new Pipeline()
  closeIdle(server.server)
  server.decorateRequest('isWatched', false)
  return {
    awaitTurn(_request, { raw }, done) {
      if (raw.socket !== null) done()
      else pipeline.wait(raw, done)
    },
    limitTime({ raw: request, isWatched }, { raw }, payload, done) {
      if (hasBody(request.headers) && !request.complete && !isWatched) destroyUnlessComplete(request, clock)
      if (typeof payload === 'string' || payload instanceof Uint8Array) destroyIfUnread(raw, payload.length, clock)
      done()
    },
  }
}

/** Discards the rest of an unused body. The connection continues if the rest is small and arrives soon. */
function destroyUnlessComplete(request: IncomingMessage, clock: Clock): void {
  const { socket } = request
  let dropped = 0
  request.on('data', function drop({ length }: Buffer) {
    dropped += Math.max(length, MIN_PIECE_BYTES)
    if (dropped <= MAX_DISCARDED_BYTES) return
    request.off('data', drop)
    holdReading(socket)
  })
  const end = () => {
    if (!request.complete || socket.isPaused()) socket.destroy()
  }
  clock.after(LINGER_MS, end).unref()
}

/** Node's socket timeout restarts with every byte, so it does not work here. */
function destroyIfUnread(response: ServerResponse, length: number, clock: Clock): void {
  const withinMs = UNREAD_MS + (length / READ_BYTES_PER_S) * 1_000
  const timer = clock.after(withinMs, () => response.destroy()).unref()
  response.once('close', () => clock.cancel(timer))
}

/** While closing: time for a request to arrive, time to answer it, and the same after a handover. */
const UNFINISHED_MS = 500
const UNANSWERED_MS = 3_000
const HANDED_OVER_MS = 1_000

/** Call it before the server listens. */
export function createCloser(server: FastifyInstance, clock: Clock) {
  const connections = socketsOf(server.server, 'connection')
  // Over TLS, the socket of a request differs from the socket of the connection.
  const speaking = server.server instanceof TlsServer ? socketsOf(server.server, 'secureConnection') : connections
  let timeoutMs = UNANSWERED_MS
  const close = async () => {
    const unfinished = clock.after(UNFINISHED_MS, () => {
      for (const socket of speaking) if (inProgress.get(socket)?.req.complete !== true) socket.destroy()
    })
    const unanswered = clock.after(timeoutMs, () => {
      for (const socket of connections) socket.destroy()
    })
    await server.close()
    clock.cancel(unfinished)
    clock.cancel(unanswered)
  }
  /** Call it before `close` if another process takes over the socket. */
  const handOver = () => {
    timeoutMs = HANDED_OVER_MS
    return drainForHandover(server.server, speaking, (socket) => inProgress.get(socket), clock)
  }
  return { handOver, close }
}
