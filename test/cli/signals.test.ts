/** Signals to the service: reload of its certificate, a stop, an immediate stop, and all of them during the start. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { temporaryFolder } from '../support/folder.ts'
import { assertWhole, call, RawConnection } from '../support/http.ts'
import { postgresNeeded } from '../support/servers/postgres.ts'
import { endWithTests, freePort } from '../support/servers/servers.ts'
import { sharedPostgres } from '../support/servers/shared-postgres.ts'
import { startSlowLink } from '../support/servers/slow-link.ts'
import { type RunningService, startService } from '../support/service.ts'
import { oneOf, until } from '../support/until.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const folder = temporaryFolder()
/** Holds the start, on SIGUSR2 no longer, where the operator port listens and the public one would next. */
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
/** Longer than the time within which signals are one. */
const LATER_MS = 700

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
    await until(text, () => service.output().includes(text))
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

  /** A create whose body has not arrived yet; the result sends the rest of it. */
  const beginCreate = async (port: number, key: string) => {
    const socket = createConnection(port, '127.0.0.1')
    let answer = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text
    })
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 30\r\n\r\n`
    socket.write(head)
    await until('the service reads the body', () => answer.includes('100 Continue'))
    return {
      destroy: () => socket.destroy(),
      async finish() {
        socket.write('{"name":"Milo","categoryId":1}')
        await closed
        return answer
      },
    }
  }

  it('a second SIGTERM, some time after the first, ends the service at once', async () => {
    // A test that is held up for the six seconds in which requests may finish sends its second signal to nobody.
    const inTimeMs = 4_000
    await oneOf(5, async () => {
      await using service = await startService()
      const { key } = await service.issueKey()
      const busy = await beginCreate(portOf(service), key)
      const exited = once(service.process, 'exit')
      const begunMs = performance.now()
      service.process.kill('SIGTERM')
      await logged(service, '"msg":"stopping"')
      await sleep(LATER_MS)
      service.process.kill('SIGTERM')
      const laterMs = performance.now() - begunMs
      const [code] = (await exited) as [number]
      busy.destroy()
      if (laterMs > inTimeMs) return `the second signal came ${laterMs} ms after the first`
      assert.equal(code, 1, 'and not 0, as when it has waited for the request')
      return undefined
    })
  })

  it('Ctrl-C at npm start, which the service gets from the terminal and from npm, finishes the requests in flight', async () => {
    // npm's own signal comes some milliseconds later; if it is held up for half a second it is a second one.
    await oneOf(10, async () => {
      const output = await stopByTerminal()
      if (output.includes('stopping at once')) return 'the signal of npm came too late'
      assert.match(output, /"msg":"stopped"/)
      return undefined
    })
  })

  /** What a service has written that was started by npm, and ended as from a terminal while it creates an animal. */
  const stopByTerminal = async () => {
    const [home, port] = [temporaryFolder(), await freePort()]
    const start = `exec "${process.execPath}" "${ROOT}/scripts/start.mjs" --port ${port} --operator-port 0`
    writeFileSync(`${home}/package.json`, JSON.stringify({ scripts: { start } }))
    // A group of its own, as a shell gives to what it starts in a terminal.
    const npm = spawn('npm', ['start'], { cwd: home, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
    endWithTests(npm)
    let output = ''
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const closed = once(npm, 'close')
    await until('the first key', () => output.includes('first API key is in') && output.includes('"msg":"found'))
    const busy = await beginCreate(port, readFileSync(`${home}/data/first-key`, 'utf8').trim())
    process.kill(-(npm.pid ?? 0), 'SIGINT')
    await until('the stop', () => output.includes('"msg":"stopping"'))
    await sleep(100) // npm's own
    const answer = await busy.finish()
    const ended = await closed
    if (output.includes('stopping at once')) return output
    assert.match(answer, /HTTP\/1\.1 201 /)
    assert.deepEqual(ended, [0, null], output)
    return output
  }

  describe('during the start', () => {
    /** A service that waits for its database, on a port where nothing listens. */
    const waiting = async (database = 'postgres://nobody@127.0.0.1/none', ...more: readonly string[]) => {
      const url = Object.assign(new URL(database), { port: await freePort() })
      const args = [`${ROOT}/src/cli/pets.js`, 'serve', '--port', '0', '--database', url.href, ...more]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      endWithTests(child)
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
      const closed = once(child, 'close')
      await until('it waits', () => output.includes('waiting for the database'))
      return { child, closed, output: () => output, databasePort: Number(url.port) }
    }

    it('SIGHUP does not end the service', async () => {
      const { child, closed, output } = await waiting()
      child.kill('SIGHUP')
      await until('its line', () => output().includes('SIGHUP: the service is still starting'))
      child.kill('SIGTERM')
      assert.deepEqual(await closed, [0, null])
    })

    it('SIGHUP reads the certificate again when the service runs', postgresNeeded, async () => {
      const server = await sharedPostgres()
      const { cert, key } = newCertificate('before')
      const { child, closed, output, databasePort } = await waiting(
        await server.createDatabase(),
        ...['--tls-cert', cert, '--tls-key', key],
      )
      const renewed = newCertificate('after')
      copyFileSync(renewed.cert, cert)
      copyFileSync(renewed.key, key)
      child.kill('SIGHUP')
      await until('its line', () => output().includes('SIGHUP: the service is still starting'))
      const link = await startSlowLink(server.port, 0, databasePort)
      await until('the start', () => output().includes('"msg":"serving'))
      assert.equal(await nameAt(Number(/serving https:\/\/127\.0\.0\.1:(\d+)/.exec(output())?.[1])), 'after')
      child.kill('SIGTERM')
      assert.deepEqual(await closed, [0, null])
      await link[Symbol.asyncDispose]()
      await server.stop()
    })

    it('SIGTERM and SIGINT end it at once, with exit code 0', async () => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        const { child, closed, output } = await waiting()
        child.kill(signal)
        assert.deepEqual(await closed, [0, null], 'and not 1, as when the database has been waited for in vain')
        assert.match(output(), /"msg":"stopping"\}\n.*"msg":"stopped"\}\n$/)
      }
    })

    it('SIGTERM leaves no request unanswered that has reached the operator port', async () => {
      const port = await freePort()
      const database = `sqlite:${temporaryFolder()}/pets.db`
      const serve = ['serve', '--port', '0', '--operator-port', String(port), '--database', database]
      const args = ['--import', `data:text/javascript,${encodeURIComponent(HELD)}`, `${ROOT}/src/cli/pets.js`, ...serve]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      endWithTests(child)
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
      const closed = once(child, 'close')
      await until('it listens', () => output.includes('the operator port listens'))
      using probe = new RawConnection(port)
      const rest = `Host: 127.0.0.1:${port}\r\n\r\n`
      await probe.send(`GET /livez HTTP/1.1\r\n${rest}GET /livez HTTP/1.1\r\n`).answers(1)
      child.kill('SIGTERM')
      await until('the stop', () => output.includes('"msg":"stopping"'))
      const [, last] = await probe.send(rest).answers(2)
      assert.equal(last?.status, 200)
      child.kill('SIGUSR2')
      assert.deepEqual(await closed, [0, null])
      assert.match(output, /"msg":"stopped"\}\n$/)
      assert.doesNotMatch(output, /"msg":"serving/)
    })
  })
})
