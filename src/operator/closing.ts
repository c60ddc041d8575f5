/** How the operator port closes: quickly, but not in the middle of what somebody has asked for. */
import type { Server, Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'

/** A request that has not arrived yet is given so long, and one that has, to be answered. */
const UNFINISHED_MS = 500
const UNANSWERED_MS = 3_000

/** Call it before the server listens. The result closes the server, in three seconds at most. */
export function operatorCloser(server: FastifyInstance): () => Promise<void> {
  const connections = socketsOf(server.server, 'connection')
  // Over TLS a request comes on another socket than the connection.
  const speaking = server.server instanceof TlsServer ? socketsOf(server.server, 'secureConnection') : connections
  const requests = new Map<Socket, { readonly complete: boolean }>()
  server.addHook('onRequest', async ({ raw }, reply) => {
    const { socket } = raw
    requests.set(socket, raw)
    reply.raw.once('close', () => requests.delete(socket))
  })
  return async () => {
    const unfinished = setTimeout(() => {
      for (const socket of speaking) if (requests.get(socket)?.complete !== true) socket.destroy()
    }, UNFINISHED_MS)
    const unanswered = setTimeout(() => {
      for (const socket of connections) socket.destroy()
    }, UNANSWERED_MS)
    await server.close()
    clearTimeout(unfinished)
    clearTimeout(unanswered)
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
