/** The office over TLS: its own, and that of a proxy before it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import type { Session } from '../../src/office/office-data.ts'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { askOffice, invite, PASSPHRASE } from '../support/office-client.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** An address of this machine that is not written as one, so the service takes it for one of the network. */
const BEYOND = '::ffff:127.0.0.1'

describe('the office beyond loopback', () => {
  it('is served over TLS with the certificate of the public port, which SIGHUP reloads; its cookie is for TLS only', async () => {
    const folder = temporaryFolder()
    const { cert, key } = makeCertificate(folder)
    const args = ['--office', '--operator-host', BEYOND, '--tls-cert', cert, '--tls-key', key]
    await using service = await startService({ args })
    await until('the log says where the office is', async () => /"msg":"office at https:/.test(service.output()))
    const port = service.operatorPort
    const origin = `https://127.0.0.1:${port}`
    const first = await ask(port, readFileSync(cert), 'GET', '/livez')
    assert.equal(first.status, 200)
    assert.equal((await ask(port, readFileSync(cert), 'GET', '/')).strict, 'max-age=31536000')
    const publicPort = service.port
    assert.equal((await ask(publicPort, readFileSync(cert), 'GET', '/v1/pets')).strict, undefined)
    const invitation = await invite(service, 'Ada', 'staff')
    const accept = (headers: Record<string, string>) =>
      ask(port, readFileSync(cert), 'POST', '/api/invitation', { invitation, passphrase: PASSPHRASE }, headers)
    assert.equal((await accept({ origin: origin.replace('https', 'http') })).status, 403)
    const { status, cookie } = await accept({ origin })
    assert.equal(status, 200)
    assert.match(cookie, /^__Host-pets-office(?:-\d+)?=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict,/)
    assert.match(
      cookie,
      /,__Host-pets-office(?:-\d+)?-browser=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    makeCertificate(folder)
    service.process.kill('SIGHUP')
    await until('the other certificate is used', async () => {
      const now = await ask(port, readFileSync(cert), 'GET', '/livez').catch(() => undefined)
      return now !== undefined && now.serial !== first.serial
    })
  })
})

it('behind a proxy that speaks TLS the office takes its address from --office-url, also as Host and Origin', async () => {
  await using service = await startService({ args: ['--office', '--office-url', 'https://office.example'] })
  const invitation = await invite(service, 'Ada', 'staff')
  const origin = 'https://office.example'
  const accept = (headers: Record<string, string>) =>
    askOffice(service, 'POST', '/api/invitation', { invitation, passphrase: PASSPHRASE }, headers)
  assert.equal((await accept({ host: 'office.example', origin: 'http://office.example' })).status, 403)
  assert.equal((await accept({ host: 'other.example', origin: 'https://other.example' })).status, 421)
  // A proxy may put a Host of its own.
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

/** One request over TLS, and the serial number of the certificate that answered. */
function ask(port: number, ca: Buffer, method: string, path: string, body?: object, headers: object = {}) {
  return new Promise<{ status: number; cookie: string; serial: string; strict: string | undefined }>(
    (resolve, reject) => {
      const all = { ...headers, ...(body && { 'content-type': 'application/json' }) }
      request({ host: '127.0.0.1', port, method, path, ca, agent: false, headers: all }, (response) => {
        const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate()
        const strict = response.headers['strict-transport-security']
        const cookie = response.headers['set-cookie']?.join() ?? ''
        response
          .resume()
          .on('end', () => resolve({ status: response.statusCode ?? 0, cookie, serial: serialNumber, strict }))
      })
        .on('error', reject)
        .end(body && JSON.stringify(body))
    },
  )
}
