/** Signals to the service, also during its start. test/process/stop.test.ts has stops under load. */
import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { describe, it } from 'node:test'
import { connect } from 'node:tls'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertWhole, call } from '../support/http.ts'
import { postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'
import { freePort } from '../support/servers/servers.ts'
import { startSlowLink } from '../support/servers/slow-link.ts'
import { startPets, startService } from '../support/service.ts'

describe('signals', { concurrency: 2 }, () => {
  const newCertificate = (name: string) => makeCertificate(temporaryFolder(), { name })
  const nameAt = (port: number) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.destroy()
      }).on('error', reject)
    })

  it('SIGHUP reloads the certificate, and keeps the old one if the new one is invalid', async () => {
    const { cert, key } = newCertificate('old')
    await using service = await startService({ operatorPort: 'none', args: ['--tls-cert', cert, '--tls-key', key] })
    assert.equal(await nameAt(service.port), 'old')
    const renewed = newCertificate('new')
    copyFileSync(renewed.cert, cert)
    service.process.kill('SIGHUP')
    await service.says(/the certificate was not reloaded/)
    assert.equal(await nameAt(service.port), 'old', 'the key does not fit yet')
    copyFileSync(renewed.key, key)
    service.process.kill('SIGHUP')
    await service.says(/the certificate was reloaded/)
    assert.equal(await nameAt(service.port), 'new')
    rmSync(key)
    service.process.kill('SIGHUP')
    await service.says(/cannot be read/)
    assert.equal(await nameAt(service.port), 'new')
  })

  it('SIGHUP, SIGUSR1 and SIGUSR2 do not end a service without a certificate or open a debugger', async () => {
    const service = await startService({ operatorPort: 'none' })
    service.process.kill('SIGHUP')
    await service.says(/there is no certificate to reload/)
    service.process.kill('SIGUSR1')
    service.process.kill('SIGUSR2')
    assertWhole(await call(service.port, {}), 401)
    assert.equal(await service.stop(), 0)
    assert.doesNotMatch(service.output(), /debugger/i)
  })

  describe('during the start', () => {
    /** A service that waits for its database, on a port where nothing listens. */
    const waiting = async (database = 'postgres://nobody@127.0.0.1/none', ...more: readonly string[]) => {
      const url = Object.assign(new URL(database), { port: await freePort() })
      const args = ['serve', '--create', '--port', '0', '--database', url.href, ...more]
      const started = startPets(args)
      await started.says(/waiting for the database/)
      return { ...started, child: started.process, databasePort: Number(url.port) }
    }

    it('SIGHUP reloads the certificate after the start', postgresNeeded, async () => {
      const server = await sharedPostgres()
      const { cert, key } = newCertificate('before')
      const { child, ended, says, databasePort } = await waiting(
        await server.createDatabase(),
        ...['--tls-cert', cert, '--tls-key', key],
      )
      const renewed = newCertificate('after')
      copyFileSync(renewed.cert, cert)
      copyFileSync(renewed.key, key)
      child.kill('SIGHUP')
      await says(/SIGHUP: the certificate will be reloaded after the start/)
      await says(/(?:waiting for the database: it cannot be reached.*){2}/s)
      const link = await startSlowLink(server.port, 0, databasePort)
      const [, port] = await says(/"msg":"serving https:\/\/127\.0\.0\.1:(\d+)/)
      assert.equal(await nameAt(Number(port)), 'after')
      child.kill('SIGTERM')
      assert.equal(await ended, 0)
      await link[Symbol.asyncDispose]()
      await server.stop()
    })

    it('SIGTERM and SIGINT end it immediately, with exit code 0', async () => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        const { child, ended, output } = await waiting()
        child.kill(signal)
        assert.equal(await ended, 0, 'and not 1, as when the database has been waited for in vain')
        assert.match(output(), /"msg":"stopping"\}\n.*"msg":"stopped"\}\n$/)
      }
    })
  })
})
