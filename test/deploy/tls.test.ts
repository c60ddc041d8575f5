/** The real nginx with nginx.conf and the TLS lines of deploy/README.md in front of a service. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { it } from 'node:test'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { call } from '../support/http.ts'
import { freePort } from '../support/servers/servers.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { nginxNeeded, startNginx } from './nginx.ts'

const GUIDE = readFileSync(resolve(import.meta.dirname, '../../deploy/README.md'), 'utf8')
const [, LINES = ''] = /```nginx\n([\s\S]*?)```/.exec(GUIDE) ?? []
const [, PUBLIC_URL = ''] = /^`--public-url (\S+)`/m.exec(GUIDE) ?? []

it('nginx passes limit headers and public address over TLS, and reloads a certificate', nginxNeeded, async () => {
  const folder = temporaryFolder()
  const files = makeCertificate(folder)
  // With a public address the service does not print its own port.
  const port = String(await freePort())
  const args = ['--port', port, '--trust-proxy', '127.0.0.1', '--public-url', PUBLIC_URL]
  await using service = await startService({ args, operatorPort: 'none' })
  const nginx = await startNginx([`127.0.0.1:${port}`], (port) =>
    LINES.replace(/listen 443 (.*)\n *listen \[::\]:443 \1/, `listen 127.0.0.1:${port} $1`)
      .replace(/\/\S+fullchain\.pem/, files.cert)
      .replace(/\/\S+privkey\.pem/, files.key),
  )
  try {
    const { key } = await service.issueKey('free')
    const headers = { 'content-type': 'application/json' }
    const body = '{"name":"Rex","categoryId":1}'
    const made = await call(nginx.port, {
      ca: readFileSync(files.cert),
      method: 'POST',
      path: '/v1/pets',
      key,
      headers,
      body,
    })
    assert.equal(made.status, 201)
    assert.deepEqual([made.headers['x-ratelimit-limit'], made.headers['x-ratelimit-remaining']], ['60', '59'])
    assert.equal(made.headers.location, `${PUBLIC_URL}/pets/1`)
    makeCertificate(folder)
    const seen = () => call(nginx.port, { ca: readFileSync(files.cert), path: '/v1/pets', key }).catch(() => undefined)
    assert.equal(await seen(), undefined, 'it has the one before')
    nginx.reload()
    await until('it has the new certificate', async () => (await seen())?.status === 200)
  } finally {
    await nginx.stop()
  }
})
