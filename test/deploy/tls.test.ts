/**
 * nginx.conf with the lines for TLS of deploy/README.md: the real nginx with a certificate of its own, before a
 * service.
 */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { nginxNeeded, startNginx, type TestNginx } from '../support/servers/nginx.ts'
import { freePort } from '../support/servers/servers.ts'
import { type RunningService, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const GUIDE = readFileSync(resolve(import.meta.dirname, '../../deploy/README.md'), 'utf8')
const [, LINES = ''] = /```nginx\n([\s\S]*?)```/.exec(GUIDE) ?? []
const [, PUBLIC_URL = ''] = /^`--public-url (\S+)`/m.exec(GUIDE) ?? []

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly fingerprint: string
}

describe('nginx with TLS', { ...nginxNeeded, concurrency: false }, () => {
  const folder = temporaryFolder()
  let files: ReturnType<typeof makeCertificate>
  let service: RunningService
  let nginx: TestNginx

  before(async () => {
    files = makeCertificate(folder)
    // With a public address the service says that it serves there, and not at which port.
    const port = String(await freePort())
    const args = ['--port', port, '--trust-proxy', '127.0.0.1', '--public-url', PUBLIC_URL]
    service = await startService({ args })
    nginx = await startNginx([`127.0.0.1:${port}`], (port) =>
      LINES.replace(/listen 443 (.*)\n *listen \[::\]:443 \1/, `listen 127.0.0.1:${port} $1`)
        .replace(/\/\S+fullchain\.pem/, files.cert)
        .replace(/\/\S+privkey\.pem/, files.key),
    )
  })
  after(async () => {
    await nginx?.stop()
    await service?.stop()
  })

  /** Over a connection of its own, on which nothing but the certificate of the moment is trusted. */
  function ask(options: RequestOptions, body = ''): Promise<Answer> {
    const ca = readFileSync(files.cert)
    const to = { host: '127.0.0.1', port: nginx.port, path: '/v1/pets', ca, agent: false, ...options }
    return new Promise((done, failed) => {
      const sent = request(to, (response) => {
        const { fingerprint256: fingerprint } = (response.socket as TLSSocket).getPeerCertificate()
        response.resume().on('end', () => done({ status: response.statusCode, headers: response.headers, fingerprint }))
      })
      sent.on('error', failed).end(body)
    })
  }
  const ownFingerprint = () => new X509Certificate(readFileSync(files.cert)).fingerprint256

  it('answers with its certificate, the limit headers, and the address that clients see', async () => {
    const { key } = await service.issueKey('free')
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const made = await ask({ method: 'POST', headers }, '{"name":"Rex","categoryId":1}')
    assert.equal(made.status, 201)
    assert.equal(made.fingerprint, ownFingerprint())
    assert.deepEqual([made.headers['x-ratelimit-limit'], made.headers['x-ratelimit-remaining']], ['60', '59'])
    assert.equal(made.headers.location, `${PUBLIC_URL}/pets/1`)
  })

  it('takes a new certificate by `nginx -s reload`', async () => {
    const earlier = ownFingerprint()
    makeCertificate(folder)
    nginx.reload()
    await until('new connections get the new certificate', async () => {
      // One with the old certificate is refused as not trusted.
      const answer = await ask({}).catch(({ code }: { code: string }) => code)
      if (typeof answer === 'string') assert.match(answer, /CERT|SIGNATURE/)
      return typeof answer !== 'string' && answer.fingerprint === ownFingerprint()
    })
    assert.notEqual(ownFingerprint(), earlier)
  })
})
