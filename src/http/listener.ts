/**
 * Node's HTTP server, set so that it answers nothing by itself: its own answers would lack the limit headers (R15). Every
 * socket that leaves node's hands goes to `onRefused`, and every connection, whatever state it is in, can be cut.
 */
import type { RequestListener, Server } from 'node:http'
import { Socket } from 'node:net'

/** Node ends header reading at this many bytes: 431, or 414 when the target alone is longer. */
const MAX_HEADERS_BYTES = 32_768
const TIMEOUT_CHECK_MS = 1_000
/** Longer than proxies keep an idle connection (60 s and less), so that none sends a request into one just closed here. */
const KEEP_ALIVE_MS = 72_000

/** What made HTTP's parser give up on a connection, or a failure of the connection itself. */
export interface ParserError extends Error {
  readonly code?: string | undefined
  readonly rawPacket?: unknown
  /** Where in the packet. */
  readonly bytesParsed?: number
}

/** How long a request may take to arrive, in ms: its headers, and all of it. */
export interface ArrivalTimeouts {
  readonly headersMs: number
  readonly requestMs: number
}

export interface ListenerOptions {
  /** With a certificate the port speaks HTTPS. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly timeouts: ArrivalTimeouts
  readonly onRequest: RequestListener
  /** What the parser refuses, and CONNECT, which asks for a tunnel and not for a path. */
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
  // Not by import statements, for the reason given in contract/errors.ts; and TLS only where it is used.
  const server =
    tls === undefined
      ? process.getBuiltinModule('node:http').createServer(options, onRequest)
      : process.getBuiltinModule('node:https').createServer({ ...options, ...tls }, onRequest)
  // A client that has sent all it had to say may close its side at once, and still gets its answers. Not in node's types.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Without these, node would answer 100 before the key was looked at, 417, and nothing at all.
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', onRequest)
  const refuse = (cause: ParserError, stream: unknown) => {
    if (!(stream instanceof Socket)) return
    // Node has taken its own listener off, and an error that nobody listens for ends the process.
    stream.on('error', ignore)
    onRefused(cause, stream)
  }
  server.on('connect', (_request, stream) => refuse(CONNECT, stream))
  server.on('clientError', refuse)
  return server
}

/** Closes the server: connections that are still open after `patienceMs` are cut, also those that never became HTTP. */
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
