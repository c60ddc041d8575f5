/**
 * Node's HTTP server, set up so that it answers nothing by itself: its own responses would lack the limit headers
 * (R15). Every socket that node hands over goes to `onRefused`, and every connection can be closed, whatever state it
 * is in.
 */
import type { RequestListener, Server } from 'node:http'
import { Socket } from 'node:net'

/** Node stops reading headers at this many bytes: 431, or 414 if the target alone is longer. */
const MAX_HEADERS_BYTES = 32_768
const TIMEOUT_CHECK_MS = 1_000
/**
 * Longer than proxies keep an idle connection (60 s or less), so that none sends a request on a connection just closed
 * here.
 */
const KEEP_ALIVE_MS = 72_000

/** Why HTTP's parser rejected a connection, or an error of the connection itself. */
export interface ParserError extends Error {
  readonly code?: string | undefined
  readonly rawPacket?: unknown
  /** The offset in the packet. */
  readonly bytesParsed?: number
}

/** How long a request may take to arrive, in ms: its headers, and the whole request. */
export interface ArrivalTimeouts {
  readonly headersMs: number
  readonly requestMs: number
}

export interface ListenerOptions {
  /** With a certificate the port speaks HTTPS. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly timeouts: ArrivalTimeouts
  readonly onRequest: RequestListener
  /** For what the parser rejects, and for CONNECT, which asks for a tunnel instead of a path. */
  readonly onRefused: (cause: ParserError, socket: Socket) => void
}

const CONNECT: ParserError = Object.assign(new Error('CONNECT'), { code: 'CONNECT' })

export function createListener({ tls, timeouts, onRequest, onRefused }: ListenerOptions): Server {
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
  // A client that has sent everything may close its side at once and still gets its responses. Not in node's types.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Without these listeners node would send 100 before the key is checked, or 417, or nothing at all.
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', onRequest)
  const refuse = (cause: ParserError, stream: unknown) => {
    if (!(stream instanceof Socket)) return
    // Node has removed its own listener, and an error without a listener ends the process.
    stream.on('error', ignore)
    onRefused(cause, stream)
  }
  server.on('connect', (_request, stream) => refuse(CONNECT, stream))
  server.on('clientError', refuse)
  return server
}

/**
 * Closes the server. Connections still open after `patienceMs` are destroyed, including those that never sent a
 * request.
 */
export function closer(server: { on(event: 'connection', listener: (socket: Socket) => void): unknown }) {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return async (close: () => Promise<unknown>, patienceMs: number): Promise<void> => {
    const cut = setTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, patienceMs)
    await close()
    clearTimeout(cut)
  }
}

function ignore(): void {}
