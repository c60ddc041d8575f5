/**
 * Node's HTTP server, set up so that it answers nothing by itself: its own responses would lack the limit headers
 * (R15). Every socket that node hands over goes to `onRefused`, and every connection can be closed, whatever state it
 * is in.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Clock } from '../common/clock.ts'
import { type ParserError, Protocols } from './protocol.ts'

/** Node stops reading headers at this many bytes: 431, or 414 if the target alone is longer. */
export const MAX_HEADERS_BYTES = 32_768
const TIMEOUT_CHECK_MS = 1_000
/**
 * Longer than proxies keep an idle connection (60 s or less), so that none sends a request on a connection just closed
 * here.
 */
const KEEP_ALIVE_MS = 72_000

/** How long a request may take to arrive, in ms: its headers, and the whole request. */
export interface ArrivalTimeouts {
  readonly headersMs: number
  readonly requestMs: number
}

export interface ListenerOptions {
  readonly clock: Clock
  /** With a certificate the port speaks HTTPS. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly timeouts: ArrivalTimeouts
  /** `isHttp` is false where the request is one of another protocol that node's parser takes. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse, isHttp: boolean) => void
  /** For what the parser rejects, and for CONNECT, which asks for a tunnel instead of a path. */
  readonly onRefused: (cause: ParserError, socket: Socket) => void
}

const CONNECT: ParserError = Object.assign(new Error('CONNECT'), { code: 'CONNECT' })

export function createListener({ clock, tls, timeouts, onRequest, onRefused }: ListenerOptions): Server {
  const options = {
    requireHostHeader: false,
    optimizeEmptyRequests: true,
    maxHeaderSize: MAX_HEADERS_BYTES,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, timeouts.headersMs),
  }
  const protocols = new Protocols(clock)
  const arrived = (request: IncomingMessage, response: ServerResponse) =>
    onRequest(request, response, protocols.isHttp(request))
  // Not import statements, for the reason given in contract/errors.ts; and TLS is loaded only if it is used.
  const server =
    tls === undefined
      ? process.getBuiltinModule('node:http').createServer(options, arrived)
      : process.getBuiltinModule('node:https').createServer({ ...options, ...tls }, arrived)
  protocols.watch(server, tls === undefined ? 'connection' : 'secureConnection')
  // A client that has sent everything may close its side at once and still gets its responses. Not in node's types.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Without these listeners node would send 100 before the key is checked, or 417, or nothing at all.
  server.on('checkContinue', arrived)
  server.on('checkExpectation', arrived)
  const refuse = (cause: ParserError, stream: unknown) => {
    if (!(stream instanceof Socket)) return
    // Node has removed its own listener, and an error without a listener ends the process.
    if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore)
    onRefused(protocols.withBegun(cause, stream), stream)
  }
  server.on('connect', (_request, stream) => refuse(CONNECT, stream))
  server.on('clientError', refuse)
  return server
}

/**
 * Closes the server. Connections still open after `patienceMs` are destroyed, including those that never sent a
 * request.
 */
export function closer(server: { on(event: 'connection', listener: (socket: Socket) => void): unknown }, clock: Clock) {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return async (close: () => Promise<unknown>, patienceMs: number): Promise<void> => {
    const cut = clock.after(patienceMs, () => {
      for (const socket of sockets) socket.destroy()
    })
    await close()
    clock.cancel(cut)
  }
}

function ignore(): void {}
