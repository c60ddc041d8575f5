/**
 * Sends the lists of the office compressed. Only answers to GET are: an answer to a write may hold a secret, and the length
 * of compressed text tells something of what is in it.
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { acceptsGzip } from '../../assets/assets.ts'

/** What fits into one packet is not sent faster. In UTF-16 units. */
const SHORT = 1_400

const compress = promisify(gzip)

export function compressLists(office: FastifyInstance): void {
  office.addHook('onSend', async (request, reply, payload) => {
    const isList = request.method === 'GET' && typeof payload === 'string' && payload.length > SHORT
    if (!isList || !acceptsGzip(request.headers['accept-encoding'])) return payload
    reply.header('Content-Encoding', 'gzip').header('Vary', 'Accept-Encoding').removeHeader('Content-Length')
    return compress(payload)
  })
}
