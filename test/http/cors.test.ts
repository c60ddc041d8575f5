/** Cross-origin use by browsers (O24). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startApp } from '../support/app.ts'
import { assertWhole, remaining } from '../support/http.ts'

const ORIGIN = 'https://desk.example'
const preflight = (origin = ORIGIN, path = '/v1/pets') => ({
  method: 'OPTIONS',
  path,
  headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
})

describe('cross-origin use (O24)', () => {
  it('is off by default: a preflight is a request without a key, and no answer names an origin', async () => {
    await using app = await startApp()
    const key = await app.issue()
    assertWhole(await app.call(preflight()), 401)
    const { headers } = await app.call({ key, headers: { origin: ORIGIN } })
    for (const name of Object.keys(headers)) assert.doesNotMatch(name, /^access-control|^vary$/)
  })

  it('answers the preflight of an allowed origin before the key check, and counts it for the address (O22)', async () => {
    await using app = await startApp({ corsOrigins: [ORIGIN], anonymousPerMinute: 3 })
    for (const path of ['/v1/pets', '/v1/pets/7', '/v1/nothing']) {
      const answer = await app.call(preflight(ORIGIN, path))
      assertWhole(answer, 204)
      assert.equal(answer.body, '')
      assert.equal(answer.headers['content-length'], undefined)
      assert.equal(answer.headers['access-control-allow-origin'], ORIGIN)
      assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD, POST')
      assert.equal(answer.headers['access-control-allow-headers'], 'Authorization, Content-Type')
      assert.equal(answer.headers['access-control-allow-credentials'], undefined)
    }
    const over = await app.call(preflight())
    assertWhole(over, 429)
    assert.equal(over.headers['access-control-allow-origin'], ORIGIN, 'so that the page may read it')
  })

  it('exposes the limit headers, Retry-After, Location and X-Request-Id on every answer, errors among them', async () => {
    await using app = await startApp({ corsOrigins: [ORIGIN] })
    const key = await app.issue('enterprise', { perMinute: 3, perDay: 100 })
    const headers = { origin: ORIGIN }
    for (const [call, status] of [
      [{ key }, 200],
      [{ key, method: 'POST', body: '{"name":"x","categoryId":1}' }, 201],
      [{ key, path: '/v1/pets/9' }, 404],
      [{ key }, 429],
      [{}, 401],
      [{ path: '/v1/pets?%zz' }, 400],
    ] as const) {
      const answer = await app.call({ ...call, headers })
      assertWhole(answer, status)
      assert.equal(answer.headers['access-control-allow-origin'], ORIGIN)
      assert.equal(answer.headers.vary, 'Origin')
      for (const name of [
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
        'Retry-After',
        'Location',
        'X-Request-Id',
      ]) {
        assert(String(answer.headers['access-control-expose-headers']).split(', ').includes(name), name)
      }
    }
  })

  it('allows no other origin, whatever it resembles', async () => {
    await using app = await startApp({ corsOrigins: [ORIGIN] })
    const key = await app.issue()
    for (const origin of [
      'https://desk.example.evil',
      'http://desk.example',
      'https://desk.example:8443',
      'null',
      'https://DESK.example',
    ]) {
      for (const answer of [await app.call(preflight(origin)), await app.call({ key, headers: { origin } })]) {
        assert.equal(answer.headers['access-control-allow-origin'], undefined)
        assert.equal(answer.headers['access-control-allow-methods'], undefined)
        assert.equal(answer.headers.vary, 'Origin')
      }
    }
  })

  it('* allows them all', async () => {
    await using app = await startApp({ corsOrigins: ['*'] })
    const answer = await app.call(preflight('http://localhost:5173'))
    assertWhole(answer, 204)
    assert.equal(answer.headers['access-control-allow-origin'], 'http://localhost:5173')
  })

  it('an OPTIONS that is not a preflight needs a key like any other method (O22)', async () => {
    await using app = await startApp({ corsOrigins: [ORIGIN] })
    const key = await app.issue('free')
    assertWhole(await app.call({ method: 'OPTIONS', headers: { origin: ORIGIN } }), 401)
    const answer = await app.call({ method: 'OPTIONS', key, headers: { origin: ORIGIN } })
    assertWhole(answer, 405)
    assert.equal(remaining(answer), 59)
  })
})
