/** The order of checks (O22), pair by pair; the paths and methods; and HEAD. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { assertWhole, BODY, exchange, message, RawConnection, remaining } from '../support/http.ts'

describe('paths and methods', () => {
  let app: TestApp
  let key: string
  before(async () => {
    app = await startApp()
    key = await app.issue()
    await app.store.pets.create({ name: 'x', categoryId: 1n })
  })
  after(() => app[Symbol.asyncDispose]())

  it('a method that a path does not have gets 405 with Allow (O23)', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'POST']) {
      const one = await app.call({ method, path: '/v1/pets/1', key, body: '{}' })
      assertWhole(one, 405, 'method_not_allowed')
      assert.equal(one.headers.allow, 'GET, HEAD')
      if (method === 'POST') continue
      const all = await app.call({ method, path: '/v1/pets', key })
      assertWhole(all, 405, 'method_not_allowed')
      assert.equal(all.headers.allow, 'GET, HEAD, POST')
    }
  })

  it('no HTTP method changes the status of an animal (O3)', async () => {
    for (const method of ['PUT', 'PATCH', 'POST']) {
      await app.call({ method, path: '/v1/pets/1', key, body: '{"status":"sold"}' })
    }
    const { body } = await app.call({ path: '/v1/pets/1', key })
    assert.equal(body, '{"id":1,"name":"x","categoryId":1}')
  })

  it('listing orders is named by the interface but not defined: 501, HEAD likewise, any other method 404 (O2)', async () => {
    assertWhole(await app.call({ path: '/v1/store/orders?x=1', key }), 501, 'not_implemented')
    const head = await app.call({ method: 'HEAD', path: '/v1/store/orders', key })
    assertWhole(head, 501)
    assert.equal(head.body, '')
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      assertWhole(await app.call({ method, path: '/v1/store/orders', key }), 404, 'not_found')
    }
    assertWhole(await app.call({ path: '/v1/store/orders' }), 401)
  })

  it('any other path is 404 with a key and 401 without: no categories, no events, no other version (O1, O22, O25, R18)', async () => {
    const paths = [
      '/',
      '/v1',
      '/v1/',
      '/pets',
      '/v2/pets',
      '/v1/pets/',
      '/v1/pets/1/',
      '/v1/PETS',
      '//v1/pets',
      '/v1/categories',
      '/v1/events',
      '/v1/keys',
      '/docs',
      '/openapi.json',
      '/metrics',
      '/livez',
      '/favicon.ico',
      '/v1/store/orders/1',
    ]
    for (const path of paths) {
      assertWhole(await app.call({ path, key }), 404, 'not_found')
      const { headers, ...rest } = await app.call({ path })
      assertWhole({ headers, ...rest }, 401, 'unauthorized')
      assert.equal(headers['www-authenticate'], 'Bearer')
    }
  })

  it('HEAD is GET without the body: same status, same headers (O23)', async () => {
    for (const path of ['/v1/pets', '/v1/pets?limit=0', '/v1/pets/1', '/v1/pets/2', '/v1/nothing']) {
      const get = await app.call({ path, key })
      const head = await app.call({ method: 'HEAD', path, key })
      assertWhole(head, get.status)
      assert.equal(head.body, '')
      for (const name of ['content-type', 'content-length', 'sunset', 'link']) {
        assert.equal(head.headers[name], get.headers[name], `${name} of ${path}`)
      }
    }
    const unknown = await app.call({ method: 'HEAD' })
    assertWhole(unknown, 401)
  })

  it('a body on GET is ignored (R7)', async () => {
    assertWhole(await app.call({ key, body: 'not json', headers: { 'content-type': 'text/plain' } }), 200)
  })

  it('a target in absolute form is the same as its path (R1)', async () => {
    const [list] = await exchange(
      app.port,
      `GET http://x/v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    )
    assertWhole(list, 200)
    const [one] = await exchange(
      app.port,
      `DELETE http://X/v1/pets/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    )
    assertWhole(one, 405)
    assert(one.headers.sunset)
    const [other] = await exchange(
      app.port,
      `GET https://x:99/v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    )
    assertWhole(other, 400, 'invalid_request')
  })

  it('no answer may be kept by a cache, whatever its status: the next caller may have no key (O23)', async () => {
    const answers = [
      await app.call({ key }),
      await app.call({}),
      await app.call({ key, path: '/v1/nothing' }),
      await app.call({ key, method: 'POST', body: BODY }),
      ...(await exchange(app.port, 'NONSENSE\r\n\r\n')),
    ]
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers['cache-control']]),
      [200, 401, 404, 201, 400].map((status) => [status, 'no-store']),
    )
  })

  it('a request to upgrade is answered without upgrading (R15)', async () => {
    const [answer] = await exchange(
      app.port,
      `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    )
    assertWhole(answer, 200)
  })

  it('a target of more than 8,192 characters is 414, after the key check (O8, O22)', async () => {
    const path = `/v1/pets?x=${'a'.repeat(9_000)}`
    assertWhole(await app.call({ path, key }), 414, 'uri_too_long')
    assertWhole(await app.call({ path }), 401)
    assertWhole(await app.call({ path: `/v1/pets?x=${'a'.repeat(8_000)}`, key }), 200)
  })
})

describe('the key', () => {
  it('must be a bearer credential, with the scheme in any case (R13)', async () => {
    await using app = await startApp()
    const key = await app.issue()
    const ask = (authorization: string) => app.call({ headers: { authorization } })
    for (const good of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`]) assertWhole(await ask(good), 200)
    const other = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`
    for (const bad of [
      '',
      'Bearer',
      'Bearer ',
      key,
      `Basic ${key}`,
      `Bearer ${key}x`,
      `Bearer ${other}`,
      `Bearer ${key} ${key}`,
      `Bearer "${key}"`,
      `Bearer ${key.toLowerCase()}`,
    ]) {
      const answer = await ask(bad)
      assertWhole(answer, 401, 'unauthorized')
      assert.equal(answer.headers['www-authenticate'], 'Bearer')
    }
    assertWhole(await app.call({ path: `/v1/pets?api_key=${key}&access_token=${key}` }), 401)
    assertWhole(await app.call({ headers: { 'x-api-key': key } }), 401)
  })
})

describe('the order of checks (O22)', () => {
  it('key before limit: over the key’s limit a wrong key is still 401', async () => {
    await using app = await startApp()
    const key = await app.issue('enterprise', { perMinute: 1, perDay: 10 })
    assertWhole(await app.call({ key }), 200)
    assertWhole(await app.call({ key }), 429)
    assertWhole(await app.call({ key: 'wrong' }), 401)
  })

  it('limit before path, method, media type and body', async () => {
    await using app = await startApp()
    const key = await app.issue('enterprise', { perMinute: 1, perDay: 10 })
    await app.call({ key })
    for (const call of [
      { path: '/v1/nothing' },
      { path: '/v1/store/orders' },
      { method: 'DELETE' },
      { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } },
      { method: 'POST', body: '{' },
      { path: '/v1/pets?limit=0' },
    ]) {
      assertWhole(await app.call({ ...call, key }), 429, 'rate_limited')
    }
  })

  it('path before method, method before media type, media type before body', async () => {
    await using app = await startApp({ bodyLimit: 50 })
    const key = await app.issue()
    const text = { 'content-type': 'text/plain' }
    const long = 'x'.repeat(100)
    assertWhole(await app.call({ key, method: 'DELETE', path: '/v1/nothing', body: long, headers: text }), 404)
    assertWhole(await app.call({ key, method: 'PUT', body: long, headers: text }), 405)
    const byType = await app.call({ key, method: 'POST', body: long, headers: text })
    assertWhole(byType, 415)
    assertWhole(await app.call({ key, method: 'POST', body: long, headers: { 'content-encoding': 'gzip' } }), 415)
    assertWhole(await app.call({ key, method: 'POST', body: long }), 413)
    assertWhole(await app.call({ key, method: 'POST', body: '{' }), 400)
  })

  it('a malformed request counts for the address and not for its key (O14, O18)', async () => {
    await using app = await startApp({ anonymousPerMinute: 100 })
    const key = await app.issue('free')
    const malformed = await app.call({ key, path: '/v1/pets?limit=%zz' })
    assertWhole(malformed, 400, 'invalid_request')
    assert.equal(malformed.headers['x-ratelimit-limit'], '100')
    assert.equal(remaining(await app.call({ key })), 59, 'the key has counted one request')
  })

  it('a refused request leaves its connection usable: the next one is answered (R15)', async () => {
    await using app = await startApp()
    const key = await app.issue()
    using connection = new RawConnection(app.port)
    const body = 'x'.repeat(5_000)
    connection.send(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    )
    const [refused, list] = await connection.answers(2)
    assertWhole(refused, 401)
    assertWhole(list, 200)
  })

  it('an error says in one sentence what is wrong (R6)', async () => {
    await using app = await startApp()
    const key = await app.issue()
    assert.match(message(await app.call({})), /API key/)
    assert.match(message(await app.call({ key, method: 'PUT' })), /GET, HEAD, POST/)
  })
})
