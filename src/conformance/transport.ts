/**
 * Requests as bytes on a connection. Even a deliberately malformed request has its answer read by node's own HTTP
 * parser: a client is given a stand-in for its connection, which swallows what the client writes and sends ours.
 */
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { Duplex } from 'node:stream'
import tls from 'node:tls'
import { CUT_KEY, type HttpRequest, KEY, LIMITED_KEY, type RawRequest, type Request } from './request.ts'

export interface Answer {
  /** As received, such as `HTTP/1.1 200 OK`. */
  readonly statusLine: string
  readonly status: number
  /** In the order and spelling received. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** A request and what came of it. */
export interface Exchange {
  readonly request: Request
  readonly answer: Answer
  /** When the answer was there, Unix ms. */
  readonly atMs: number
}

/** No answer came; the message says why, in a few words. */
export class NoAnswer extends Error {
  readonly request: Request
  constructor(request: Request, cause: unknown) {
    super(cause instanceof Error && cause.message !== '' ? cause.message : String(cause), { cause })
    this.request = request
  }
}

export interface Secrets {
  readonly key: string
  readonly limitedKey: string | undefined
}

/** All values of a header, in order. */
export function headerValues(answer: Answer, name: string): readonly string[] {
  return answer.headers.filter(([given]) => given.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
}

export function header(answer: Answer, name: string): string | undefined {
  return headerValues(answer, name)[0]
}

const ANSWER_TIMEOUT_MS = 20_000
/** A server may leave malformed bytes without an answer; that is not worth a long wait. */
const RAW_TIMEOUT_MS = 5_000

export class Transport {
  readonly #base: URL
  readonly #secrets: Secrets
  readonly #agent: http.Agent

  constructor(base: URL, secrets: Secrets) {
    this.#base = base
    this.#secrets = secrets
    this.#agent = new (this.#isTls ? https : http).Agent({ keepAlive: true })
  }

  /** Throws NoAnswer. */
  async send(request: Request): Promise<Answer> {
    try {
      return 'raw' in request ? await this.#sendRaw(request) : await this.#sendHttp(request)
    } catch (error) {
      throw new NoAnswer(request, error)
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  get #isTls(): boolean {
    return this.#base.protocol === 'https:'
  }

  #reveal(text: string): string {
    const { key, limitedKey = '' } = this.#secrets
    return text.replaceAll(CUT_KEY, key.slice(0, -1)).replaceAll(LIMITED_KEY, limitedKey).replaceAll(KEY, key)
  }

  async #sendHttp(request: HttpRequest): Promise<Answer> {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, this.#reveal(value)]),
    )
    if (request.body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(request.body))
    const options: http.RequestOptions = {
      method: request.method,
      protocol: this.#base.protocol,
      // The URL type keeps the brackets of an IPv6 address; a socket wants none.
      host: this.#base.hostname.replace(/^\[|\]$/g, ''),
      port: this.#base.port,
      path: this.#base.pathname + this.#reveal(request.path),
      headers,
      timeout: ANSWER_TIMEOUT_MS,
      // A creation goes on a fresh connection: a kept one may close at that very moment, and asking again could create twice.
      agent: request.method === 'POST' ? false : this.#agent,
    }
    const outgoing = (this.#isTls ? https : http).request(options)
    try {
      return await answerTo(outgoing, request.body)
    } catch (error) {
      if (!outgoing.reusedSocket) throw error
      return answerTo((this.#isTls ? https : http).request({ ...options, agent: false }), request.body)
    }
  }

  #sendRaw({ raw }: RawRequest): Promise<Answer> {
    const host = this.#base.hostname.replace(/^\[|\]$/g, '')
    const port = Number(this.#base.port) || (this.#isTls ? 443 : 80)
    const socket = this.#isTls
      ? tls.connect({ host, port, ...(net.isIP(host) === 0 ? { servername: host } : {}) })
      : net.connect({ host, port })
    socket.write(this.#reveal(raw))
    socket.setTimeout(RAW_TIMEOUT_MS, () => socket.destroy(new Error('no answer within 5 seconds')))
    return answerTo(http.request({ createConnection: () => standIn(socket) }), undefined).finally(() =>
      socket.destroy(),
    )
  }
}

/** Reads from `socket`; what is written to it goes nowhere. */
function standIn(socket: net.Socket): Duplex {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  socket.on('data', (chunk) => stream.push(chunk))
  socket.on('close', () => stream.push(null))
  // An error that comes after a whole answer changes nothing about the answer.
  socket.on('error', (error) => setImmediate(() => stream.destroy(error)))
  return stream
}

function answerTo(outgoing: http.ClientRequest, body: string | Buffer | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_MS / 1000} seconds`)))
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const { httpVersion, statusCode = 0, statusMessage = '', rawHeaders } = incoming
        const headers: [string, string][] = []
        for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.push([rawHeaders[i] ?? '', rawHeaders[i + 1] ?? ''])
        const statusLine = `HTTP/${httpVersion} ${statusCode} ${statusMessage}`.trimEnd()
        resolve({ statusLine, status: statusCode, headers, body: Buffer.concat(chunks) })
      })
    })
    outgoing.end(body)
  })
}
