/**
 * Where a request ends: every complete request is answered at once, whatever its framing and whatever its bytes are cut
 * into (O23; RFC 9112 6.1 and 6.3).
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { startApp, type TestApp } from '../../support/app.ts'
import { type Answer, assertWhole, BODY, exchange, RawConnection, remaining } from '../../support/http.ts'

const ALLOWANCE = 1_000_000
/** Longer than a client of a test waits: what is answered only when the time for a request is over is not answered. */
const TIMEOUTS = { headersMs: 300_000, requestMs: 300_000, unreadMs: 300_000 }

let app: TestApp
let key: string
let auth: string
let get: string
let head: string
before(async () => {
  app = await startApp({ anonymousPerMinute: ALLOWANCE, timeouts: TIMEOUTS })
  key = await app.issue()
  auth = `Host: x\r\nAuthorization: Bearer ${key}\r\n`
  get = `GET /v1/pets?limit=1 HTTP/1.1\r\n${auth}\r\n`
  head = `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\n`
})
after(() => app[Symbol.asyncDispose]())

/** The answers to bytes that nothing follows: no end of the connection, and no timeout either. */
async function atOnce(bytes: string, count: number): Promise<Answer[]> {
  using connection = new RawConnection(app.port)
  return await connection.send(bytes).answers(count)
}

/** A connection that gets one answer, counted for the address, and then ends. */
async function onlyAnswer(bytes: string, status: number, code: string): Promise<void> {
  const before = remaining(await app.call({}))
  const [answer, ...more] = await exchange(app.port, bytes)
  assertWhole(answer, status, code)
  assert.deepEqual(more, [])
  assert.equal(answer.headers.connection, 'close')
  assert.equal(answer.headers['x-ratelimit-limit'], String(ALLOWANCE))
  assert.equal(remaining(answer), before - 1, 'counted once, for the address')
}

describe('a request without Content-Length and Transfer-Encoding (RFC 9112 6.3)', () => {
  it('has no body and is answered at once, and so is what follows it', async () => {
    for (const [method, status] of [
      ['POST', 400],
      ['PUT', 405],
      ['DELETE', 405],
      ['SOURCE', 405],
    ] as const) {
      for (const fields of ['', 'Content-Type: application/json\r\n']) {
        const [first, second] = await atOnce(`${method} /v1/pets HTTP/1.1\r\n${auth}${fields}\r\n${get}`, 2)
        assertWhole(first, status)
        assertWhole(second, 200)
      }
      // Nothing is left to continue, so no interim answer comes before the answer.
      assertWhole((await atOnce(`${method} /v1/pets HTTP/1.1\r\n${auth}Expect: 100-continue\r\n\r\n`, 1))[0], status)
    }
  })

  it('is answered at once in HTTP/1.0 too, and without a key', async () => {
    assertWhole((await atOnce(`POST /v1/pets HTTP/1.0\r\n${auth}\r\n`, 1))[0], 400, 'invalid_request')
    assertWhole((await atOnce(`POST /v1/pets HTTP/1.0\r\n\r\n`, 1))[0], 401, 'unauthorized')
  })

  it('to upgrade is answered at once and ends the connection', async () => {
    const [answer] = await atOnce(`POST /v1/pets HTTP/1.1\r\n${auth}Connection: upgrade\r\nUpgrade: x\r\n\r\n`, 1)
    assertWhole(answer, 400)
    assert.equal(answer.headers.connection, 'close')
  })
})

describe('another version than HTTP/1.x (O14, O23)', () => {
  it('gets 400, counted for the address, and ends the connection', async () => {
    for (const line of ['GET /v1/pets HTTP/0.9', 'GET /v1/pets', 'GET /v1/pets HTTP/2.0', 'FOO /v1/pets HTTP/2.0']) {
      await onlyAnswer(`${line}\r\n${auth}Connection: keep-alive\r\n\r\n${get}`, 400, 'invalid_request')
    }
  })
})

describe('transfer codings (O23, RFC 9112 6.1)', () => {
  const chunked = `1b\r\n${BODY}\r\n0\r\n\r\n`

  it('other than chunked alone get 501, counted for the address, end the connection, and nothing is stored', async () => {
    const { body } = await app.call({ key })
    for (const coding of [
      'gzip, chunked',
      'gzip,chunked',
      'identity, chunked',
      'chunked, chunked',
      'gzip',
      'identity',
      'x',
    ]) {
      await onlyAnswer(`${head}Transfer-Encoding: ${coding}\r\n\r\n${chunked}`, 501, 'not_implemented')
      await onlyAnswer(
        `GET /v1/pets HTTP/1.1\r\n${auth}Transfer-Encoding: ${coding}\r\n\r\n${chunked}`,
        501,
        'not_implemented',
      )
    }
    const twoFields = 'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n'
    await onlyAnswer(`${head}${twoFields}\r\n${chunked}`, 501, 'not_implemented')
    assert.equal((await app.call({ key })).body, body)
  })

  it('in HTTP/1.0 are read, and end the connection (RFC 9112 6.1)', async () => {
    const old = `${head.replace('HTTP/1.1', 'HTTP/1.0')}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`
    const [answer, ...more] = await exchange(app.port, old + get)
    assertWhole(answer, 201)
    assert.equal(answer.headers.connection, 'close')
    assert.deepEqual(more, [])
  })

  it('are named without regard to case', async () => {
    for (const coding of ['chunked', 'Chunked', 'CHUNKED ']) {
      assertWhole((await atOnce(`${head}Transfer-Encoding: ${coding}\r\n\r\n${chunked}${get}`, 2))[0], 201)
    }
  })
})

describe('two Authorization fields (O23)', () => {
  it('name no key, whatever they say', async () => {
    const good = `Authorization: Bearer ${key}\r\n`
    for (const fields of [
      `${good}${good}`,
      `${good}authorization: Bearer nobody\r\n`,
      `AUTHORIZATION: Basic eDp5\r\n${good}`,
      `${good}Authorization:\r\n`,
    ]) {
      const [answer] = await atOnce(`GET /v1/pets HTTP/1.1\r\nHost: x\r\n${fields}\r\n`, 1)
      assertWhole(answer, 401, 'unauthorized')
      assert.equal(answer.headers['x-ratelimit-limit'], String(ALLOWANCE))
    }
  })
})

describe('whatever a request’s bytes are cut into', () => {
  it('the answers are those to the bytes in one piece', async () => {
    await app.store.pets.create({ name: 'x', categoryId: 1n })
    const create = `${head}Content-Length: ${BODY.length}\r\n\r\n${BODY}`
    const inChunks = `${head}Transfer-Encoding: chunked\r\n\r\n5;a=b\r\n${BODY.slice(0, 5)}\r\n16\r\n${BODY.slice(5)}\r\n0\r\nX: y\r\n\r\n`
    const requests = [
      ...[
        get,
        create,
        inChunks,
        `${head}\r\n`,
        `${head}Content-Length: 0\r\n\r\n`,
        `HEAD /v1/pets HTTP/1.1\r\n${auth}\r\n`,
      ],
      ...[
        `${head}Content-Length: 3\r\n\r\n{"n`,
        `GET /v1/none HTTP/1.1\r\n${auth}\r\n`,
        `GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n`,
      ],
      ...[`\r\n${create}`, `GET /v1/pets?limit=1 HTTP/1.0\r\n${auth}Connection: keep-alive\r\n\r\n`],
    ]
    /** Each ends its connection. */
    const last = [
      ...[`GET /v1/pets HTTP/2.0\r\n${auth}\r\n`, `CONNECT x:1 HTTP/1.1\r\n${auth}\r\n`],
      ...[
        `${head}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
        `${head}Transfer-Encoding: gzip\r\n\r\n`,
        `GET / HTTP/1.0\r\n\r\n`,
      ],
      ...[
        'NONSENSE\r\n\r\n',
        `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
        `${get.slice(0, -2)}Connection: close\r\n\r\n`,
      ],
    ]
    const cuts = fc.oneof(
      fc.array(fc.nat(400), { maxLength: 4 }),
      fc.constant(Array.from({ length: 1_000 }, (_, index) => index)),
    )
    const plan = fc.tuple(fc.array(fc.constantFrom(...requests), { maxLength: 2 }), fc.constantFrom(...last), cuts)
    await fc.assert(
      fc.asyncProperty(plan, async ([some, end, cuts]) => {
        const text = [...some, end].join('')
        const methods = some.map((request) => /\w+/.exec(request)?.[0] ?? '')
        assert.deepEqual(await said(text, cuts, methods), await said(text, [], methods), JSON.stringify({ text, cuts }))
      }),
      { numRuns: 100 },
    )
  })

  it('a body that waits for 100 (Continue) is stored like any other', async () => {
    using connection = new RawConnection(app.port)
    connection.send(`${head}Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n\r\n`)
    const [interim] = await connection.answers(1)
    assert.equal(interim?.status, 100)
    for (const piece of [BODY.slice(0, 9), BODY.slice(9, 20), BODY.slice(20)]) {
      connection.send(piece)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const [, created] = await connection.answers(2)
    assertWhole(created, 201)
  })
})

/** The statuses and bodies of all answers on a connection, without the ids that the service gives. */
async function said(text: string, cuts: readonly number[], methods: readonly string[]): Promise<string[]> {
  using connection = new RawConnection(app.port)
  connection.socket.setNoDelay(true)
  let from = 0
  for (const cut of [...new Set(cuts)].sort((a, b) => a - b)) {
    if (cut <= from || cut >= text.length) continue
    connection.send(text.slice(from, cut))
    from = cut
    await new Promise((resolve) => setImmediate(resolve))
  }
  connection.send(text.slice(from))
  const answers = await connection.answers(Infinity, methods)
  return answers.map(({ status, body }) => `${status} ${body.replaceAll(/"id":\d+/g, '"id":0')}`)
}
