/**
 * The real nginx with nginx-office.conf in front of a service: TLS, and nothing is passed on except the office.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Session, Upload } from '../../src/office/office-data.ts'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Call, call } from '../support/http.ts'
import { invite, PASSPHRASE } from '../support/office-client.ts'
import { freePort } from '../support/servers/servers.ts'
import { type RunningService, startService } from '../support/service.ts'
import { nginxNeeded, serveWithNginx, type TestNginx } from './nginx.ts'

const CONFIG = readFileSync(resolve(import.meta.dirname, '../../deploy/nginx-office.conf'), 'utf8')
const ORIGIN = 'https://office.example'

describe('nginx before the office', nginxNeeded, () => {
  let service: RunningService
  let nginx: TestNginx
  let ca: Buffer
  let httpPort: number

  before(async () => {
    const files = makeCertificate(temporaryFolder())
    ca = readFileSync(files.cert)
    service = await startService({ args: ['--office', ORIGIN, '--trust-proxy', '127.0.0.1'] })
    httpPort = await freePort()
    nginx = await serveWithNginx((port) =>
      CONFIG.replace(/listen 80;\n *listen \[::\]:80;/, `listen 127.0.0.1:${httpPort};`)
        .replace(/listen 443 (.*)\n *listen \[::\]:443 \1/, `listen 127.0.0.1:${port} $1`)
        .replace(/\/\S+fullchain\.pem/, files.cert)
        .replace(/\/\S+privkey\.pem/, files.key)
        .replaceAll('http://pets1:8081', service.operatorUrl),
    )
  })
  after(async () => {
    await nginx?.stop()
    await service?.stop()
  })

  const ask = (path: string, { headers = {}, ...more }: Call = {}) =>
    call(nginx.port, { path, ...more, headers: { host: 'office.example', origin: ORIGIN, ...headers }, ca })

  it('passes on the page, what it loads, the sign-in and a file, over HTTPS from now on', async () => {
    const page = await ask('/')
    assert.equal(page.status, 200)
    assert.equal(page.headers['strict-transport-security'], 'max-age=31536000')
    const script = /src="(office\/[^"]+\.js)"/.exec(page.body)?.[1]
    assert.equal((await ask(`/${script}`)).status, 200)
    const invitation = await invite({ ...service, operatorUrl: ORIGIN }, 'Ada', 'manager')
    const body = JSON.stringify({ invitation, passphrase: PASSPHRASE })
    const entered = await ask('/api/invitation', { method: 'POST', body })
    assert.equal(entered.status, 200, entered.body)
    const { token } = JSON.parse(entered.body) as Session
    const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const headers = { cookie, 'x-session-token': token, 'content-type': 'multipart/form-data; boundary=x' }
    const form =
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname,categoryId\nMia,7\n\r\n--x--\r\n'
    const looked = await ask('/api/uploads', { method: 'POST', headers, body: form })
    assert.equal(looked.status, 200, looked.body)
    assert.equal((JSON.parse(looked.body) as Upload).found?.animals, 1)
  })

  it("redirects HTTP to HTTPS, except for certbot's files", async () => {
    const { status, headers } = await call(httpPort, { path: '/office/x', headers: { host: 'office.example' } })
    assert.deepEqual([status, headers.location], [301, `${ORIGIN}/office/x`])
    const challenge = { path: '/.well-known/acme-challenge/none', headers: { host: 'office.example' } }
    assert.equal((await call(httpPort, challenge)).status, 404)
  })

  it('passes on nothing else of the operator port, however its path is written', async () => {
    const hidden = '/metrics /livez /readyz /metrics/ //metrics /%6detrics /METRICS /api/../metrics'
    for (const path of hidden.split(' ')) assert.equal((await ask(path)).status, 404, path)
    for (const path of ['/api/%2e%2e/metrics', '/office/..%2fmetrics', '/metrics/../api/x', '/api/;/../../metrics']) {
      const { status, body } = await ask(path)
      assert(status === 404 || status === 400, `${path}: ${status}`)
      assert.doesNotMatch(body, /pets_http_requests_total/)
    }
    assert.equal((await fetch(`${service.operatorUrl}/metrics`)).status, 200)
  })
})
