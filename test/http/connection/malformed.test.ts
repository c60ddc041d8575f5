/**
 * Malformed HTTP, byte by byte over bare sockets: each connection gets exactly one response to it, with the three
 * headers and an Error (R6, R15), counted for the address (O14), after the responses to earlier requests. And what each
 * error of HTTP's parser means, as the parser tells it: a code, the bytes, and the place in them (O8, O23).
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ParserError } from '../../../src/http/listener.ts'
import { responseToParserError } from '../../../src/http/malformed.ts'
import { type KeyedApp, startKeyed } from '../../support/app.ts'
import { type Answer, assertWhole, BODY, exchange, RawConnection, remaining, statusesOf } from '../../support/http.ts'

const ALLOWANCE = 1_000_000

/** Long ones: no machine is so busy that a request takes them. */
let app: KeyedApp
/** With short timeouts, of which some requests are answered 408 and others end. */
let withShortTimeouts: KeyedApp
before(async () => {
  const start = (headersMs: number, requestMs: number) =>
    startKeyed({ anonymousPerMinute: ALLOWANCE, timeouts: { headersMs, requestMs, sendMs: requestMs } })
  app = await start(300_000, 300_000)
  withShortTimeouts = await start(800, 900)
})
after(async () => {
  await app[Symbol.asyncDispose]()
  await withShortTimeouts[Symbol.asyncDispose]()
})

/** Sends bytes that must get one response, which counts for the address. */
async function one(bytes: string | Buffer, status: number, code?: string): Promise<Answer> {
  const before = remaining(await app.call({}))
  const [answer, ...more] = await exchange(app.port, bytes)
  assertWhole(answer, status, code)
  assert.deepEqual(more, [], 'and no other')
  assert.equal(answer.headers.connection, 'close')
  assert(!Number.isNaN(Date.parse(String(answer.headers.date))))
  assert.equal(answer.headers['x-ratelimit-limit'], String(ALLOWANCE))
  assert.equal(remaining(answer), before - 1, 'counted once, for the address')
  return answer
}

describe('malformed HTTP (O23)', () => {
  for (const [name, bytes] of [
    ['text', 'hello\r\n\r\n'],
    ['binary', Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10])],
    ['a TLS hello', Buffer.from('160301020001000001fc0303', 'hex')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['no target', 'GET HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a space in the target', 'GET /v1/pets?x=a b HTTP/1.1\r\nHost: x\r\n\r\n'],
  ] as const) {
    it(`${name} gets 400`, () => one(bytes, 400, 'invalid_request').then(() => {}))
  }
})

describe('HTTP that breaks the rules of HTTP (O14, O23)', () => {
  it('an invalid chunk gets 400 and nothing is stored (R10)', async () => {
    const { body } = await app.call({ key: app.key })
    const head = `POST /v1/pets HTTP/1.1\r\n${app.auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    await one(`${head}zz\r\n`, 400)
    await one(`${head}1b\r\n${BODY}XX`, 400)
    assert.equal((await app.call({ key: app.key })).body, body)
  })

  it('CONNECT gets 501, also after another request: this is not a proxy (O23)', async () => {
    await one(`CONNECT example.com:443 HTTP/1.1\r\n${app.auth}\r\n`, 501, 'not_implemented')
    const answers = await exchange(app.port, `${app.create}CONNECT example.com:443 HTTP/1.1\r\n${app.auth}\r\n`)
    assert.deepEqual(statusesOf(answers), [201, 501])
    for (const answer of answers) assertWhole(answer, answer.status)
  })
})

describe('a request of which the parser refuses the body', () => {
  it('is answered as its path, its method, its origin and its proxy ask for (O14, O21, O23, O24)', async (t) => {
    await using app = await startKeyed({ anonymousPerMinute: 4, trustProxy: ['127.0.0.1'], corsOrigins: ['*'] })
    const { requests } = app.store
    const { findKey } = requests
    // As on PostgreSQL: the parser sees the body before the key is known.
    t.mock.method(requests, 'findKey', async (hash: string) => findKey(hash))
    const refused = async (request: string, method = 'GET') => {
      using connection = new RawConnection(app.port)
      connection.send(
        `${method} ${request} HTTP/1.1\r\n${app.auth}X-Forwarded-For: 192.0.2.1\r\nOrigin: https://a.example\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      )
      const [answer, ...more] = await connection.answers(Infinity, [method])
      assertWhole(answer, 400, 'invalid_request')
      assert.deepEqual(more, [])
      return answer
    }
    const { body, headers } = await refused('/v1/pets', 'HEAD')
    assert.equal(body, '')
    assert.match(String(headers['content-length']), /^[1-9]/)
    assert.equal((await refused('/v1/pets/7')).headers.sunset, 'Thu, 05 Dec 2030 00:00:00 GMT')
    const posted = await refused('/v1/pets', 'POST')
    assert.equal(posted.headers['access-control-allow-origin'], 'https://a.example')
    assert.equal(remaining(posted), 1)
    assert.equal(remaining(await app.call({ headers: { 'x-forwarded-for': '192.0.2.2' } })), 3)
  })
})

describe('timeouts (O8)', () => {
  /** What is left of the address's allowance, as the answer to half a request tells. */
  const left = async () => {
    const [answer] = await exchange(withShortTimeouts.port, 'GE')
    assertWhole(answer, 408, 'request_timeout')
    return remaining(answer)
  }

  it('incomplete headers, and an incomplete body, get 408, counted once, for the address', async () => {
    const before = await left()
    const parts = ['GET /v1/pets HTTP/1.1\r\nHos', 'GE', withShortTimeouts.create.slice(0, -1)]
    for (const [answer, ...more] of await Promise.all(parts.map((part) => exchange(withShortTimeouts.port, part)))) {
      assertWhole(answer, 408, 'request_timeout')
      assert.deepEqual(more, [])
      assert.equal(answer.headers.connection, 'close')
      assert.equal(answer.headers['x-ratelimit-limit'], String(ALLOWANCE))
    }
    assert.equal(await left(), before - parts.length - 1)
  })

  it('a connection without a request is closed without a response, and is not counted for the address', async () => {
    const before = await left()
    using connection = new RawConnection(withShortTimeouts.port)
    assert.deepEqual(await connection.answers(Infinity), [])
    assert.equal(await left(), before - 1)
  })

  it('a request that arrives byte by byte has the same time limit as any other', async () => {
    using connection = new RawConnection(withShortTimeouts.port)
    connection.send('GET /v1/pets HTTP/1.1\r\n')
    const dribble = setInterval(() => connection.send('A: b\r\n'), 40)
    const [answer] = await connection.answers(1)
    clearInterval(dribble)
    assertWhole(answer, 408)
  })
})

describe('a request answered before its body has arrived', () => {
  it('gets no second response if the body is invalid or does not arrive', async () => {
    for (const body of ['Transfer-Encoding: chunked\r\n\r\nzz\r\n', 'Content-Length: 10\r\n\r\n{']) {
      const answers = await exchange(withShortTimeouts.port, `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${body}`)
      assert.deepEqual(statusesOf(answers), [401])
    }
  })
})

const INVALID = ['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT']
/** The longest head, in bytes (O8). */
const MAX_HEAD = 32_768

function failure(code: string | undefined, more: Partial<ParserError> = {}): ParserError {
  return Object.assign(new Error('x'), { code, ...more })
}

/** The parser stopped in a line, behind `bytesParsed` of it. */
function stoppedIn(line: string, bytesParsed = line.length, code = 'HPE_INVALID_METHOD'): ParserError {
  return failure(code, { rawPacket: Buffer.from(line, 'latin1'), bytesParsed })
}

function statusOf(cause: ParserError): number | undefined {
  return responseToParserError(cause)?.status
}

describe('an error of HTTP’s parser', () => {
  it('is 413 for extensions of chunks, 501 for a coding, and 400 if it says no more than that the method is wrong', () => {
    assert.equal(statusOf(failure('HPE_CHUNK_EXTENSIONS_OVERFLOW')), 413)
    assert.equal(statusOf(failure('HPE_INVALID_TRANSFER_ENCODING')), 501)
    for (const code of INVALID) assert.equal(statusOf(failure(code)), 400, code)
  })
})

describe('a head that is too large (O8)', () => {
  const overflow = (text: string) => statusOf(failure('HPE_HEADER_OVERFLOW', { rawPacket: Buffer.from(text) }))
  const line = (length: number) => `GET /${'a'.repeat(length - 'GET / HTTP/1.1'.length)} HTTP/1.1`

  it('is 414 if its first line is longer than a target may be, whole or not, and 431 otherwise', () => {
    const fields = `\r\nX: ${'a'.repeat(MAX_HEAD)}`
    assert.equal(overflow(line(8_192) + fields), 431)
    assert.equal(overflow(line(8_193) + fields), 414)
    assert.equal(overflow(line(8_192)), 431)
    assert.equal(overflow(line(8_193)), 414)
    assert.equal(overflow(`\r\n\r\n${line(8_193)}${fields}`), 414, 'behind empty lines (RFC 9112 2.2)')
  })

  it('is 431 if it is seen to be in what is no request line', () => {
    for (const start of ['', 'a', '1 ', 'X: GET /', ' : ']) assert.equal(overflow(start + 'a'.repeat(MAX_HEAD)), 431)
    assert.equal(overflow(`M-SEARCH /${'a'.repeat(MAX_HEAD)}`), 414)
  })
})

/** Request lines of HTTP/1.0 and HTTP/1.1 with methods that the parser does not know. */
const UNKNOWN_METHODS = ['FOO / HTTP/1.1', 'f / HTTP/1.0', 'X-1 /a?b HTTP/1.1', "!#$%&'*+.^_`|~9 * HTTP/1.1"]
const NO_REQUEST_LINES = [
  ...['', ' ', 'FOO', 'FOO /', 'FOO / ', 'FOO / HTTP/', 'FOO / HTTP/1.', 'FOO / HTTP/1.2', 'FOO / HTTP/2.0'],
  ...['FOO / HTTP/1.1 ', 'FOO / HTTP/1.1x', 'FOO  / HTTP/1.1', 'FOO /  HTTP/1.1', 'FOO / / HTTP/1.1'],
  ...['FOO HTTP/1.1', 'FOO /\x7f HTTP/1.1', 'FOO /é HTTP/1.1', 'FOO / http/1.1', 'FOO / HTTP/1x1'],
]

describe('a line in which the parser stopped for its method', () => {
  it('is 501 if it is a request line otherwise, wherever in it the parser stopped (O23)', () => {
    for (const line of UNKNOWN_METHODS) {
      for (const [end, code] of ['\r\n', '\n', '', '\r'].flatMap((end) =>
        INVALID.map((code) => [end, code] as const),
      )) {
        for (let at = 0; at <= line.length; at += 1) {
          assert.equal(statusOf(stoppedIn(line + end, at, code)), 501, JSON.stringify([line, end, at]))
        }
      }
    }
  })

  it('is 400 if it is none', () => {
    for (const line of NO_REQUEST_LINES) {
      for (const end of ['\r\n', '']) {
        for (let at = 0; at <= line.length; at += 1) {
          assert.equal(statusOf(stoppedIn(line + end, at)), 400, JSON.stringify([line, end, at]))
        }
      }
    }
    for (const [line, at] of [
      [' FOO / HTTP/1.1\r\n', 0],
      ['F(O / HTTP/1.1\r\n', 1],
    ] as const)
      assert.equal(statusOf(stoppedIn(line, at)), 400)
    assert.equal(statusOf(stoppedIn('FOO / HTTP/1.1\r\n', 3, 'HPE_INVALID_URL')), 400, 'or if it stopped for another')
  })
})
