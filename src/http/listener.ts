/** Node's HTTP server without its own responses, which would lack the limit headers (R15). */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type Server as NetServer, Socket } from 'node:net'
import type { Clock } from '../common/clock.ts'

/** Node stops reading headers at this many bytes: 431, or 414 if the target alone is longer. */
const MAX_HEADERS_BYTES = 32_768
const TIMEOUT_CHECK_MS = 1_000
/** Longer than proxies keep an idle connection (60 s or less), so that none sends on a connection just closed here. */
const KEEP_ALIVE_MS = 72_000

/** How long a request may take to arrive, in ms: its headers, and the whole request. */
export interface ArrivalTimeouts {
  readonly headersMs: number
  readonly requestMs: number
}

/** Why HTTP's parser rejected a connection, or an error of the connection itself. */
export interface ParserError extends Error {
  readonly code?: string | undefined
  readonly reason?: string
  readonly rawPacket?: unknown
  readonly bytesParsed?: number
  /** Only for CONNECT. */
  readonly request?: IncomingMessage
}

export interface ListenerOptions {
  /** With a certificate the port speaks HTTPS. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly timeouts: ArrivalTimeouts
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void
  /** For what the parser rejects, and for CONNECT, which asks for a tunnel instead of a path. */
  readonly onParserError: (cause: ParserError, socket: Socket) => void
}

/** How long `drainForHandover` waits for an idle connection: the nginx of deploy/ closes its own after 4 s. */
const IDLE_MS = 4_500

export function createListener({ tls, timeouts, onRequest, onParserError }: ListenerOptions): Server {
  const options = {
    requireHostHeader: false,
    optimizeEmptyRequests: true,
    maxHeaderSize: MAX_HEADERS_BYTES,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, timeouts.headersMs),
  }
  // Not import statements, for the reason given in contract/errors.ts; and TLS is loaded only if it is used.
  const server =
    tls === undefined
      ? process.getBuiltinModule('node:http').createServer(options, onRequest)
      : process.getBuiltinModule('node:https').createServer({ ...options, ...tls }, onRequest)
  // A client that closes its side behind its requests still gets its responses. Not in node's types.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Over TLS each socket needs it, too, but only after its handshake.
  server.prependListener('secureConnection', (socket: Socket) => {
    socket.allowHalfOpen = true
  })
  // Without these listeners node would send 100 before the key is checked, or 417, or nothing at all.
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', onRequest)
  const refuse = (cause: ParserError, stream: unknown) => {
    if (!(stream instanceof Socket)) return
    // Node has removed its own listener, and an error without a listener ends the process.
    if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore)
    onParserError(cause, stream)
  }
  closeIdle(server)
  server.on('connect', (request, stream) => {
    refuse(Object.assign(new Error('CONNECT'), { code: 'CONNECT', request }), stream)
  })
  server.on('clientError', refuse)
  return server
}

/** Closes a connection that was idle for too long, unless a request has arrived on it while the event loop was held up. */
export function closeIdle(server: Server): void {
  server.on('timeout', (socket: Socket) => {
    const { bytesRead } = socket
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) socket.destroy()
    })
  })
}

export function socketsOf(
  server: Pick<NetServer, 'on'>,
  event: 'connection' | 'secureConnection',
): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on(event, (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/**
 * Ends each connection with its next response. An idle one waits up to IDLE_MS, since its client might be sending a
 * request. Resolves when each has ended or has a request in progress. New ones are answered until the server closes.
 */
export async function drainForHandover(
  server: Pick<Server, 'prependListener' | 'closeIdleConnections'>,
  sockets: ReadonlySet<Socket>,
  responseOf: (socket: Socket) => ServerResponse | undefined,
  clock: Clock,
): Promise<void> {
  const last = new WeakMap<Socket, ServerResponse>()
  const close = ({ socket }: { readonly socket: Socket }, response: ServerResponse) => {
    // Of pipelined requests, only the last response closes the connection.
    const before = last.get(socket)
    if (before?.headersSent === false) before.shouldKeepAlive = true
    response.shouldKeepAlive = false
    last.set(socket, response)
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, close)
  const open = new Set(sockets)
  const { promise: allClosed, resolve } = Promise.withResolvers<void>()
  const timer = clock.after(IDLE_MS, resolve)
  const closings = [...open].map((socket) => new Promise((closed) => socket.once('close', closed)))
  await Promise.race([allClosed, Promise.all(closings)])
  clock.cancel(timer)
  for (const socket of open) {
    if (socket.destroyed) continue
    const response = responseOf(socket)
    if (response?.writableFinished === false) response.shouldKeepAlive = false
    else if (socket.writableLength === 0) socket.destroy()
  }
  // Node would close connections that were just accepted and whose requests are unread.
  server.closeIdleConnections = () => {}
}

export async function closeServer(
  timeoutMs: number,
  server: Server,
  sockets: ReadonlySet<Socket>,
  clock: Clock,
): Promise<void> {
  const cut = clock.after(timeoutMs, () => {
    for (const socket of sockets) socket.destroy()
  })
  await new Promise((resolve) => server.close(resolve))
  clock.cancel(cut)
}

function ignore(): void {}
