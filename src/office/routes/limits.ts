/**
 * Limits the memory of request bodies and unread responses, lets each person read all animals once at a time, and
 * compresses lists. Downloads are sent in pieces, so they do not count.
 */

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptsCoding } from '../../assets/assets.ts'
import type { Clock } from '../../common/clock.ts'
import { hasBody, maxBodySize } from '../../http/body.ts'
import { closeLingering } from '../../http/lingering-close.ts'
import { memoryBudget, whenClosed } from '../../http/slow-clients.ts'
import type { OfficeHooks } from '../../operator/hooks.ts'
import { UPLOAD_BYTES } from '../../rules/imports.ts'
import { OfficeRefusal, overloaded, unauthenticated } from './refusals.ts'
import { assertWanted, sessionOf } from './routes.ts'
import { tooLarge } from './uploads.ts'

/** A body must have arrived after BODY_MS. A file must make progress every PROGRESS_MS. */
const BODY_MS = 20_000
const PROGRESS_MS = 30_000
/** A timer this late was held up, and the process still has to read what arrived in the meantime. */
const HELD_UP_MS = 1_000
/** 64 kbit/s: the largest file takes 2 h 17 min. */
const MIN_BYTES_PER_S = 8_192
/** A form's bytes besides the file: the headers and boundaries of its parts. */
export const FORM_BYTES = 65_536
/** Shared by all requests without a session, and by all with one. */
const ANONYMOUS_BYTES = 4 << 20
const PEOPLES_BYTES = 32 << 20
const SHARE_OF_ONE = 1 / 8

export function limitBodies(clock: Clock): OfficeHooks['limitBody'] {
  const reserveForStranger = memoryBudget(ANONYMOUS_BYTES, SHARE_OF_ONE)
  const reserveForPerson = memoryBudget(PEOPLES_BYTES, SHARE_OF_ONE)
  return (request, reply, _payload, done) => {
    const { raw, headers, routeOptions } = request
    if (!hasBody(headers)) return done()
    if (routeOptions.config.expectsUpload) {
      watchFile(request, reply, clock)
      return done()
    }
    const size = maxBodySize(headers, routeOptions.bodyLimit) ?? 0
    const { session, server } = request
    const give =
      session === undefined
        ? reserveForStranger(size, server.guard.addressOf(request))
        : reserveForPerson(size, session.person.name)
    if (give === undefined) return done(overloaded())
    whenClosed(reply.raw, give)
    const late = clock.after(BODY_MS, () => giveUp(request, reply, clock, tooSlow())).unref()
    for (const event of ['end', 'close']) raw.once(event, () => clock.cancel(late))
    done()
  }
}

/** Ends an upload that is too slow or too large, or whose session has ended. */
function watchFile(request: FastifyRequest, reply: FastifyReply, clock: Clock): void {
  const { raw, server } = request
  request.isWatched = true
  const firstBytes = raw.socket.bytesRead
  let [lastBytes, lastMs] = [firstBytes, clock.monotonic()]
  const look = async () => {
    const [bytes, nowMs] = [raw.socket.bytesRead, clock.monotonic()]
    const isSlow = (bytes - lastBytes) * 1_000 < MIN_BYTES_PER_S * PROGRESS_MS
    const wasHeldUp = nowMs - lastMs > PROGRESS_MS + HELD_UP_MS
    ;[lastBytes, lastMs] = [bytes, nowMs]
    if (isSlow && !wasHeldUp) return stop(tooSlow())
    if (bytes - firstBytes > UPLOAD_BYTES + FORM_BYTES) return stop(tooLarge())
    // An upload keeps the session alive. If the database cannot tell, the upload continues.
    const lasts = await server.guard.isStillAllowed(request, { renews: true }).catch(() => true)
    if (!lasts) stop(unauthenticated())
  }
  const timer = clock.every(PROGRESS_MS, () => void look())
  const rest = () => clock.cancel(timer)
  const stop = (why: OfficeRefusal) => {
    rest()
    if (!raw.complete) giveUp(request, reply, clock, why)
  }
  for (const event of ['end', 'close']) raw.once(event, rest)
}

/** Sends the refusal unless a response has begun, and closes the connection. */
function giveUp(request: FastifyRequest, reply: FastifyReply, clock: Clock, why: OfficeRefusal): void {
  request.isWatched = false
  if (reply.raw.headersSent) closeLingering(request.raw.socket, clock)
  else reply.send(why)
}

function tooSlow(): OfficeRefusal {
  return new OfficeRefusal(408, 'unavailable', 'What you sent took too long to arrive; nothing was done. Try again.')
}

/** Two reads of all animals by one person would fill both threads that do so (store/sqlite/operator/scanners.ts). */
export class ReadTurns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs `read` after this person's earlier reads. Throws OfficeRefusal if the client no longer wants the result. */
  async run<T>(request: FastifyRequest, read: () => Promise<T>): Promise<T> {
    const { name } = sessionOf(request).person
    const before = this.#last.get(name) ?? Promise.resolve()
    const mine = before.then(() => assertWanted(request)).then(read)
    const settled = mine.catch(() => {})
    this.#last.set(name, settled)
    try {
      return await mine
    } finally {
      if (this.#last.get(name) === settled) this.#last.delete(name)
    }
  }
}

/** Shared by responses not read yet. One person can use a quarter. */
const HELD_BYTES = 32 << 20
const HELD_BY_ONE = 1 / 4

export function limitResponses(): OfficeHooks['limitMemory'] {
  const reserve = memoryBudget(HELD_BYTES, HELD_BY_ONE)
  return async ({ session }, reply, payload) => {
    if (session === undefined || !(typeof payload === 'string' || payload instanceof Uint8Array)) return payload
    const length = Buffer.byteLength(payload)
    const give = reserve(length, session.person.name)
    if (give === undefined) {
      const { status, code, message, headers } = overloaded()
      reply.code(status).headers(headers).type('application/json; charset=utf-8')
      reply.removeHeader('Content-Encoding').removeHeader('Content-Length')
      return JSON.stringify({ code, message })
    }
    whenClosed(reply.raw, give)
    return payload
  }
}

/** In UTF-16 units. A response that fits in one packet gains nothing from compression. */
const SHORT = 1_400

const compress = promisify(gzip)

/** Only responses to GET: a write's response might contain a secret, whose length compression could reveal. */
export const compressLists: OfficeHooks['compress'] = async (request, reply, payload) => {
  const isList = request.method === 'GET' && typeof payload === 'string' && payload.length > SHORT
  if (!isList || !acceptsCoding('gzip', request.headers['accept-encoding'])) return payload
  reply.header('Content-Encoding', 'gzip').header('Vary', 'Accept-Encoding').removeHeader('Content-Length')
  return compress(payload)
}
