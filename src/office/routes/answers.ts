/**
 * What becomes of the office's responses before they are sent: lists are compressed, and the bytes that wait to be read
 * are bounded over all connections. What is sent without a session is short, or a file of the page, whose bytes all
 * responses share. What goes on for long is bounded where it is made.
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

/** What fits into one packet is not sent faster. In UTF-16 units. */
const SHORT = 1_400

const compress = promisify(gzip)

/**
 * Only responses to GET are compressed: a response to a write may hold a secret, and the length of compressed text
 * tells something of what is in it.
 */
export function compressLists(office: FastifyInstance): void {
  office.addHook('onSend', async (request, reply, payload) => {
    const isList = request.method === 'GET' && typeof payload === 'string' && payload.length > SHORT
    if (!isList || !accepts('gzip', request.headers['accept-encoding'])) return payload
    reply.header('Content-Encoding', 'gzip').header('Vary', 'Accept-Encoding').removeHeader('Content-Length')
    return compress(payload)
  })
}
