/** Cross-origin use by browsers (O24). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RESPONSE_HEADERS } from '../../src/contract/operations.ts'
import { startApp, startKeyed } from '../support/app.ts'
import { assertWhole, remaining } from '../support/http.ts'

const ORIGIN = 'https://desk.example'
/** What a page may read of any answer (CORS-safelisted response-header names of Fetch), or nobody needs to. */
const SAFELISTED = ['cache-control', 'content-length', 'content-type', 'connection', 'keep-alive']
const OF_CORS = ['access-control-allow-origin', 'access-control-expose-headers', 'vary']
const preflight = (origin = ORIGIN, path = '/v1/pets') => ({
  method: 'OPTIONS',
  path,
  headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
})

describe('cross-origin use (O24)', () => {
  it('is off by default, and a preflight is then a request without a key', async () => {
    await using app = await startKeyed()
    assertWhole(await app.call(preflight()), 401)
    const { headers } = await app.call({ key: app.key, headers: { origin: ORIGIN } })
    for (const name of Object.keys(headers)) assert.doesNotMatch(name, /^access-control|^vary$/)
  })

  it('answers the preflight of an allowed origin before the key is checked (O22)', async () => {
    await using app = await startApp({ corsOrigins: [ORIGIN] })
    for (const path of ['/v1/pets', '/v1/pets/7', '/v1/nothing', '/v1/pets?limit=%zz', '/v1/pets/%']) {
      const answer = await app.call(preflight(ORIGIN, path))
      assertWhole(answer, 204)
      assert.equal(answer.body, '')
      assert.equal(answer.headers['content-length'], undefined)
      assert.equal(answer.headers['access-control-allow-origin'], ORIGIN)
      assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD, POST')
      assert.equal(answer.headers['access-control-allow-headers'], 'Authorization, Content-Type, X-Request-Id')
      assert.equal(answer.headers['access-control-allow-credentials'], undefined)
    }
  })

  it('counts preflights of an allowed origin apart, and others for the address', async () => {
    await using app = await startApp({ corsOrigins: [ORIGIN], anonymousPerMinute: 3 })
    const key = await app.issue('enterprise', { perMinute: 300, perDay: 10_000 })
    for (let n = 1; n <= 300; n += 1) {
      const answer = await app.call(preflight(ORIGIN, `/v1/pets/${n}`))
      assert.deepEqual([answer.status, remaining(answer)], [204, 6_000 - n])
    }
    assertWhole(await app.call({ key, headers: { origin: ORIGIN } }), 200)
    for (const left of [2, 1, 0]) assert.equal(remaining(await app.call(preflight('https://other.example'))), left)
    const over = await app.call({ headers: { origin: ORIGIN } })
    assertWhole(over, 429)
    assert.equal(over.headers['access-control-allow-origin'], ORIGIN, 'so that the page may read it')
    assertWhole(await app.call(preflight()), 204)
  })

  it('exposes each header that a response can have', async () => {
    await using app = await startApp({ corsOrigins: [ORIGIN], pageLinks: true })
    const key = await app.issue('enterprise', { perMinute: 8, perDay: 100 })
    const headers = { origin: ORIGIN }
    const post = { key, method: 'POST', body: '{"name":"x","categoryId":1}' }
    const seen = new Set<string>()
    for (const [call, status] of [
      [post, 201],
      [post, 201],
      [{ key, path: '/v1/pets?limit=1' }, 200],
      [{ key, path: '/v1/pets/1' }, 200],
      [{ key, path: '/v1/pets/9' }, 404],
      [{ key, method: 'PUT' }, 405],
      [{ key, method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }, 415],
      [{ key, method: 'POST', body: 'x', headers: { 'content-encoding': 'gzip' } }, 415],
      [{ key }, 429],
      [{}, 401],
      [{ path: '/v1/pets?%zz' }, 401],
    ] as const) {
      const answer = await app.call({ ...call, headers: { ...('headers' in call && call.headers), ...headers } })
      assertWhole(answer, status)
      assert.equal(answer.headers['access-control-allow-origin'], ORIGIN)
      assert.equal(answer.headers.vary, 'Origin')
      const exposed = String(answer.headers['access-control-expose-headers']).split(', ')
      assert.deepEqual(exposed, [...RESPONSE_HEADERS])
      const readable = new Set([...SAFELISTED, ...OF_CORS, ...exposed.map((name) => name.toLowerCase())])
      for (const name of Object.keys(answer.headers)) {
        assert(readable.has(name), `${name} of ${status}`)
        seen.add(name)
      }
    }
    for (const name of RESPONSE_HEADERS) assert(seen.has(name.toLowerCase()), `no answer has ${name}`)
  })

  it('refuses every other origin, however similar', async () => {
    await using app = await startKeyed({ corsOrigins: [ORIGIN] })
    const others = ['https://desk.example.evil', 'http://desk.example', 'https://desk.example:8443', 'null']
    for (const origin of [...others, 'https://DESK.example']) {
      for (const answer of [await app.call(preflight(origin)), await app.call({ key: app.key, headers: { origin } })]) {
        assert.equal(answer.headers['access-control-allow-origin'], undefined)
        assert.equal(answer.headers['access-control-allow-methods'], undefined)
        assert.equal(answer.headers.vary, 'Origin')
      }
    }
  })

  it('allows every origin with *', async () => {
    await using app = await startApp({ corsOrigins: ['*'] })
    const answer = await app.call(preflight('http://localhost:5173'))
    assertWhole(answer, 204)
    assert.equal(answer.headers['access-control-allow-origin'], 'http://localhost:5173')
  })
})
