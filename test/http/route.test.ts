/**
 * What a request asks for, from its method, target and fields alone: each target that names something, and each that
 * looks like one and does not (R1, R7, R9, R11, R12, O2, O18, O21, O23).
 */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { beforeEach, describe, it } from 'node:test'
import { countFields, hasOtherCoding, Router } from '../../src/http/route.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'

const REMOVAL_MS = Date.parse('2030-12-05T00:00:00Z')

let clock: VirtualClock
let router: Router
beforeEach(() => {
  clock = new VirtualClock()
  router = new Router({
    clock,
    listUrl: '/v1/pets',
    schemes: ['http'],
    isPage: (path) => path === '/page',
    isPreflight: ({ headers }) => headers.origin !== undefined,
  })
})

interface Asked {
  readonly method?: string
  readonly version?: string
  /** Names and values, alternating. */
  readonly fields?: readonly string[]
}

function find(target: string, { method = 'GET', version = '1.1', fields = ['Host', 'x'] }: Asked = {}) {
  const headers: Record<string, string> = {}
  for (let i = 0; i < fields.length; i += 2) headers[fields[i]?.toLowerCase() ?? ''] = fields[i + 1] ?? ''
  const request = { url: target, method, httpVersion: version, rawHeaders: fields, headers }
  return router.find(request as unknown as IncomingMessage)
}

describe('the target of a request', () => {
  it('names an operation by its path, percent-decoded, with or without scheme and host', () => {
    for (const [target, purpose] of [
      ['/v1/pets', 'listPets'],
      ['/v1/pets?', 'listPets'],
      ['/v1/pets?a=/v1/none', 'listPets'],
      ['/%761/pet%73', 'listPets'],
      ['http://x/v1/pets', 'listPets'],
      ['HTTP://X/v1/pets', 'listPets'],
      ['/v1/pets/1', 'getPet'],
      ['/v1/pets/%31', 'getPet'],
      ['/v1/pets/x%20y', 'getPet'],
      ['/v1/store/orders', 'listOrders'],
      ['/page', 'page'],
    ] as const) {
      assert.equal(find(target).purpose, purpose, target)
      assert.equal(find(target, { method: 'HEAD' }).purpose, purpose, `HEAD ${target}`)
    }
  })

  it('in absolute form names this server, by a scheme of its own and by its Host, or is malformed (O23)', () => {
    for (const target of [
      ...['https://x/v1/pets', 'ftp://x/v1/pets', 'coap+tcp-1.0://x/v1/pets', 'http:///v1/pets'],
      ...['http://y/v1/pets', 'http://x:1/v1/pets', 'http://user@x/v1/pets', 'http://x y/', 'HTTPS://x'],
    ]) {
      assert.equal(find(target).purpose, 'malformed', target)
    }
    assert.equal(find('http://any/v1/pets', { version: '1.0', fields: [] }).purpose, 'listPets', 'without a Host')
    assert.equal(find('http://x@y/', { fields: ['Host', 'x@y'] }).purpose, 'malformed')
  })

  it('names nothing if it only looks like one of them', () => {
    for (const target of [
      ...['', '*', '/', '/v1/pets/', '/v1/pets/1/', '/v1/pets/1/2', '/v1/petsx', '/v1/pet', 'v1/pets', '/V1/pets'],
      ...['/v1%2Fpets', '/v1/pets%2F1', '/v1/pets%3Fx', 'x/http://x/v1/pets', '1http://x/v1/pets', 'http:/x/v1/pets'],
      ...['http://x?/v1/pets', '//v1/pets', '/http://x/v1/pets', '://x/v1/pets', 'http//x/v1/pets', '/none'],
    ]) {
      const { purpose, allow, headers, petId } = find(target)
      assert.deepEqual(
        { purpose, allow, headers, petId },
        { purpose: undefined, allow: undefined, headers: [], petId: '' },
      )
    }
  })

  it('tells the query as it is, the id decoded, and the path unchanged where its escapes are no UTF-8', () => {
    const list = find('/v1/pets?a=%20?b')
    assert.deepEqual([list.path, list.query, list.petId], ['/v1/pets', 'a=%20?b', ''])
    const one = find('/v1/pets/%C3%A9?x')
    assert.deepEqual([one.path, one.query, one.petId], ['/v1/pets/é', 'x', 'é'])
    assert.equal(find('/v1/pets/%FF').petId, '%FF')
    assert.equal(find('http://x').path, '')
  })

  it('has the methods of its path, and Allow only where the interface states them (O2, O23)', () => {
    for (const [target, method, purpose, allow] of [
      ['/v1/pets', 'POST', 'createPet', 'GET, HEAD, POST'],
      ['/v1/pets', 'PUT', undefined, 'GET, HEAD, POST'],
      ['/v1/pets/1', 'GET', 'getPet', 'GET, HEAD'],
      ['/v1/pets/1', 'POST', undefined, 'GET, HEAD'],
      ['/v1/store/orders', 'POST', undefined, undefined],
      ['/page', 'POST', undefined, undefined],
      ['/none', 'HEAD', undefined, undefined],
    ] as const) {
      const route = find(target, { method })
      assert.deepEqual([route.purpose, route.allow], [purpose, allow], `${method} ${target}`)
    }
  })
})

describe('a request that breaks HTTP', () => {
  it('is malformed without one Host, but in HTTP/1.0 needs none', () => {
    assert.equal(find('/v1/pets', { fields: [] }).purpose, 'malformed')
    assert.equal(find('/v1/pets', { fields: ['Hosts', 'x', 'X', 'Host'] }).purpose, 'malformed')
    assert.equal(find('/v1/pets', { fields: [], version: '1.0' }).purpose, 'listPets')
    for (const version of ['1.0', '1.1']) {
      assert.equal(find('/v1/pets', { version, fields: ['HOST', ''] }).purpose, 'listPets')
      assert.equal(find('/v1/pets', { version, fields: ['Host', 'x', 'A', 'b', 'host', 'x'] }).purpose, 'malformed')
    }
  })

  it('is malformed with a Host that is no host (RFC 9112 3.2)', () => {
    for (const host of ['a b', 'a/c', 'a@b', 'a:b', 'a:1:2', '[::1', '[x]', 'a%2', '::1', 'é', 'a\tb']) {
      assert.equal(find('/v1/pets', { fields: ['Host', host] }).purpose, 'malformed', host)
    }
    for (const host of [
      '',
      'x',
      'a.b-c_d~',
      'a:',
      'a:8080',
      '192.0.2.1:1',
      '[::1]',
      '[2001:db8::1]:8080',
      'a%2f',
      "!$&'()*+,;=",
    ]) {
      assert.equal(find('/v1/pets', { fields: ['Host', host] }).purpose, 'listPets', host)
    }
  })

  it('is malformed with an escape that is none, in path or query (O18)', () => {
    for (const target of ['/%', '/%1', '/%G1', '/%1G', '/v1/pets?%zz', '/%20%', '/none?%2', 'http://x/%zz', '/%%20']) {
      assert.equal(find(target).purpose, 'malformed', target)
    }
    for (const target of ['/v1/pets?%aF', '/v1/pets?%00', '/v1/pets?x=%25zz']) {
      assert.equal(find(target).purpose, 'listPets', target)
    }
  })

  it('is of another coding before it is anything else but malformed', () => {
    const fields = ['Host', 'x', 'Transfer-Encoding', 'gzip', 'Origin', 'x']
    for (const version of ['0.9', '2.0']) assert.equal(find('/v1/pets', { version }).purpose, 'malformed')
    assert.equal(find('/%', { fields }).purpose, 'malformed')
    assert.equal(find('/v1/pets', { fields }).purpose, 'otherCoding')
    assert.equal(find('/v1/pets', { fields: fields.slice(0, 2).concat(fields.slice(4)) }).purpose, 'preflight')
  })

  it('has another coding if its Transfer-Encoding says more or other than chunked, in any case', () => {
    assert(!hasOtherCoding({}))
    for (const coding of ['chunked', 'CHUNKED', 'Chunked']) assert(!hasOtherCoding({ 'transfer-encoding': coding }))
    for (const coding of ['', 'gzip', 'gzip, chunked', 'chunked, chunked', 'xchunked']) {
      assert(hasOtherCoding({ 'transfer-encoding': coding }), coding)
    }
  })

  it('has so many fields of a name as it has, whatever their case and whatever stands in others', () => {
    const raw = ['A', 'host', 'Host', 'a', 'hOsT', 'b', 'Hosts', 'c', 'Hose', 'd', 'x', 'Host']
    assert.equal(countFields(raw, 'host'), 2)
    assert.equal(countFields(raw, 'a'), 1)
    assert.equal(countFields([], 'host'), 0)
  })
})

describe('the path of one animal', () => {
  it('tells of its removal until that day, and is an unknown path from its first millisecond (R12, O21)', () => {
    const deprecation = ['Sunset', 'Thu, 05 Dec 2030 00:00:00 GMT', 'Link', '</v1/pets>; rel="successor-version"']
    clock.nowMs = REMOVAL_MS - 1
    assert.deepEqual(find('/v1/pets/1').headers, deprecation)
    assert.deepEqual(find('/v1/pets/1', { method: 'PUT' }).headers, deprecation)
    assert.deepEqual(find('/v1/pets').headers, [])
    assert(router.hasGetPet())
    clock.nowMs = REMOVAL_MS
    const { purpose, allow, headers, petId } = find('/v1/pets/1')
    assert.deepEqual(
      { purpose, allow, headers, petId },
      { purpose: undefined, allow: undefined, headers: [], petId: '' },
    )
    assert(!router.hasGetPet())
  })
})
