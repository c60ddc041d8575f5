/** Signals to the service: reload of its certificate, and an immediate stop. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { temporaryFolder } from '../support/folder.ts'
import { assertWhole, call } from '../support/http.ts'
import { type RunningService, startService } from '../support/service.ts'

const folder = temporaryFolder()

const portOf = (service: RunningService) => Number(new URL(service.baseUrl).port)

describe('signals', { concurrency: 2 }, () => {
  const newCertificate = (name: string) => {
    const [cert, key] = [`${folder}/${name}-cert.pem`, `${folder}/${name}-key.pem`]
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
    execFileSync('openssl', ['req', '-x509', ...curve, '-subj', `/CN=${name}`, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    })
    return { cert, key }
  }
  const nameAt = (port: number) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.destroy()
      }).on('error', reject)
    })
  const logged = async (service: RunningService, text: string) => {
    for (let tries = 0; tries < 200 && !service.output().includes(text); tries += 1) await sleep(50)
    assert(service.output().includes(text), service.output())
  }

  it('SIGHUP reads the certificate again, and keeps the old one if the new one is invalid', async () => {
    const { cert, key } = newCertificate('old')
    await using service = await startService({ args: ['--tls-cert', cert, '--tls-key', key] })
    assert.equal(await nameAt(portOf(service)), 'old')
    const renewed = newCertificate('new')
    copyFileSync(renewed.cert, cert)
    service.process.kill('SIGHUP')
    await logged(service, 'the certificate stays as it was')
    assert.equal(await nameAt(portOf(service)), 'old', 'the key does not fit yet')
    copyFileSync(renewed.key, key)
    service.process.kill('SIGHUP')
    await logged(service, 'the certificate was read again')
    assert.equal(await nameAt(portOf(service)), 'new')
    rmSync(key)
    service.process.kill('SIGHUP')
    await logged(service, 'cannot be read')
    assert.equal(await nameAt(portOf(service)), 'new')
  })

  it('SIGHUP does not end a service without a certificate', async () => {
    await using service = await startService()
    service.process.kill('SIGHUP')
    await logged(service, 'there is no certificate to read again')
    assertWhole(await call(portOf(service), {}), 401)
    assert.equal(await service.stop(), 0)
  })

  it('a second SIGTERM ends the service at once', async () => {
    await using service = await startService()
    const { key } = await service.issueKey()
    const busy = createConnection(portOf(service), '127.0.0.1')
    busy.on('error', () => {})
    busy.write(`POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 9\r\n\r\n`)
    await sleep(200)
    const exited = once(service.process, 'exit')
    service.process.kill('SIGTERM')
    await logged(service, '"msg":"stopping"')
    const beforeMs = performance.now()
    service.process.kill('SIGTERM')
    const [code] = (await exited) as [number]
    assert.equal(code, 1)
    assert(performance.now() - beforeMs < 2_000)
    busy.destroy()
  })
})
