/** The order of checks (O22), and HEAD; which request is which, and what is wrong with one, is test/forms. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { assertWhole, message } from '../support/http.ts'

describe('paths and methods', () => {
  let app: TestApp
  let key: string
  before(async () => {
    app = await startApp()
    key = await app.issue()
    await app.store.pets.create({ name: 'x', categoryId: 1n })
  })
  after(() => app[Symbol.asyncDispose]())

  it('no HTTP method changes the status of an animal (O3)', async () => {
    for (const method of ['PUT', 'PATCH', 'POST']) {
      await app.call({ method, path: '/v1/pets/1', key, body: '{"status":"sold"}' })
    }
    const { body } = await app.call({ path: '/v1/pets/1', key })
    assert.equal(body, '{"id":1,"name":"x","categoryId":1}')
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

  it('an error says in one sentence what is wrong (R6)', async () => {
    await using app = await startApp()
    const key = await app.issue()
    assert.match(message(await app.call({})), /API key/)
    assert.match(message(await app.call({ key, method: 'PUT' })), /GET, HEAD, POST/)
  })
})
