/** How the operator port closes: quickly, but after the requests under way. */
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../common/clock.ts'
import { part, socketsOf } from '../http/listener.ts'

/** How long a request may still take to arrive, and how long to be answered. */
const UNFINISHED_MS = 500
const UNANSWERED_MS = 3_000

interface Closer {
  /** Before `close`, where another process listens on the socket next. */
  part(): Promise<void>
  /** Takes three seconds at most. */
  close(): Promise<void>
}

/** Call it before the server listens. */
export function operatorCloser(server: FastifyInstance, clock: Clock): Closer {
  const connections = socketsOf(server.server, 'connection')
  // Over TLS the socket of a request is not that of the connection.
  const speaking = server.server instanceof TlsServer ? socketsOf(server.server, 'secureConnection') : connections
  const requests = new Map<Socket, { readonly complete: boolean }>()
  server.addHook('onRequest', async ({ raw }, reply) => {
    const { socket } = raw
    requests.set(socket, raw)
    reply.raw.once('close', () => requests.delete(socket))
  })
  const close = async () => {
    const unfinished = clock.after(UNFINISHED_MS, () => {
      for (const socket of speaking) if (requests.get(socket)?.complete !== true) socket.destroy()
    })
    const unanswered = clock.after(UNANSWERED_MS, () => {
      for (const socket of connections) socket.destroy()
    })
    await server.close()
    clock.cancel(unfinished)
    clock.cancel(unanswered)
  }
  return { part: () => part(server.server, speaking, clock), close }
}
