/** Sends requests as bytes on sockets. Well-formed ones are written out here; cases give the malformed ones. */
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { AnswerReader, type HttpResponse, type ReadAnswer } from './answer.ts'
import {
  CUT_KEY,
  type HttpRequest,
  KEY,
  KEY_BASE64,
  LIMITED_KEY,
  OTHER_CASE_KEY,
  type Request,
  wireText,
} from './request.ts'

/** A request and what came of it. */
export interface Exchange {
  readonly request: Request
  readonly answer: HttpResponse
  /** When the answer was complete, Unix ms. */
  readonly atMs: number
}

/** No answer came; the message says why, in a few words. */
export class NoAnswer extends Error {
  readonly request: Request
  /** Whether the connection was open, but no answer came in time. */
  readonly isTimeOut: boolean
  constructor(request: Request, cause: unknown) {
    super(cause instanceof Error && cause.message !== '' ? cause.message : String(cause), { cause })
    this.request = request
    this.isTimeOut = cause instanceof TimedOut
  }
}

export interface Secrets {
  readonly key: string
  readonly limitedKey: string | undefined
}

/** How long to wait for an answer, in ms of real time. `rawMs` is for malformed bytes and shorter. */
export interface Timeouts {
  readonly httpMs: number
  readonly rawMs: number
  /** Calls `end` after `ms`; returns a function that cancels it. Default: the platform's timer. */
  readonly timer?: (end: () => void, ms: number) => () => void
}

/** Which TLS certificates are trusted, by the option names of node:tls. */
export interface Trust {
  /** PEM certificates that replace those of the platform. */
  readonly ca?: string
  /** False: any certificate is accepted. */
  readonly rejectUnauthorized?: boolean
}

export class Transport {
  readonly #base: URL
  readonly #secrets: Secrets
  readonly #timeouts: Timeouts
  /** Idle connections, each with the function that removes its listeners before reuse. */
  readonly #idle = new Map<net.Socket, () => void>()

  readonly #clock: () => number
  readonly #trust: Trust
  #slowestMs = 0
  #hasHung = false

  constructor(base: URL, secrets: Secrets, timeouts: Timeouts, clock: () => number, trust: Trust = {}) {
    this.#base = base
    this.#secrets = secrets
    this.#timeouts = timeouts
    this.#clock = clock
    this.#trust = trust
  }

  /** Throws NoAnswer. */
  async send(request: Request): Promise<HttpResponse> {
    try {
      return 'raw' in request
        ? await this.#converse(this.#connect(), this.#reveal(request.raw))
        : await this.#sendHttp(request)
    } catch (error) {
      throw new NoAnswer(request, error)
    }
  }

  close(): void {
    for (const socket of this.#idle.keys()) socket.destroy()
  }

  async #sendHttp(request: HttpRequest): Promise<HttpResponse> {
    const { method, body } = request
    const head = this.#reveal(wireText(this.#base, request))
    const [bytes, later] = request.isBodyApart
      ? [head, body]
      : [body === undefined ? head : Buffer.concat([Buffer.from(head), Buffer.from(body)])]
    const converse = (socket: net.Socket) => this.#converse(socket, bytes, { method, later })
    const idle = this.#takeIdle()
    if (idle === undefined) return converse(this.#connect())
    try {
      return await converse(idle)
    } catch (error) {
      // A fresh connection shows whether the server is gone, or only closed an idle connection. The animal may then be
      // created twice, which the kit tolerates.
      if (error instanceof TimedOut) throw error
      return converse(this.#connect())
    }
  }

  #connect(): net.Socket {
    const isTls = this.#base.protocol === 'https:'
    // The URL type keeps the brackets of an IPv6 address; a socket wants none.
    const host = this.#base.hostname.replace(/^\[|\]$/g, '')
    const port = Number(this.#base.port) || (isTls ? 443 : 80)
    const socket = isTls
      ? tls.connect({ host, port, ...this.#trust, ...(net.isIP(host) === 0 ? { servername: host } : {}) })
      : net.connect({ host, port })
    return socket.setNoDelay()
  }

  #reveal(text: string): string {
    const { key, limitedKey = '' } = this.#secrets
    const otherCase = key.replace(/[a-z]/gi, (c) => (c < 'a' ? c.toLowerCase() : c.toUpperCase()))
    return text
      .replaceAll(CUT_KEY, key.slice(0, -1))
      .replaceAll(KEY_BASE64, Buffer.from(`${key}:`).toString('base64'))
      .replaceAll(OTHER_CASE_KEY, otherCase)
      .replaceAll(LIMITED_KEY, limitedKey)
      .replaceAll(KEY, key)
  }

  /** Keeps the connection for the next request if both sides allow it; closes it after malformed bytes. */
  #converse(
    socket: net.Socket,
    bytes: string | Buffer,
    { method, later }: { method?: string; later?: HttpRequest['body'] | undefined } = {},
  ): Promise<HttpResponse> {
    const reader = new AnswerReader(method ?? 'GET')
    const timeoutMs = this.#timeoutMs(method === undefined ? this.#timeouts.rawMs : this.#timeouts.httpMs)
    const startMs = this.#clock()
    return new Promise((resolve, reject) => {
      const settle = (result: ReadAnswer | Error): void => {
        callOff()
        socket.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close')
        // The answer may have come before the whole request was sent: then the connection's state is unknown.
        if (!(result instanceof Error) && result.isReusable && method !== undefined && later === undefined)
          this.#keep(socket)
        else socket.destroy()
        if (result instanceof Error) reject(result)
        else {
          this.#slowestMs = Math.max(this.#slowestMs, this.#clock() - startMs)
          resolve(result.answer)
        }
      }
      const attempt = (chunk: Buffer, isEnd?: boolean): void => {
        try {
          const result = reader.read(chunk, isEnd)
          if (result !== undefined) settle(result)
        } catch (error) {
          settle(error instanceof Error ? error : new Error(String(error)))
        }
      }
      const { timer = machineTimer } = this.#timeouts
      const callOff = timer(() => {
        this.#hasHung = true
        settle(new TimedOut(`no answer within ${timeoutMs / 1000} seconds`))
      }, timeoutMs)
      socket.on('data', (chunk) => attempt(Buffer.from(chunk)))
      socket.on('end', () => attempt(Buffer.alloc(0), true))
      socket.on('close', () => settle(new Error('the connection was closed without an answer')))
      // Stays after the answer: a server may reset the connection then, and an unhandled error ends the process.
      socket.on('error', settle)
      socket.write(bytes, async () => {
        if (later === undefined) return
        for (let step = 0; step < APART_STEPS; step += 1) await sleep(APART_STEP_MS)
        socket.write(later)
      })
    })
  }

  /** The full time, until a request has timed out; from then on a multiple of the slowest answer. */
  #timeoutMs(fullMs: number): number {
    if (!this.#hasHung) return fullMs
    return Math.min(fullMs, Math.ceil(Math.max(LEAST_TIMEOUT_MS, SLOWER_THAN_SLOWEST * this.#slowestMs)))
  }

  /** The connection that became idle last, which is the least likely to be closed by now. */
  #takeIdle(): net.Socket | undefined {
    const [socket, wake] = [...this.#idle].at(-1) ?? []
    wake?.()
    return socket
  }

  #keep(socket: net.Socket): void {
    const events = ['data', 'end', 'close', 'error'] as const
    // Bytes on an idle connection answer no request, so it is dropped. Whoever reuses it sets other listeners.
    const wake = (): void => {
      this.#idle.delete(socket)
      for (const event of events) socket.off(event, forget)
    }
    const forget = (): void => {
      wake()
      socket.on('error', () => {}).destroy()
    }
    socket.removeAllListeners('error')
    for (const event of events) socket.on(event, forget)
    this.#idle.set(socket, wake)
  }
}

/**
 * Together long enough for the other side to have read what came before. In steps, since a server in this process reads
 * between them, also where the process was held up meanwhile.
 */
const APART_STEPS = 10
const APART_STEP_MS = 5

const LEAST_TIMEOUT_MS = 5_000
const SLOWER_THAN_SLOWEST = 4

class TimedOut extends Error {}

function machineTimer(end: () => void, ms: number): () => void {
  const timeout = setTimeout(end, ms)
  return () => clearTimeout(timeout)
}
