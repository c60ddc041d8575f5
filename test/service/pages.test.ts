/** The pages as HTTP responses: free, with a strict policy, compressed for clients that accept it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openApiDocument } from '../../src/contract/openapi.ts'
import type { Pages } from '../../src/http/request-handler.ts'
import { loadPages } from '../../src/service/pages.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { clockAt } from '../support/time/clock.ts'

const REMOVAL_MS = Date.parse('2030-12-05T00:00:00Z')
const clock = clockAt(() => Date.UTC(2026, 10, 21))
const PAGES = ['/docs', '/openapi.json', '/icon.svg']
const cachingOf = (path: string) => (path === '/icon.svg' ? 'public, max-age=600' : 'no-cache')

describe('the pages', () => {
  let app: TestApp
  const get = (path: string, headers: Record<string, string> = {}) => app.call({ path, headers })

  before(async () => {
    app = await startApp({ pages: loadPages({ publicUrl: undefined }, clock), anonymousPerMinute: 5 })
  })
  after(() => app[Symbol.asyncDispose]())

  for (const path of PAGES) {
    it(`${path} needs no key, and reports the address’s allowance without using it (R15, O14)`, async () => {
      for (let i = 0; i < 10; i += 1) {
        const { status, headers } = await get(path)
        assert.deepEqual([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']], [200, '5', '5'])
        assert.match(String(headers['x-ratelimit-reset']), /^\d+$/)
      }
    })

    it(`${path} may load and call only its own origin, and cannot be framed`, async () => {
      const { headers } = await get(path)
      const policy = String(headers['content-security-policy'])
      const directives = new Map(policy.split('; ').map((part) => part.split(/ (.*)/, 2) as [string, string]))
      const own = {
        'default-src': "'none'",
        'script-src': "'self'",
        'connect-src': "'self'",
        'frame-ancestors': "'none'",
      }
      const styles = path === '/docs' ? "'self' 'unsafe-inline'" : "'self'"
      for (const [name, allowed] of Object.entries({ ...own, 'style-src': styles }))
        assert.equal(directives.get(name), allowed)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['referrer-policy'], 'no-referrer')
    })
  }

  it('ask browsers to come by https from now on where they are reached so, and only there', async () => {
    const tls = {}
    for (const [config, strict] of [
      [{ publicUrl: undefined }, undefined],
      [{ publicUrl: 'http://pets.example/v1' }, undefined],
      [{ publicUrl: undefined, tls }, 'max-age=31536000'],
      [{ publicUrl: 'https://pets.example/v1' }, 'max-age=31536000'],
    ] as const) {
      const { headers } = (await loadPages(config, clock).get('/icon.svg', {})) ?? { headers: [''] }
      assert.equal(headers[headers.indexOf('Strict-Transport-Security') + 1], strict ?? headers[0])
    }
  })

  it('are compressed for clients that accept Brotli or gzip, and for no others', async () => {
    for (const path of [...PAGES, '/reference/scalar.js']) {
      const plain = await fetch(`http://127.0.0.1:${app.port}${path}`, { headers: { 'accept-encoding': 'identity' } })
      assert.equal(plain.headers.get('content-encoding'), null)
      const text = await plain.text()
      for (const [accepted, coding] of [
        ['gzip, deflate, br, zstd', 'br'],
        ['br;q=0, GZIP;q=0.5', 'gzip'],
        ['gzip;q=0, br;q=0.0', null],
        ['brotli, gzipped', null],
      ] as const) {
        const asked = { headers: { 'accept-encoding': accepted } }
        const answer = await fetch(`http://127.0.0.1:${app.port}${path}`, asked)
        assert.equal(answer.headers.get('content-encoding'), coding, accepted)
        assert.equal(answer.headers.get('vary'), 'Accept-Encoding')
        assert.equal(await answer.text(), text, path)
      }
    }
  })

  it('are not sent again to a browser that has them: 304, with the allowance and without a body (R15)', async () => {
    for (const path of PAGES) {
      const tags: string[] = []
      for (const coding of ['br', 'gzip', 'identity']) {
        const asked = { 'accept-encoding': coding }
        const tag = String((await get(path, asked)).headers.etag)
        tags.push(tag)
        assert.match(tag, /^"[\w-]+"$/)
        for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
          for (const method of ['GET', 'HEAD']) {
            const answer = await app.call({ method, path, headers: { ...asked, 'if-none-match': known } })
            const { etag, vary, 'cache-control': caching, 'x-ratelimit-remaining': left, ...others } = answer.headers
            assert.deepEqual([answer.status, answer.body], [304, ''], `${method} ${path} with ${known}`)
            assert.deepEqual([etag, vary, caching, left], [tag, 'Accept-Encoding', cachingOf(path), '5'])
            assert(!('content-length' in others) && !('content-type' in others))
          }
        }
        const changed = await get(path, { ...asked, 'if-none-match': `"other", "${tag.slice(2)}` })
        assert.equal(changed.status, 200)
      }
      assert.equal(new Set(tags).size, 3, 'each coding has its own tag')
    }
  })

  it('begin with the reference: / leads there, also below another path', async () => {
    const { status, headers, body } = await get('/')
    assert.deepEqual([status, headers.location, body, headers['x-ratelimit-remaining']], [302, 'docs', '', '5'])
  })

  it('answer HEAD as GET, without the body', async () => {
    const { status, body, headers } = await app.call({ method: 'HEAD', path: '/docs' })
    const whole = (await get('/docs')).headers['content-length']
    assert.deepEqual([status, body, headers['content-length']], [200, '', whole])
  })

  it('do not open other paths: any other path or method still needs a key (O22)', async () => {
    const others = '/src/service/pages.ts /reference/../pages.ts /reference/built.json /use.json'
    for (const path of others.split(' ')) assert.equal((await get(path)).status, 401, path)
    assert.equal((await app.call({ method: 'POST', path: '/docs' })).status, 401)
  })

  it('hold the OpenAPI document, whose only server is where clients reach the service', async () => {
    const { body } = await get('/openapi.json')
    assert.deepEqual(JSON.parse(body), openApiDocument())
    assert.equal(JSON.parse(body).servers[0].url, '/v1', 'relative to the document')
    const publicUrl = 'https://pets.example/v1'
    assert.deepEqual(await documentOf(loadPages({ publicUrl }, clock)), openApiDocument({ publicUrl }))
  })

  it('hold it without getPet from its removal on, also if they were loaded before (R12)', async () => {
    const time = clockAt(() => nowMs)
    let nowMs = REMOVAL_MS - 1
    const pages = loadPages({ publicUrl: undefined }, time)
    const { '/pets/{petId}': getPet, ...others } = (await documentOf(pages)).paths
    assert(getPet !== undefined)
    nowMs = REMOVAL_MS
    const later = await documentOf(pages)
    assert.deepEqual(later.paths, others)
    assert.doesNotMatch(JSON.stringify(later), /petId|2030|identifier\.'/)
  })
})

async function documentOf(pages: Pages) {
  const answer = await pages.get('/openapi.json', {})
  return JSON.parse(Buffer.from(answer?.body ?? '').toString())
}

it('a port without pages has none of them', async () => {
  await using app = await startApp()
  for (const path of ['/', ...PAGES]) assert.equal((await app.call({ path })).status, 401)
})
