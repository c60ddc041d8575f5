/** How the operator port closes: quickly, but after the requests under way. */
import type { Server, Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../common/clock.ts'

/** How long a request may still take to arrive, and how long to be answered. */
const UNFINISHED_MS = 500
const UNANSWERED_MS = 3_000

/** Call it before the server listens. The result closes the server, in three seconds at most. */
export function operatorCloser(server: FastifyInstance, clock: Clock): () => Promise<void> {
  const connections = socketsOf(server.server, 'connection')
  // Over TLS the socket of a request is not that of the connection.
  const speaking = server.server instanceof TlsServer ? socketsOf(server.server, 'secureConnection') : connections
  const requests = new Map<Socket, { readonly complete: boolean }>()
  server.addHook('onRequest', async ({ raw }, reply) => {
    const { socket } = raw
    requests.set(socket, raw)
    reply.raw.once('close', () => requests.delete(socket))
  })
  return async () => {
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
}

function socketsOf(server: Server, event: 'connection' | 'secureConnection'): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on(event, (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}
