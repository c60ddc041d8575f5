/** HTTP for the tests, through Node's client or as raw bytes, and what must hold for every response. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { connect as connectSecurely } from 'node:tls'

// An import statement would load the WebSocket client too (src/contract/errors.ts), in every file of tests.
const { request } = process.getBuiltinModule('node:http')
const { request: secureRequest } = process.getBuiltinModule('node:https')

/** Only a test that hangs takes this long. */
const TIMEOUT_MS = 120_000

/** In ASCII. */
export const BODY = '{"name":"x","categoryId":1}'

export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Call {
  readonly method?: string
  readonly path?: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
  readonly host?: string
  readonly localAddress?: string
  readonly agent?: Agent
  /** For TLS to a server with this certificate, whatever the name in it. */
  readonly ca?: Buffer
}

export async function call(
  port: number,
  { method = 'GET', path = '/v1/pets', key, headers = {}, body, host = '127.0.0.1', localAddress, agent, ca }: Call,
): Promise<Answer> {
  const send = ca === undefined ? request : secureRequest
  const to = { host, port, method, path, agent: agent ?? false, localAddress, timeout: TIMEOUT_MS }
  const sent = send({
    ...to,
    ...(ca !== undefined && { ca, checkServerIdentity: () => undefined }),
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
  })
  sent.on('error', () => {}) // of the answer, which rejects by itself
  sent.on('timeout', () => sent.destroy(new Error('no answer'))).end(body)
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response === undefined) throw new Error('no answer')
  return { status: response.statusCode ?? 0, headers: response.headers, body: (await buffer(response)).toString() }
}

/** `headers` are lines, each with its end. */
export function createBytes(headers: string, body = BODY): string {
  return `POST /v1/pets HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. A repeated header has all values, joined by line breaks. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** A bare connection, whose answers are read without a library that forgives. */
export class RawConnection implements Disposable {
  readonly socket: Socket
  /** Resolves when the peer has closed the connection. */
  readonly closed: Promise<void>
  readonly #chunks: Buffer[] = []
  readonly #answers: Answer[] = []
  readonly #changes = new EventEmitter()
  #isClosed = false

  constructor(port: number, isSecure = false) {
    const to = { port, host: '127.0.0.1', allowHalfOpen: true }
    this.socket = isSecure ? connectSecurely({ ...to, rejectUnauthorized: false }) : connect(to)
    this.socket.setNoDelay(true)
    this.socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#changes.emit('change')
    })
    this.closed = new Promise((resolve) => {
      const end = () => {
        this.#isClosed = true
        this.#changes.emit('change')
        resolve()
      }
      for (const event of ['end', 'close', 'error']) this.socket.on(event, end)
    })
  }

  send(bytes: string | Buffer): this {
    this.socket.write(bytes)
    return this
  }

  /** Sends each character as a byte, in a packet of its own. */
  async sendApart(bytes: string): Promise<void> {
    if (bytes === '' || this.socket.writableEnded || this.socket.destroyed) return
    await new Promise<void>((resolve) => this.socket.write(bytes, 'latin1', () => resolve()))
    await new Promise(setImmediate)
    await new Promise(setImmediate)
  }

  /** In a turn of its own: over TLS Node would drop what has arrived and is not read yet. */
  finish(): void {
    setImmediate(() => this.socket.end())
  }

  /** Fewer than `count` if the connection ends before. */
  async answers(count: number, methods: readonly string[] = []): Promise<Answer[]> {
    while (this.#answers.length < count) {
      const answer = await this.#next(methods[this.#answers.length] === 'HEAD', TIMEOUT_MS)
      if (answer === undefined) {
        assert(this.#isClosed, `no answer; received: ${JSON.stringify(this.received)}`)
        assert.equal(this.received, '', 'nothing but whole answers left the connection')
        break
      }
      const headers = Object.fromEntries(answer.headers)
      this.#answers.push({ ...answer, headers, body: answer.body.toString() })
    }
    return [...this.#answers]
  }

  /** The next answer that is not interim; undefined if there is none within `ms`. */
  async answer(isHead: boolean, ms: number): Promise<RawAnswer | undefined> {
    for (;;) {
      const answer = await this.#next(isHead, ms)
      if (answer === undefined || answer.status >= 200) return answer
    }
  }

  /** Whether the peer has closed its side within `ms`, with nothing more to read. */
  async hasEnded(ms: number): Promise<boolean> {
    await this.#until(() => (this.#isClosed || this.#bytes.length > 0 ? true : undefined), ms)
    return this.#isClosed && this.#bytes.length === 0
  }

  /** What has arrived except for the answers that were taken. */
  get received(): string {
    return this.#bytes.toString('latin1')
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }

  get #bytes(): Buffer {
    const [only = Buffer.alloc(0), ...others] = this.#chunks
    if (others.length === 0) return only
    const all = Buffer.concat(this.#chunks)
    this.#chunks.splice(0, Infinity, all)
    return all
  }

  #next(isHead: boolean, ms: number): Promise<RawAnswer | undefined> {
    return this.#until(() => this.#take(isHead), ms)
  }

  async #until<T>(look: () => T | undefined, ms: number): Promise<T | undefined> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.#changes.emit('change')
    }, ms)
    try {
      for (;;) {
        const found = look()
        if (found !== undefined || isLate || this.#isClosed) return found
        await once(this.#changes, 'change')
      }
    } finally {
      clearTimeout(timer)
    }
  }

  #take(isHead: boolean): RawAnswer | undefined {
    const bytes = this.#bytes
    const headEnd = bytes.indexOf('\r\n\r\n')
    if (headEnd === -1) return undefined
    const [first = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) [!-~ ]*$/.exec(first)?.[1] ?? 0)
    const headers = new Map<string, string>()
    for (const line of lines) {
      const [name = '', value = ''] = line.split(/: (.*)/s)
      const before = headers.get(name.toLowerCase())
      headers.set(name.toLowerCase(), before === undefined ? value : `${before}\n${value}`)
    }
    const length = isHead || status < 200 || status === 204 ? 0 : Number(headers.get('content-length') ?? Number.NaN)
    const end = headEnd + 4 + (Number.isNaN(length) ? 0 : length)
    if (bytes.length < end) return undefined
    this.#chunks.splice(0, Infinity, bytes.subarray(end))
    return { status, headers, body: bytes.subarray(headEnd + 4, end) }
  }
}

/** Resolves to every answer until the peer closes. */
export async function exchange(port: number, text: string | Buffer): Promise<Answer[]> {
  using connection = new RawConnection(port)
  connection.send(text)
  return await connection.answers(Infinity)
}

/** What R15 says of every answer, and R6 of every error. */
export function assertWhole(answer: Answer | undefined, status: number, code?: string): asserts answer is Answer {
  assert(answer !== undefined, 'there is an answer')
  assert.equal(answer.status, status, answer.body)
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    assert.match(String(answer.headers[name]), /^\d+$/, `${name} on ${status}`)
  }
  if (status < 400) return
  assert.equal(answer.headers['content-type'], 'application/json')
  if (answer.body === '') return // HEAD
  const error = JSON.parse(answer.body) as { code: unknown; message: unknown; status: unknown }
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'status'])
  assert.equal(error.status, status)
  assert.equal(typeof error.message, 'string')
  if (code !== undefined) assert.equal(error.code, code)
  else assert.match(String(error.code), /^[a-z_]+$/)
}

export const statusesOf = (answers: readonly { readonly status: number | undefined }[]) =>
  answers.map(({ status }) => status)

export function remaining(answer: Answer): number {
  return Number(answer.headers['x-ratelimit-remaining'])
}

export function message(answer: Answer): string {
  return (JSON.parse(answer.body) as { message: string }).message
}
