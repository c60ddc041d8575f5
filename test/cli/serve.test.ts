/** `pets serve` as a process: its output, options and TLS. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { makeCertificate } from '../support/certificate.ts'
import { linesOf } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertWhole, call, exchange, remaining } from '../support/http.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const folder = temporaryFolder()

describe('the output of serve', { concurrency: 2 }, () => {
  it('bare, there is no first key, no page and no operator port unless asked for', async () => {
    await using service = await startService({ operatorPort: 'none' })
    assert.doesNotMatch(service.output(), /pets_|first API key/)
    const { key } = await service.issueKey()
    for (const path of ['/', '/docs', '/openapi.json', '/metrics', '/readyz']) {
      assertWhole(await call(service.port, { path, key }), 404)
    }
  })

  it('the log is JSON by line, and holds no key and no body, whatever happens', async () => {
    await using service = await startService({ operatorPort: 'none', args: ['--log-level', 'debug'] })
    const port = service.port
    await service.says(/"msg":"found/)
    const { key, id } = await service.issueKey()
    const secret = 'the-name-of-a-cat'
    await call(port, { method: 'POST', key, body: `{"name":"${secret}","categoryId":1}` })
    await call(port, { method: 'POST', key, body: `{"name":"${secret}"` })
    await call(port, { path: `/v1/pets?name=${secret}`, key })
    await call(port, { key: `${key}x` })
    await call(port, { method: 'POST', path: '/v1/store/orders', key, body: secret })
    await exchange(
      port,
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nTransfer-Encoding: chunked\r\n\r\n${secret}`,
    )
    await service.stop()
    const output = service.output()
    assert.doesNotMatch(output, new RegExp(secret))
    assert(!output.includes(key.slice(5)))
    const lines = linesOf<Record<string, unknown>>(output)
    assert(
      lines.every(({ level }) => typeof level === 'string'),
      'levels are words',
    )
    assert(
      lines.every(({ time }) => new Date(String(time)).toISOString() === time),
      'times are ISO 8601',
    )
    const [made, serving, found] = lines
    assert.match(`${made?.level}: ${made?.msg}`, /^warn: there was no database at \/.*, so a new one was created$/)
    assert.partialDeepStrictEqual(serving, { node: process.version, database: service.database })
    assert.deepEqual([typeof serving?.version, found?.animals, found?.keys], ['string', 0, 0])
    const answered = lines.filter(({ msg }) => msg === 'answered')
    assert(answered.length >= 5)
    assert.equal(new Set(answered.map(({ requestId }) => requestId)).size, answered.length, 'each request has an id')
    assert(answered.some(({ keyId, operation, status }) => keyId === id && operation === 'createPet' && status === 201))
  })
})

describe('the options of serve', { concurrency: 2 }, () => {
  it('each does what it says', async () => {
    await using service = await startService({
      operatorPort: 'none',
      args: `--anonymous-per-minute 9 --body-limit 64 --page-links --trust-proxy 127.0.0.0/8 --ban 2/60s/1000s
        --cors-origin https://a.example,https://b.example`.split(/\s+/),
    })
    const port = service.port
    const { key } = await service.issueKey()
    const from = { 'x-forwarded-for': '192.0.2.7', origin: 'https://b.example' }
    const first = await call(port, { headers: from })
    assert.equal(first.headers['x-ratelimit-limit'], '9')
    assert.equal(first.headers['access-control-allow-origin'], 'https://b.example')
    assert.equal(remaining(await call(port, { headers: { 'x-forwarded-for': '192.0.2.8' } })), 8)
    assertWhole(await call(port, { method: 'POST', key, body: `{"name":"${'x'.repeat(64)}","categoryId":1}` }), 413)
    for (let i = 0; i < 2; i += 1) await call(port, { method: 'POST', key, body: '{"name":"x","categoryId":1}' })
    assert.match(String((await call(port, { path: '/v1/pets?limit=1', key })).headers.link), /rel="next"/)
    const { key: small } = await service.issueKey('enterprise', { perMinute: 1, perDay: 100 })
    // Each minute admits one, and refuses the others.
    await until('the ban', async () => Number((await call(port, { key: small })).headers['retry-after']) > 900)
  })

  it('an IPv6 base address is printed in usable form', async () => {
    await using service = await startService({ args: ['--host', '::1', '--operator-port', '[::1]:0'] })
    assert.match(service.baseUrl, /^http:\/\/\[::1\]:\d+\/v1$/)
    assert.equal((await fetch(`${service.baseUrl}/pets`)).status, 401)
    assert.match(service.output(), /"operatorUrl":"http:\/\/\[::1\]:\d+"/)
  })
})

describe('TLS', () => {
  it('is served with --tls-cert and --tls-key, and a request without TLS does no harm', async () => {
    const { cert, key } = makeCertificate(folder)
    await using service = await startService({ operatorPort: 'none', args: ['--tls-cert', cert, '--tls-key', key] })
    assert.match(service.baseUrl, /^https:/)
    const port = service.port
    assert.equal((await exchange(port, 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n')).length, 0)
    const { key: apiKey } = await service.issueKey()
    const ask = (path: string) => call(port, { ca: readFileSync(cert), path, key: apiKey })
    assertWhole(await ask('/v1/pets'), 200)
    assertWhole(await ask('/v1/pets?limit=%zz'), 400)
  })
})
