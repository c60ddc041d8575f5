/**
 * What node's parser takes and the operator port does not: other versions than HTTP/1.x, and transfer codings other
 * than chunked, as on the public port (O23).
 */
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Call it before any other hook is added. */
export function addWireChecks(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    const { httpVersion, headers } = request.raw
    const coding = headers['transfer-encoding']?.toLowerCase() ?? 'chunked'
    if (httpVersion !== '1.1' && httpVersion !== '1.0') refuse(reply, 400, 'this is not HTTP/1.x')
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
