/**
 * What node's parser takes and the operator port does not: other protocols than HTTP/1.x, and transfer codings other
 * than chunked, as on the public port (O23).
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../common/clock.ts'
import { Protocols } from '../http/protocol.ts'

/** Call it before any other hook is added. */
export function addWireChecks(server: FastifyInstance, isTls: boolean, clock: Clock): void {
  const protocols = new Protocols(clock)
  protocols.watch(server.server, isTls ? 'secureConnection' : 'connection')
  const others = new WeakSet<IncomingMessage>()
  server.server.prependListener('request', (request: IncomingMessage) => {
    if (!protocols.isHttp(request)) others.add(request)
  })
  server.addHook('onRequest', (request, reply, done) => {
    const coding = request.headers['transfer-encoding']?.toLowerCase() ?? 'chunked'
    if (others.has(request.raw)) refuse(reply, 400, 'this is not HTTP')
    else if (coding === 'chunked') done()
    else if (coding.endsWith('chunked')) refuse(reply, 501, UNKNOWN_CODING)
    // The parser refuses it as well, and that has the one response (refusals.ts).
    else reply.hijack()
  })
}

export const UNKNOWN_CODING = 'the only transfer coding read here is chunked'

function refuse(reply: FastifyReply, status: number, why: string): void {
  reply.code(status).header('Connection', 'close').send({ status: why })
}
