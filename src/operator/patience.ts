/**
 * The time limits of a connection of the operator port. Its requests are done one after the other. The rest of a body
 * that is answered already, a response that is not read, and a connection that was given up end soon, which frees their
 * memory. How long the body of a request may take is decided where it is read (office/routes/bodies.ts).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../common/clock.ts'
import { hasBody } from '../http/body.ts'
import { Pipeline } from '../http/pipeline.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the body, whose response may have left already, is watched until it has arrived. */
    isWatched: boolean
  }
}

/** How long a client may take to read the last response of its connection. */
const LINGER_MS = 1_000
/** How many bytes are read of a request that is answered already, so that the connection survives a small one. */
const DROPPED_BYTES = 65_536
/** A response may take so long to be read, in ms, and longer by its length in bytes at the rate. */
const UNREAD_MS = 30_000
const UNREAD_BYTES_PER_S = 8_192

/** Ends the connection when its client has had the time to read the response. */
export function endSoon(socket: Socket, clock: Clock): void {
  clock.after(LINGER_MS, () => socket.destroy()).unref()
}

export function boundConnections(server: FastifyInstance, clock: Clock): void {
  const pipeline = new Pipeline()
  server.decorateRequest('isWatched', false)
  server.addHook('onRequest', (_request, { raw }, done) => {
    if (raw.socket !== null) done()
    else pipeline.wait(raw, done)
  })
  server.addHook('onSend', (_request, { raw }, payload, done) => {
    if (typeof payload === 'string') cutUnread(raw, payload.length, clock)
    else if (payload instanceof Uint8Array) cutUnread(raw, payload.length, clock)
    done()
  })
  server.addHook('onResponse', ({ raw, isWatched }, _reply, done) => {
    if (hasBody(raw.headers) && !raw.complete && !isWatched) endUnlessComplete(raw, clock)
    done()
  })
}

/** Node drops what follows, however long it takes. */
function endUnlessComplete(request: IncomingMessage, clock: Clock): void {
  const { socket } = request
  let dropped = 0
  request.on('data', ({ length }: Buffer) => {
    dropped += length
    if (dropped > DROPPED_BYTES) socket.pause()
  })
  const end = () => {
    if (!request.complete || socket.isPaused()) socket.destroy()
  }
  clock.after(LINGER_MS, end).unref()
}

/** Node's own timeout of a socket starts again with every byte read. */
function cutUnread(response: ServerResponse, length: number, clock: Clock): void {
  const withinMs = UNREAD_MS + (length / UNREAD_BYTES_PER_S) * 1_000
  const patience = clock.after(withinMs, () => response.destroy()).unref()
  response.once('close', () => clock.cancel(patience))
}
