/**
 * Order on a connection (O23, RFC 9112 9.3.2): requests are handled one after the other, responses are sent in the
 * order of their requests, and the response to what HTTP's parser rejects is the last one. malformed.ts decides which
 * status a parser error gets. No property is added to a socket: V8 would give such sockets another shape, which makes
 * every request slower (docs/performance.md).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../common/clock.ts'
import { turnQueue } from '../common/turn-queue.ts'
import { chunkAllowance, type TakeChunk } from './body.ts'
import { UNSUPPORTED_TRANSFER_CODING } from './error-responses.ts'
import type { Exchange } from './exchange.ts'
import { closeLingering } from './lingering-close.ts'
import type { ParserError } from './listener.ts'
import { responseToParserError } from './malformed.ts'
import { holdReading, skipRest } from './reading.ts'
import type { HttpResponse } from './response.ts'

/**
 * Counts a rejection for its address; the function that it resolves with makes the bytes of the response. `broken` is
 * the request that was rejected, if its headers had been read.
 */
type MakeRejection = (
  answer: HttpResponse,
  socket: Socket,
  broken: IncomingMessage | undefined,
) => Promise<() => string>

export class Connections {
  readonly #respond: MakeRejection
  readonly #clock: Clock
  readonly #sendQueue = new SendQueue()
  readonly #pipeline = new Pipeline()
  /** The last response of a connection that may still be unsent. */
  readonly #lastPending = new WeakMap<Socket, ServerResponse>()
  /** Connections that end with a rejection, or with an answer to a request whose body was not read. */
  readonly #closing = new WeakSet<Socket>()
  /** Of the bodies that wait on a connection. */
  readonly #chunks = new WeakMap<Socket, TakeChunk>()
  /** Requests answered with a rejection, because the parser rejected their body. */
  readonly #incomplete = new WeakSet<IncomingMessage>()

  constructor(respond: MakeRejection, clock: Clock) {
    this.#respond = respond
    this.#clock = clock
  }

  /** Whether all earlier responses were sent: node gives a response its socket only then. */
  isItsTurn(response: ServerResponse): boolean {
    return response.socket !== null
  }

  /** Calls `begin` when it is the response's turn; never if the connection ends first, or if too many wait on it. */
  wait(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req
    const last = this.#lastPending.get(socket)
    if (this.#pipeline.isFull(socket) && last !== undefined) {
      last.shouldKeepAlive = false
      holdReading(socket)
      skipRest(socket)
      return
    }
    this.#lastPending.set(socket, response)
    this.#pipeline.wait(response, begin)
  }

  /**
   * Marks a response that must be sent before a rejection on the same connection: one that is not ready yet, or whose
   * request has a body still to come. Other responses are not marked, because that makes a request a fifth slower. The
   * last marked one is enough, since responses are sent in order.
   */
  markPending(response: ServerResponse): void {
    const { socket } = response.req
    if (!this.#pipeline.hasWaiting(socket)) this.#lastPending.set(socket, response)
  }

  /** The chunks in which the body of the next request of the connection may come. */
  chunkAllowance(socket: Socket): TakeChunk {
    const shared = this.#pipeline.hasWaiting(socket) ? this.#chunks.get(socket) : undefined
    const allowance = shared ?? chunkAllowance()
    this.#chunks.set(socket, allowance)
    return allowance
  }

  /** Sends a response with others of this turn of the event loop; a large one in a turn of its own. */
  send({ response, isUnread }: Exchange, isLarge: boolean, send: () => void): void {
    if (!isLarge) {
      this.#sendQueue.add(send, isUnread)
      return
    }
    this.markPending(response)
    this.#sendQueue.addLarge(send)
  }

  /** Ends the connection behind a response that was sent before the body of its request had arrived. */
  endUnread({ req: { socket } }: ServerResponse): void {
    this.#closing.add(socket)
    closeLingering(socket, this.#clock)
  }

  /** Whether the request was answered with a rejection while it was handled. */
  wasRejected(request: IncomingMessage): boolean {
    return this.#incomplete.has(request)
  }

  /** Answers what HTTP's parser rejected, after all earlier responses, and ends the connection. */
  reject(cause: ParserError, socket: Socket): void {
    // What follows the last request of a connection is ignored (RFC 9112 9.6).
    if (cause.code === 'HPE_CLOSED_CONNECTION') return
    // Earlier requests are answered first.
    this.#sendQueue.flush()
    void this.#reject(cause, socket)
  }

  async #reject(cause: ParserError, socket: Socket): Promise<void> {
    if (this.#closing.has(socket)) return
    const answer = responseToParserError(cause)
    // A connection that was opened and never used needs no response.
    if (answer === undefined || !socket.writable || socket.bytesRead === 0) {
      socket.destroy()
      return
    }
    this.#closing.add(socket)
    // If the client closes its side now, node would close the other before the response is ready.
    socket.removeAllListeners('end')
    const last = this.#lastPending.get(socket)
    const broken = last?.req.complete === false ? last.req : undefined
    // The request itself gets this 501 by its route (`OTHER_CODING`), so nothing is sent here.
    if (broken !== undefined && answer === UNSUPPORTED_TRANSFER_CODING) return
    if (broken !== undefined) this.#incomplete.add(broken)
    const respond = await this.#respond(answer, socket, broken)
    const answerNow = () => {
      // The previous response said `Connection: close`, and node closes the connection.
      if (last !== undefined && broken === undefined && !last.shouldKeepAlive) return
      const bytes = respond()
      if (!socket.writable) return
      socket.write(bytes)
      closeLingering(socket, this.#clock)
    }
    if (last === undefined) answerNow()
    else if (broken !== undefined) whenItsTurn(last, answerNow)
    else whenSent(last, answerNow)
  }
}

/**
 * Calls back when the response, and so every earlier one, was sent; never if the connection ends first. It runs before
 * node's own listener, which closes the connection if the client has closed its side.
 */
function whenSent(response: ServerResponse, next: () => void): void {
  if (response.writableFinished) next()
  else response.prependOnceListener('finish', next)
}

/** Calls back when every earlier response was sent; never if the connection ends first. */
function whenItsTurn(response: ServerResponse, next: () => void): void {
  if (response.socket !== null) next()
  else response.once('socket', next)
}

/** Larger batches are no faster, and take 12 MiB more heap. */
const MAX_BATCH = 16

/**
 * When responses are sent. Those made in one turn of the event loop are sent together, at its end or MAX_BATCH at a
 * time: a client on the same machine, such as a proxy, is then woken once for many responses, and waking it costs more
 * than making one of them (docs/performance.md). A large response is sent in a turn of its own, since writing it takes
 * milliseconds, and many of them in one turn would delay all other connections.
 */
export class SendQueue {
  #batch: (() => void)[] = []
  readonly addLarge = turnQueue()

  /** `isUnread`: it is not sent before this turn has shown whether more of its request has arrived. */
  add(leave: () => void, isUnread = false): void {
    this.#batch.push(leave)
    if (this.#batch.length >= MAX_BATCH && !isUnread) this.flush()
    else if (this.#batch.length === 1) setImmediate(() => this.flush())
  }

  /** Sends the responses of this turn now. */
  flush(): void {
    const leaving = this.#batch
    this.#batch = []
    for (const leave of leaving) leave()
  }
}

/** One read (64 KiB) can bring many pipelined requests, so a few connections can make many wait: about 3 KB each. */
const MAX_PIPELINED = 10_000
/** On one connection: more are not read, and the connection ends behind the last of them. */
const MAX_PIPELINED_EACH = 100

/**
 * Pipelined requests: each waits until the response before it was sent, and is not handled before. Node keeps the
 * order: a response has no socket until its turn comes.
 */
export class Pipeline {
  #waiting = 0
  readonly #lines = new WeakMap<Socket, Line>()

  /** Whether requests wait on the connection for their turn. */
  hasWaiting(socket: Socket): boolean {
    return this.#lengthOf(socket) > 0
  }

  /** Whether no more may wait on the connection. */
  isFull(socket: Socket): boolean {
    return this.#lengthOf(socket) >= MAX_PIPELINED_EACH
  }

  #lengthOf(socket: Socket): number {
    return this.#lines.get(socket)?.length ?? 0
  }

  /** Calls `begin` when the earlier responses were sent; never if the connection ends first. */
  wait(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req
    if (this.#waiting >= MAX_PIPELINED) {
      socket.destroy()
      return
    }
    const line = this.#lines.getOrInsertComputed(socket, () => this.#newLine(socket))
    this.#waiting += 1
    line.length += 1
    // A waiting request does not need its body yet.
    line.readOn ??= holdReading(socket)
    response.once('socket', () =>
      // In a turn of its own, so that a long queue does not keep other connections waiting.
      setImmediate(() => {
        if (socket.destroyed) return
        this.#waiting -= 1
        line.length -= 1
        if (line.length === 0) {
          line.readOn?.()
          line.readOn = undefined
        }
        begin()
      }),
    )
  }

  #newLine(socket: Socket): Line {
    const line: Line = { length: 0, readOn: undefined }
    socket.once('close', () => {
      this.#waiting -= line.length
      line.length = 0
    })
    return line
  }
}

/** The requests that wait on a connection. */
interface Line {
  length: number
  /** Set while there are any: nothing more is read meanwhile. */
  readOn: (() => void) | undefined
}
