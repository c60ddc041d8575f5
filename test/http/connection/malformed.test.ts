/** Malformed HTTP over bare sockets: one response with the cause (R6, R15), for the address or the key (O14). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { responseToParserError } from '../../../src/http/malformed.ts'
import { type KeyedApp, startKeyed } from '../../support/app.ts'
import { type Answer, assertWhole, BODY, createBytes, exchange, RawConnection, remaining } from '../../support/http.ts'

const ALLOWANCE = 1_000_000

let app: KeyedApp
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

describe('a request that HTTP’s parser rejects (O14, O23)', () => {
  for (const [name, bytes, why] of [
    ['text', 'hello\r\n\r\n', 'begin with a method'],
    ['binary', Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10]), 'begin with a method'],
    ['a TLS hello', Buffer.from('160301020001000001fc0303', 'hex'), 'begin with a method'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'not a valid HTTP request'],
    ['no target', 'GET HTTP/1.1\r\nHost: x\r\n\r\n', 'no address was sent'],
    ['a space in the target', 'GET /v1/pets?x=a b HTTP/1.1\r\nHost: x\r\n\r\n', 'followed by one space'],
    ['another protocol', 'GET / FOO/1.1\r\n\r\n', 'followed by one space'],
    ['another version', 'GET / HTTP/1.7\r\nHost: x\r\n\r\n', 'HTTP/1.1 or HTTP/1.0'],
    ['a line without CR', 'GET / HTTP/1.1\nHost: x\n\n', 'CR LF'],
    ['a space in the name of a header', 'GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n', 'header has an invalid'],
    ['an invalid length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 'Content-Length is not valid'],
    [
      'a length with a coding',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      'not be sent together',
    ],
  ] as const) {
    it(`gets 400 for ${name}, with the cause`, async () => {
      const { message } = JSON.parse((await one(bytes, 400, 'invalid_request')).body)
      assert.ok(message.includes(why), message)
    })
  }
})

describe('a request that HTTP’s parser delivers, malformed or not (O14, O22)', () => {
  const CHUNKED = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
  const rows = [
    ['GET /v1/pets?x=50% HTTP/1.1\r\nHost: x\r\n', '', 400, 'percent-encoding'],
    ['GET /v1/pets#x HTTP/1.1\r\nHost: x\r\n', '', 400, 'fragment'],
    ['GET ftp://x/v1/pets HTTP/1.1\r\nHost: x\r\n', '', 400, 'scheme'],
    ['GET http://:80/v1/pets HTTP/1.1\r\nHost: x\r\n', '', 400, 'address does not name'],
    ['GET /v1/pets HTTP/1.1\r\nHost: x\r\nHost: x\r\n', '', 400, 'only one Host'],
    ['GET /v1/pets HTTP/1.1\r\n', '', 400, 'Host header is needed'],
    ['GET /v1/pets HTTP/1.1\r\nHost: a b\r\n', '', 400, 'not a valid host'],
    ['GET /v1/pets HTTP/2.0\r\nHost: x\r\n', '', 400, 'HTTP/1.1 or HTTP/1.0'],
    ['GET /v1/pets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n', '', 501, 'transfer coding'],
    ['CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n', '', 501, 'does not know the method'],
    [`POST /v1/pets HTTP/1.1\r\nHost: x\r\n${CHUNKED}`, 'zz\r\n', 400, 'chunk'],
    [`POST /v1/pets HTTP/1.1\r\nHost: x\r\n${CHUNKED}`, `1b\r\n${BODY}XX`, 400, 'CR LF'],
  ] as const

  it('counts for a valid key, and otherwise gets 401', async (t) => {
    const key = await app.issue('enterprise', { perMinute: 77, perDay: 1_000 })
    const { requests } = app.store
    const { findKey } = requests
    const { body } = await app.call({ key: app.key })
    for (const isLate of [false, true]) {
      // As on PostgreSQL: the parser sees the body before the key is known.
      if (isLate) t.mock.method(requests, 'findKey', async (hash: string) => findKey(hash))
      for (const [head, rest, status, why] of rows) {
        const before = [remaining(await app.call({ key })), remaining(await app.call({}))]
        const [answer, ...more] = await exchange(app.port, `${head}Authorization: Bearer ${key}\r\n\r\n${rest}`)
        assertWhole(answer, status)
        assert.deepEqual(more, [])
        assert.ok(JSON.parse(answer.body).message.includes(why), answer.body)
        assert.equal(answer.headers['x-ratelimit-limit'], '77')
        assert.equal(answer.headers.connection, 'close')
        const [keyless] = await exchange(app.port, `${head}\r\n${rest}`)
        assertWhole(keyless, 401)
        const after = [remaining(await app.call({ key })), remaining(await app.call({}))]
        assert.deepEqual(after, [Number(before[0]) - 2, Number(before[1]) - 2], head)
        app.clock.nowMs += 60_000
      }
    }
    assert.equal((await app.call({ key: app.key })).body, body, 'and nothing is stored (R10)')
  })

  it('is answered by its path, method, origin and proxy if it needs no body (O21, O23, O24)', async (t) => {
    await using app = await startKeyed({ trustProxy: ['127.0.0.1'], corsOrigins: ['*'] })
    const { requests } = app.store
    const { findKey } = requests
    t.mock.method(requests, 'findKey', async (hash: string) => findKey(hash))
    const asked = async (request: string, method: string, status: number) => {
      using connection = new RawConnection(app.port)
      connection.send(
        `${method} ${request} HTTP/1.1\r\n${app.auth}Origin: https://a.example\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      )
      const [answer, ...more] = await connection.answers(Infinity, [method])
      assertWhole(answer, status)
      assert.deepEqual([more, answer.headers.connection], [[], 'close'])
      assert.equal(answer.headers['access-control-allow-origin'], 'https://a.example')
      return answer
    }
    assert.equal((await asked('/v1/pets', 'HEAD', 200)).body, '')
    assert.equal((await asked('/v1/pets/7', 'GET', 404)).headers.sunset, 'Thu, 05 Dec 2030 00:00:00 GMT')
  })
})

describe('a request that arrives too slowly (O8)', () => {
  /** What is left of the address's allowance, as the answer to half a request tells. */
  const left = async () => {
    const [answer] = await exchange(withShortTimeouts.port, 'GE')
    assertWhole(answer, 408, 'request_timeout')
    return remaining(answer)
  }

  it('gets 408, which counts for the address until its headers have arrived, then for the key (O14)', async () => {
    const key = await withShortTimeouts.issue('enterprise', { perMinute: 77, perDay: 1_000 })
    const before = await left()
    const create = createBytes(`Host: x\r\nAuthorization: Bearer ${key}\r\n`).slice(0, -1)
    const parts = ['GET /v1/pets HTTP/1.1\r\nHos', 'GE', create]
    const answers = await Promise.all(parts.map((part) => exchange(withShortTimeouts.port, part)))
    for (const [answer, ...more] of answers) {
      assertWhole(answer, 408, 'request_timeout')
      assert.deepEqual(more, [])
      assert.equal(answer.headers.connection, 'close')
    }
    const limits = answers.map(([answer]) => answer?.headers['x-ratelimit-limit'])
    assert.deepEqual(limits, [String(ALLOWANCE), String(ALLOWANCE), '77'])
    assert.equal(await left(), before - 3)
  })

  it('gets no response, and does not count, if nothing of it has arrived', async () => {
    const before = await left()
    using connection = new RawConnection(withShortTimeouts.port)
    assert.deepEqual(await connection.answers(Infinity), [])
    assert.equal(await left(), before - 1)
  })

  it('has the same time if it arrives byte by byte', async () => {
    using connection = new RawConnection(withShortTimeouts.port)
    connection.send('GET /v1/pets HTTP/1.1\r\n')
    const dribble = setInterval(() => connection.send('A: b\r\n'), 40)
    const [answer] = await connection.answers(1)
    clearInterval(dribble)
    assertWhole(answer, 408)
  })
})

it('a parser error gets 413 for chunk extensions, 501 for a coding and 400 for an invalid method', () => {
  for (const [code, status] of [
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
    ['HPE_INVALID_TRANSFER_ENCODING', 501],
    ['HPE_INVALID_METHOD', 400],
    ['HPE_INVALID_CONSTANT', 400],
  ] as const)
    assert.equal(responseToParserError(Object.assign(new Error('x'), { code }))?.status, status, code)
})
