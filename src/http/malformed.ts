/**
 * Answers to what HTTP's parser refuses: not HTTP at all, broken framing, headers too large, a request that takes too
 * long. They count for the address (O14), carry the limit headers and an Error (R6, R15), and end the connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../common/clock.ts'
import type { Verdict } from '../contract/limits.ts'
import type { Access } from '../domain/access.ts'
import { type Answer, error, rateLimited, toRawResponse } from './answer.ts'
import { MAX_TARGET_LENGTH } from './target.ts'

/** After the answer the peer has this long to read it; closing at once could take it back out of the peer's hands. */
const LINGER_MS = 1_000
/** How long answers already under way on the connection may hold up this one. */
const PATIENCE_MS = 5_000

export interface ParserError extends Error {
  readonly code?: string | undefined
  readonly rawPacket?: unknown
}

/**
 * The responses of a connection that may not have left it yet, oldest first. Kept on the socket itself, because a WeakMap
 * of objects that live for a moment is dear to collect.
 */
const RESPONSES = Symbol('responses')

interface NotedSocket extends Socket {
  [RESPONSES]?: ServerResponse[]
}

export class MalformedRequests {
  readonly #access: Access
  readonly #clock: Clock
  readonly #answered: (answer: Answer) => void
  readonly #ended = new WeakSet<Socket>()
  /** Requests that broke off half-way and were answered here. */
  readonly #broken = new WeakSet<IncomingMessage>()

  constructor(options: { access: Access; clock: Clock; answered: (answer: Answer) => void }) {
    this.#access = options.access
    this.#clock = options.clock
    this.#answered = options.answered
  }

  /**
   * Notes a response that must leave the connection before any answer given here: one that is not ready yet, or whose
   * request has a body still to come. Not every response, since remembering each for a moment makes its request a fifth dearer.
   */
  noteResponse(response: ServerResponse): void {
    const socket: NotedSocket = response.req.socket
    const responses = socket[RESPONSES]
    if (responses === undefined) {
      socket[RESPONSES] = [response]
      return
    }
    while (responses[0]?.writableFinished) responses.shift()
    if (responses.at(-1) !== response) responses.push(response)
  }

  /** Whether the request broke off and had its one answer from here. */
  hasAnswered(request: IncomingMessage): boolean {
    return this.#broken.has(request)
  }

  async handle(cause: ParserError, socket: NotedSocket): Promise<void> {
    if (this.#ended.has(socket)) return
    const answer = describe(cause)
    // A connection opened ahead of need and never used asked for nothing.
    if (answer === undefined || !socket.writable || socket.bytesRead === 0) {
      socket.destroy()
      return
    }
    this.#ended.add(socket)
    const responses = socket[RESPONSES] ?? []
    const last = responses.at(-1)
    const broken = last?.req.complete === false ? last : undefined
    if (broken?.headersSent) {
      // Answered before its body was read (a 401, say): a second answer would be taken for that of the next request.
      socket.destroySoon()
      return
    }
    if (broken !== undefined) this.#broken.add(broken.req)
    const verdict = await this.#count(socket.remoteAddress ?? '')
    await haveLeft(responses.filter((response) => response !== broken))
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

/** Resolves when the responses have left, or when that takes too long. */
async function haveLeft(responses: readonly ServerResponse[]): Promise<void> {
  const underWay = responses.filter((response) => !response.writableFinished && !response.destroyed)
  if (underWay.length === 0) return
  const left = underWay.map((response) => new Promise((resolve) => response.once('close', resolve)))
  await Promise.race([Promise.all(left), sleep(PATIENCE_MS, undefined, { ref: false })])
}

/** Undefined where nobody is left to answer: the peer hung up, or the TLS handshake failed. */
function describe({ code = '', rawPacket }: ParserError): Answer | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return error(408, 'The request took too long to arrive.')
  if (code === 'HPE_HEADER_OVERFLOW') {
    const isTarget = Buffer.isBuffer(rawPacket) && isMostlyTarget(rawPacket.toString('latin1'))
    return isTarget ? error(414, 'The address is too long.') : error(431, 'The headers are too large.')
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return error(413, 'The chunk extensions are too large.')
  if (code.startsWith('HPE_')) return error(400, 'This is not a valid HTTP request.')
  return undefined
}

/** Whether what overflowed is the target: the packet begins a request whose first line is too long, or is inside such a line. */
function isMostlyTarget(packet: string): boolean {
  const end = packet.indexOf('\r\n')
  if (/^[A-Z-]+ /.test(packet)) return (end === -1 ? packet.length : end) > MAX_TARGET_LENGTH
  return end === -1 && !packet.includes(' ')
}
