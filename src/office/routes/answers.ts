/**
 * Compresses lists, and bounds the bytes of responses that wait to be read, over all connections. Not counted:
 * responses without a session, which are short or share the page's files; and downloads and event streams, which bound
 * themselves.
 */

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { accepts } from '../../assets/assets.ts'
import { Held } from '../../http/held.ts'
import { tooMuchHeld } from './routes.ts'

const HELD_BYTES = 32 << 20

export function boundResponses(office: FastifyInstance): void {
  const held = new Held(HELD_BYTES)
  office.addHook('onSend', async ({ person }, reply, payload) => {
    if (person === undefined || !(typeof payload === 'string' || payload instanceof Uint8Array)) return payload
    const length = Buffer.byteLength(payload)
    if (!held.take(length)) {
      const { status, code, message, headers } = tooMuchHeld()
      reply.code(status).headers(headers).type('application/json; charset=utf-8')
      reply.removeHeader('Content-Encoding').removeHeader('Content-Length')
      return JSON.stringify({ code, message })
    }
    reply.raw.once('close', () => held.give(length))
    return payload
  })
}

/** In UTF-16 units. A response that fits into one packet gains nothing by compression. */
const SHORT = 1_400

const compress = promisify(gzip)

/**
 * Compresses responses to GET only: one to a write may hold a secret, which the length of compressed text could reveal.
 */
export function compressLists(office: FastifyInstance): void {
  office.addHook('onSend', async (request, reply, payload) => {
    const isList = request.method === 'GET' && typeof payload === 'string' && payload.length > SHORT
    if (!isList || !accepts('gzip', request.headers['accept-encoding'])) return payload
    reply.header('Content-Encoding', 'gzip').header('Vary', 'Accept-Encoding').removeHeader('Content-Length')
    return compress(payload)
  })
}
