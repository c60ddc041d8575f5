/** Signals to the service, also during its start. test/process/stop.test.ts has stops under load. */
import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { describe, it } from 'node:test'
import { connect } from 'node:tls'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertWhole, call, RawConnection } from '../support/http.ts'
import { postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'
import { freePort } from '../support/servers/servers.ts'
import { startSlowLink } from '../support/servers/slow-link.ts'
import { startPets, startService } from '../support/service.ts'

/** Holds the start until SIGUSR2, after the operator port listens and before the public port does. */
const HELD = `
  const { Server } = await import('node:http')
  const { listen } = Server.prototype
  let isFirst = true
  Server.prototype.listen = function (...args) {
    if (isFirst) listen.apply(this, args)
    else {
      process.once('SIGUSR2', () => listen.apply(this, args))
      console.log('the operator port listens')
    }
    isFirst = false
    return this
  }`
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

    it('SIGTERM leaves no request unanswered that has reached the operator port', async () => {
      const port = await freePort()
      const database = `sqlite:${temporaryFolder()}/pets.db`
      const serve = ['serve', '--create', '--port', '0', '--operator-port', String(port), '--database', database]
      const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HELD)}` }
      const { process: child, ended, output, says } = startPets(serve, { env })
      await says(/the operator port listens/)
      using probe = new RawConnection(port)
      const rest = `Host: 127.0.0.1:${port}\r\n\r\n`
      await probe.send(`GET /livez HTTP/1.1\r\n${rest}GET /livez HTTP/1.1\r\n`).answers(1)
      child.kill('SIGTERM')
      await says(/"msg":"stopping"/)
      const [, last] = await probe.send(rest).answers(2)
      assert.equal(last?.status, 200)
      child.kill('SIGUSR2')
      assert.equal(await ended, 0)
      assert.match(output(), /"msg":"stopped"\}\n$/)
      assert.doesNotMatch(output(), /"msg":"serving/)
    })
  })
})
