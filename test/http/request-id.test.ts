/** The id by which a person can quote a request (X-Request-Id): in each answer from 400 up, and in the log. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { type AppSettings, startApp } from '../support/app.ts'
import { type Call, exchange, message } from '../support/http.ts'

async function startCounting(settings: AppSettings = {}) {
  let made = 0
  const makeRequestId = () => {
    made += 1
    return `req_${made}`
  }
  const app = await startApp({ makeRequestId, ...settings })
  return Object.assign(app, {
    made: () => made,
    logged: () =>
      app
        .log()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  })
}

describe('the id of a request', () => {
  it('is in each response from 400 up, and in the log line of that request', async () => {
    await using app = await startCounting()
    const key = await app.issue('enterprise', { perMinute: 6, perDay: 100 })
    const calls: (Call & { status: number })[] = [
      { key, path: '/v1/pets?limit=0', status: 400 },
      { status: 401 },
      { key, path: '/v1/nothing', status: 404 },
      { key, path: '/v1/nothing', method: 'HEAD', status: 404 },
      { key, method: 'DELETE', status: 405 },
      { key, method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x', status: 415 },
      { key, path: '/v1/store/orders', status: 501 },
      { key, status: 429 },
    ]
    for (const { status, ...call } of calls) {
      const answer = await app.call(call)
      assert.equal(answer.status, status)
      assert.match(String(answer.headers['x-request-id']), /^req_\d+$/)
      const line = app.logged().at(-1)
      assert.deepEqual([line?.requestId, line?.status], [answer.headers['x-request-id'], status])
    }
    assert.equal(app.made(), calls.length, 'one id for each request')
  })

  it('is not the trace of a traceparent, which only the log names', async () => {
    await using app = await startCounting()
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01`, tracestate: 'a=b' }
    for (const key of [await app.issue(), 'none']) {
      const answer = await app.call({ key, headers })
      assert.doesNotMatch(JSON.stringify(answer.headers) + answer.body, new RegExp(`trace|${trace}`, 'i'))
      assert.equal(app.logged().at(-1)?.traceId, trace)
    }
  })

  it('is not created for a response below 400, unless the log names it', async () => {
    await using app = await startCounting({ log: pino({ level: 'info' }, { write() {} }), corsOrigins: ['*'] })
    const key = await app.issue()
    const preflight = {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
    }
    for (const call of [{ key }, { key, method: 'POST', body: '{"name":"x","categoryId":1}' }, preflight]) {
      const { status, headers } = await app.call(call)
      assert(status < 400)
      assert.equal(headers['x-request-id'], undefined)
    }
    assert.equal(app.made(), 0)
  })

  it('is the only thing that the message of a 500 reveals (R6, O8)', async () => {
    await using app = await startCounting()
    const key = await app.issue()
    app.store.pets.list = () => {
      throw new TypeError('inside')
    }
    const answer = await app.call({ key })
    assert.equal(answer.status, 500)
    const id = String(answer.headers['x-request-id'])
    assert(message(answer).includes(id), message(answer))
    assert.doesNotMatch(answer.body, /inside|TypeError/)
    const line = app.logged().at(-1)
    assert.deepEqual([line?.requestId, line?.level], [id, 50])
  })
})

describe('an id that the request brings', () => {
  const GIVEN = 'f81d4fae-7dec~!"\\x'

  it('is taken from a trusted proxy, also if the request is cut off', async () => {
    await using app = await startCounting({ trustProxy: ['127.0.0.1'] })
    const key = await app.issue()
    for (const given of [GIVEN, 'x', 'x'.repeat(128)]) {
      const { headers } = await app.call({ headers: { 'x-request-id': given } })
      assert.equal(headers['x-request-id'], given)
      assert.equal(app.logged().at(-1)?.requestId, given)
    }
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
    const [broken] = await exchange(
      app.port,
      `${head}X-Request-Id: ${GIVEN}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    )
    assert.deepEqual([broken?.status, broken?.headers['x-request-id']], [400, GIVEN])
    assert.deepEqual([app.logged().at(-1)?.requestId, app.logged().at(-1)?.status], [GIVEN, 400])
    assert.equal(app.made(), 0)
  })

  it('is ignored from everyone else', async () => {
    await using app = await startCounting({ trustProxy: ['10.0.0.0/8'] })
    const { headers } = await app.call({ headers: { 'x-request-id': GIVEN, 'x-forwarded-for': '10.0.0.1' } })
    assert.equal(headers['x-request-id'], 'req_1')
  })

  it('is replaced if it is empty, too long, sent twice, or not visible ASCII', async () => {
    await using app = await startCounting({ trustProxy: ['127.0.0.1'] })
    for (const given of ['', 'x'.repeat(129), ['a', 'b'], 'a b', 'a\tb', 'caf\u00e9']) {
      const { headers } = await app.call({ headers: { 'x-request-id': given } })
      assert.match(String(headers['x-request-id']), /^req_\d+$/, JSON.stringify(given))
    }
  })
})
