/** Node's HTTP server, set so that it answers nothing by itself: its own answers would lack the limit headers (R15). */
import type { RequestListener, Server } from 'node:http'
import { Socket } from 'node:net'

/** Node ends header reading at this many bytes: 431, or 414 when the target alone is longer. */
const MAX_HEADERS_BYTES = 32_768
const TIMEOUT_CHECK_MS = 1_000
/** Longer than proxies keep an idle connection (60 s and less), so that none sends a request into one just closed here. */
const KEEP_ALIVE_MS = 72_000

export interface ListenerOptions {
  /** With a certificate the port speaks HTTPS. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  /** How long a request may take to arrive, in ms: its headers, and all of it. */
  readonly timeouts: { readonly headersMs: number; readonly requestMs: number }
  readonly onRequest: RequestListener
  /** CONNECT, which asks for a tunnel and not for a path. */
  readonly onConnect: (socket: Socket) => void
}

export function createListener({ tls, timeouts, onRequest, onConnect }: ListenerOptions): Server {
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
  server.on('connect', (_request, socket) => {
    if (socket instanceof Socket) onConnect(socket)
  })
  return server
}
