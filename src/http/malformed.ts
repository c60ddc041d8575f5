/**
 * Answers to what HTTP's parser refuses: not HTTP at all, broken framing, headers too large, a request that takes too
 * long. They count for the address (O14), carry the limit headers and an Error (R6, R15), and end the connection.
 */
import type { Socket } from 'node:net'
import type { Verdict } from '../contract/limits.ts'
import type { Access } from '../domain/access.ts'
import type { Clock } from '../store/store.ts'
import { type Answer, error, rateLimited, toRawResponse } from './answer.ts'

/** After the answer the peer has this long to read it; closing at once could take it back out of the peer's hands. */
const LINGER_MS = 1_000
/** How long answers already under way on the connection may hold up this one. */
const PATIENCE_MS = 2_000

export interface ParserError extends Error {
  readonly code?: string | undefined
  readonly rawPacket?: unknown
}

export class MalformedRequests {
  readonly #access: Access
  readonly #clock: Clock
  readonly #answered: (answer: Answer) => void
  readonly #open = new WeakMap<Socket, number>()
  readonly #ended = new WeakSet<Socket>()

  constructor(options: { access: Access; clock: Clock; answered: (answer: Answer) => void }) {
    this.#access = options.access
    this.#clock = options.clock
    this.#answered = options.answered
  }

  /** Notes an answer under way, which must leave the connection before any that is given here. */
  track(socket: Socket, pending: Promise<unknown>): void {
    this.#open.set(socket, (this.#open.get(socket) ?? 0) + 1)
    const done = () => this.#open.set(socket, (this.#open.get(socket) ?? 1) - 1)
    pending.then(done, done)
  }

  /** Whether this connection has had its last answer, so that none may follow. */
  hasEnded(socket: Socket): boolean {
    return this.#ended.has(socket)
  }

  async handle(cause: ParserError, socket: Socket): Promise<void> {
    if (this.#ended.has(socket)) return
    const answer = describe(cause)
    if (answer === undefined || !socket.writable) {
      socket.destroy()
      return
    }
    this.#ended.add(socket)
    const verdict = await this.#count(socket.remoteAddress ?? '')
    const deadline = performance.now() + PATIENCE_MS
    while ((this.#open.get(socket) ?? 0) > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    const final = verdict.admitted ? answer : rateLimited(verdict)
    this.#answered(final)
    socket.end(toRawResponse(final, verdict, new Date(this.#clock())))
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }

  async #count(ip: string): Promise<Verdict> {
    try {
      return (await this.#access.enterByAddress(ip)).verdict
    } catch {
      return this.#access.untouched()
    }
  }
}

/** Undefined where nobody is left to answer: the peer hung up, or the TLS handshake failed. */
function describe({ code = '', rawPacket }: ParserError): Answer | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return error(408, 'The request took too long to arrive.')
  if (code === 'HPE_HEADER_OVERFLOW') {
    const isStillInTarget = Buffer.isBuffer(rawPacket) && !rawPacket.includes('\r\n')
    return isStillInTarget ? error(414, 'The address is too long.') : error(431, 'The headers are too large.')
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return error(413, 'The chunk extensions are too large.')
  if (code.startsWith('HPE_')) return error(400, 'This is not a valid HTTP request.')
  return undefined
}
