/**
 * Order on a connection (O23, RFC 9112 9.3.2): requests are handled one after the other, and a rejection is answered
 * last. A property on a socket would give it another shape, which makes every request slower in V8.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../common/clock.ts'
import { turnQueue } from '../common/turn-queue.ts'
import { chunkAllowance, type IncomingBody, type TakeChunk } from './body.ts'
import type { Exchange } from './exchange.ts'
import { type Floods, holdReading } from './flooding.ts'
import { closeLingering } from './lingering-close.ts'
import type { ParserError } from './listener.ts'
import { responseToParserError } from './malformed.ts'
import type { HttpResponse } from './response.ts'

/** Counts a rejection; the function that it resolves with makes the bytes of the response. `request` is a CONNECT. */
type MakeRejection = (
  answer: HttpResponse,
  socket: Socket,
  request: IncomingMessage | undefined,
) => Promise<() => string>

interface Pending {
  readonly response: ServerResponse
  readonly body: IncomingBody | undefined
}

export class Connections {
  readonly #respond: MakeRejection
  readonly #clock: Clock
  readonly #floods: Floods
  readonly #sendQueue = new SendQueue()
  readonly #pipeline = new Pipeline()
  /** The last response of a connection that might still be unsent. */
  readonly #lastPending = new WeakMap<Socket, Pending>()
  /** Connections that end behind a rejection, or behind the response to an unread body. */
  readonly #closing = new WeakSet<Socket>()
  readonly #chunks = new WeakMap<Socket, TakeChunk>()

  constructor(respond: MakeRejection, clock: Clock, floods: Floods) {
    this.#respond = respond
    this.#clock = clock
    this.#floods = floods
  }

  /** Whether all earlier responses were sent: node gives a response its socket only then. */
  isItsTurn(response: ServerResponse): boolean {
    return response.socket !== null
  }

  /** Calls `begin` when it is the response's turn; never if the connection ends first, or if too many wait on it. */
  wait(response: ServerResponse, body: IncomingBody | undefined, begin: () => void): void {
    const { socket } = response.req
    const last = this.#lastPending.get(socket)
    if (this.#pipeline.isFull(socket) && last !== undefined) {
      if (last.response.shouldKeepAlive) this.#floods.note(socket)
      last.response.shouldKeepAlive = false
      this.#pipeline.ignore(socket)
      return
    }
    this.#lastPending.set(socket, { response, body })
    this.#pipeline.wait(response, begin)
  }

  /** Marks a response for which a rejection must wait. Marking each response would make requests a fifth slower. */
  markPending(response: ServerResponse, body?: IncomingBody): void {
    const { socket } = response.req
    if (!this.#pipeline.hasWaiting(socket)) this.#lastPending.set(socket, { response, body })
  }

  pendingOf(socket: Socket): ServerResponse | undefined {
    return this.#lastPending.get(socket)?.response
  }

  chunkAllowance(socket: Socket): TakeChunk {
    const shared = this.#pipeline.hasWaiting(socket) ? this.#chunks.get(socket) : undefined
    const allowance = shared ?? chunkAllowance(() => this.#floods.note(socket))
    this.#chunks.set(socket, allowance)
    return allowance
  }

  /** Sends a response with others of this turn of the event loop; a large one in a turn of its own. */
  send({ response, body, isUnread }: Exchange, isLarge: boolean, send: () => void): void {
    if (!isLarge) {
      this.#sendQueue.add(send, isUnread)
      return
    }
    this.markPending(response, body)
    this.#sendQueue.addLarge(send)
  }

  /** Ends the connection behind a response that was sent before the body had arrived. */
  endUnread({ req: { socket } }: ServerResponse): void {
    this.#closing.add(socket)
    this.#end(socket)
  }

  #end(socket: Socket): void {
    this.#floods.leave(socket)
    closeLingering(socket, this.#clock)
  }

  /** Answers what HTTP's parser rejected, after all earlier responses, and ends the connection. */
  reject(cause: ParserError, socket: Socket): void {
    // What follows the last request of a connection is ignored (RFC 9112 9.6).
    if (cause.code === 'HPE_CLOSED_CONNECTION') return
    this.#sendQueue.flush()
    void this.#reject(cause, socket)
  }

  async #reject(cause: ParserError, socket: Socket): Promise<void> {
    if (this.#closing.has(socket)) return
    const answer = responseToParserError(cause)
    // Never used, or gone.
    if (answer === undefined || !socket.writable || socket.bytesRead === 0) {
      socket.destroy()
      return
    }
    this.#closing.add(socket)
    // If the client closes its side now, node would close the other before the response is ready.
    socket.removeAllListeners('end')
    const last = this.#lastPending.get(socket)
    // An error in a body is the response to its request, which counts for the key.
    if (last?.response.req.complete === false) {
      last.body?.refuse(answer)
      return
    }
    // Of a CONNECT, node's parser reads nothing more.
    if (cause.request !== undefined) {
      socket.removeAllListeners('data')
      socket.pause()
    }
    const respond = await this.#respond(answer, socket, cause.request)
    const answerNow = () => {
      // The previous response said `Connection: close`, and node closes the connection.
      if (last !== undefined && !last.response.shouldKeepAlive) return
      const bytes = respond()
      if (!socket.writable) return
      socket.write(bytes)
      this.#end(socket)
    }
    if (last === undefined) answerNow()
    else whenSent(last.response, answerNow)
  }
}

/** Calls `next` before node's own listener, which closes the connection if the client has closed its side. */
function whenSent(response: ServerResponse, next: () => void): void {
  if (response.writableFinished) next()
  else response.prependOnceListener('finish', next)
}

/** Larger batches are no faster, and take 12 MiB more heap. */
const MAX_BATCH = 16

/** Sends the responses of one turn together, so that a proxy here wakes once. A large one has a turn of its own. */
export class SendQueue {
  #batch: (() => void)[] = []
  readonly addLarge = turnQueue()

  /** With `isUnread` it leaves at the end of the turn, when the rest of its request might have arrived. */
  add(leave: () => void, isUnread = false): void {
    this.#batch.push(leave)
    if (this.#batch.length >= MAX_BATCH && !isUnread) this.flush()
    else if (this.#batch.length === 1) setImmediate(() => this.flush())
  }

  flush(): void {
    const leaving = this.#batch
    this.#batch = []
    for (const leave of leaving) leave()
  }
}

/** Over all connections: each takes about 3 KB, and one read can bring a thousand. */
const MAX_PIPELINED = 10_000
/** On one connection, which ends behind the last of them. */
const MAX_PIPELINED_EACH = 100

/** Pipelined requests: each is handled after the response before it was sent. Until then node gives it no socket. */
export class Pipeline {
  #waiting = 0
  readonly #lines = new WeakMap<Socket, Line>()

  hasWaiting(socket: Socket): boolean {
    return this.#lengthOf(socket) > 0
  }

  isFull(socket: Socket): boolean {
    return this.#lengthOf(socket) >= MAX_PIPELINED_EACH
  }

  #lengthOf(socket: Socket): number {
    return this.#lines.get(socket)?.length ?? 0
  }

  wait(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req
    if (this.#waiting >= MAX_PIPELINED) {
      socket.destroy()
      return
    }
    const line = this.#add(socket)
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

  /** Counts a request that is never answered. Node keeps it until the connection ends. */
  ignore(socket: Socket): void {
    if (this.#waiting >= MAX_PIPELINED) socket.destroy()
    else this.#add(socket)
  }

  #add(socket: Socket): Line {
    const line = this.#lines.getOrInsertComputed(socket, () => this.#newLine(socket))
    this.#waiting += 1
    line.length += 1
    // A waiting request does not need its body yet.
    line.readOn ??= holdReading(socket)
    return line
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

interface Line {
  length: number
  /** Set while requests wait: nothing more is read. */
  readOn: (() => void) | undefined
}
