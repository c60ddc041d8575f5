/** The office over TLS, its own or a proxy's. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Session } from '../../src/office/office-data.ts'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Call, call } from '../support/http.ts'
import { askOffice, invite, PASSPHRASE } from '../support/office-client.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** A local address that the service takes for a network address. */
const BEYOND = '::ffff:127.0.0.1'

describe('the office beyond loopback', () => {
  it('uses the public port’s certificate, which SIGHUP reloads, and a cookie for TLS only', async () => {
    const folder = temporaryFolder()
    const { cert, key } = makeCertificate(folder)
    const args = ['--office', '--operator-port', `[${BEYOND}]:0`, '--tls-cert', cert, '--tls-key', key]
    await using service = await startService({ args })
    await service.says(/"office":"https:/)
    const ask = (port: number, more: Call) => call(port, { ca: readFileSync(cert), ...more })
    const port = service.operatorPort
    const origin = `https://127.0.0.1:${port}`
    assert.equal((await ask(port, { path: '/' })).headers['strict-transport-security'], 'max-age=31536000')
    assert.equal((await ask(service.port, {})).headers['strict-transport-security'], undefined)
    const invitation = await invite(service, 'Ada', 'staff')
    const body = JSON.stringify({ invitation, passphrase: PASSPHRASE })
    const accept = (origin: string) => ask(port, { method: 'POST', path: '/api/invitation', headers: { origin }, body })
    assert.equal((await accept(origin.replace('https', 'http'))).status, 403)
    const { status, headers } = await accept(origin)
    assert.equal(status, 200)
    assert.match(
      headers['set-cookie']?.join() ?? '',
      /^__Host-pets-office(?:-\d+)?=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    makeCertificate(folder)
    service.process.kill('SIGHUP')
    await until('the other certificate is used', async () => {
      const answer = await ask(port, { path: '/livez' }).catch(() => undefined)
      return answer?.status === 200
    })
  })
})

it('the office behind a TLS proxy takes its address, Host and Origin from --office', async () => {
  await using service = await startService({ args: ['--office', 'https://office.example'] })
  const invitation = await invite(service, 'Ada', 'staff')
  const origin = 'https://office.example'
  const accept = (headers: Record<string, string>) =>
    askOffice(service, 'POST', '/api/invitation', { invitation, passphrase: PASSPHRASE }, headers)
  assert.equal((await accept({ host: 'office.example', origin: 'http://office.example' })).status, 403)
  assert.equal((await accept({ host: 'other.example', origin: 'https://other.example' })).status, 421)
  // A proxy can set its own Host.
  assert.equal((await accept({ origin: 'https://elsewhere.example' })).status, 403)
  const accepted = await accept({ origin })
  assert.equal(accepted.status, 200)
  const cookie = accepted.headers['set-cookie']?.[0] ?? ''
  assert.match(cookie, /^__Host-pets-office(?:-\d+)?=.*; Secure; /)
  const headers = { host: 'office.example', origin, cookie: cookie.split(';')[0] ?? '' }
  const token = (accepted.json as Session).token
  assert.equal((await askOffice(service, 'GET', '/api/session', undefined, headers)).status, 200)
  const out = { ...headers, 'x-session-token': token }
  assert.equal((await askOffice(service, 'DELETE', '/api/session', undefined, out)).status, 204)
})
