/**
 * HTTP for the tests: one request at a time through node's client, or raw bytes over a bare socket, and what must hold
 * for every response.
 */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'

// An import statement would load the WebSocket client too (src/contract/errors.ts), in every file of tests.
const { request } = process.getBuiltinModule('node:http')
const { request: secureRequest } = process.getBuiltinModule('node:https')

/** Only what hangs takes so long, however busy the machine. */
const TIMEOUT_MS = 120_000

/** An animal as a body, in ASCII. */
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
  /** From which address of this machine; without it, the system chooses. */
  readonly localAddress?: string
  /** Without it, a connection of its own. */
  readonly agent?: Agent
  /** Over TLS, to whoever has this certificate, whatever the name in it. */
  readonly ca?: Buffer
}

/** One request, its target exactly as given. */
export async function call(
  port: number,
  { method = 'GET', path = '/v1/pets', key, headers = {}, body, host = '127.0.0.1', localAddress, agent, ca }: Call,
): Promise<Answer> {
  const send = ca === undefined ? request : secureRequest
  const sent = send({
    ...(ca !== undefined && { ca, checkServerIdentity: () => undefined }),
    ...{ host, port, method, path, agent: agent ?? false, localAddress, timeout: TIMEOUT_MS },
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

/** The bytes of a request that creates the animal of BODY; `headers` are further lines, each with its end. */
export function createBytes(headers: string): string {
  return `POST /v1/pets HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
}

/** A bare connection: bytes out, answers in, in the order in which they came. */
export class RawConnection implements Disposable {
  readonly socket: Socket
  /** Resolves when the other side has closed the connection. */
  readonly closed: Promise<void>
  #received = ''
  readonly #changes = new EventEmitter()
  #isClosed = false

  constructor(port: number, host = '127.0.0.1') {
    this.socket = connect({ port, host, allowHalfOpen: true })
    this.socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text
      this.#changes.emit('change')
    })
    this.socket.on('error', () => {})
    this.closed = new Promise((resolve) => {
      const end = () => {
        this.#isClosed = true
        this.#changes.emit('change')
        resolve()
      }
      this.socket.on('end', end).on('close', end)
    })
  }

  /** What has arrived. */
  get received(): string {
    return this.#received
  }

  send(text: string | Buffer): this {
    this.socket.write(text)
    return this
  }

  /** The next `count` answers, or fewer when the connection ends before. */
  async answers(count: number, methods: readonly string[] = []): Promise<Answer[]> {
    for (;;) {
      const { answers, rest } = parseAnswers(this.#received, methods)
      if (answers.length >= count || this.#isClosed) {
        if (this.#isClosed) assert.equal(rest, '', 'nothing but whole answers left the connection')
        return answers
      }
      await once(this.#changes, 'change', { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() =>
        assert.fail(`no answer; received: ${JSON.stringify(this.#received)}`),
      )
    }
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}

/** Sends bytes and resolves to every answer until the other side closes. */
export async function exchange(port: number, text: string | Buffer): Promise<Answer[]> {
  using connection = new RawConnection(port)
  connection.send(text)
  return await connection.answers(Infinity)
}

function parseAnswers(text: string, methods: readonly string[]): { answers: Answer[]; rest: string } {
  const answers: Answer[] = []
  let rest = text
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return { answers, rest }
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    assert(status >= 100, `a status line, not ${JSON.stringify(statusLine)}`)
    const headers: IncomingHttpHeaders = {}
    for (const line of lines) {
      const colon = line.indexOf(':')
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
    }
    const hasBody = methods[answers.length] !== 'HEAD'
    const length = hasBody ? Number(headers['content-length'] ?? 0) : 0
    const start = end + 4
    if (rest.length < start + length) return { answers, rest }
    answers.push({ status, headers, body: Buffer.from(rest.slice(start, start + length), 'latin1').toString() })
    rest = rest.slice(start + length)
  }
}

/** What R15 says of every answer, and R6 of every error: holds `answer` to it, and to its status. */
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
