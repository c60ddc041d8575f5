/** How long the service takes to stop, and what it waits for: by the real clock, so tried again on a busy machine. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { BODY, RawConnection } from '../support/http.ts'
import { enterOffice } from '../support/office-client.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { freePort } from '../support/servers/servers.ts'
import { createPet, type RunningService, startProgram, startService } from '../support/service.ts'
import { oneOf, until } from '../support/until.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** Longer than the time within which signals are one. */
const LATER_MS = 700
/** An address of this machine that is not written as one, so the service takes it for one of the network. */
const BEYOND = '::ffff:127.0.0.1'

const socketsNeeded = skipUnless(findProgram('systemd-socket-activate') !== undefined, 'install systemd')

describe('a stop', () => {
  it('finishes the requests in progress on Ctrl-C at npm start', async () => {
    // npm's own signal comes some milliseconds later; if it is held up for half a second it is a second one.
    await oneOf(10, async () => {
      const output = await stopByTerminal()
      if (output.includes('stopping immediately')) return 'the signal of npm came too late'
      assert.match(output, /"msg":"stopped"/)
      return undefined
    })
  })

  /** What a service has written that was started by npm, and ended as from a terminal while it creates an animal. */
  const stopByTerminal = async () => {
    const [home, port] = [temporaryFolder(), await freePort()]
    const options = `--port ${port} --operator-port 0 --create --database "sqlite:${home}/pets.db"`
    const start = `exec "${process.execPath}" "${ROOT}/scripts/start.mjs" ${options}`
    writeFileSync(`${home}/package.json`, JSON.stringify({ scripts: { start } }))
    // A group of its own, as a shell gives to what it starts in a terminal.
    const npm = startProgram(['npm', 'start'], { cwd: home, detached: true })
    const { output, says } = npm
    for (const line of [/first API key is in/, /"msg":"found/]) await says(line)
    using busy = new RawConnection(port)
    const key = readFileSync(`${home}/first-key`, 'utf8').trim()
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${BODY.length}\r\n\r\n`
    // The service reads the body.
    assert.equal((await busy.send(head).answers(1))[0]?.status, 100)
    process.kill(-(npm.process.pid ?? 0), 'SIGINT')
    await says(/"msg":"stopping"/)
    await sleep(100) // npm's own
    const [, answer] = await busy.send(BODY).answers(2)
    const code = await npm.ended
    if (output().includes('stopping immediately')) return output()
    assert.equal(answer?.status, 201)
    assert.equal(code, 0, output())
    return output()
  }

  it('is not delayed by a connection to the office over TLS that is idle or half open', async () => {
    const { cert, key } = makeCertificate(temporaryFolder())
    const args = ['--office', '--operator-port', `[${BEYOND}]:0`, '--tls-cert', cert, '--tls-key', key]
    // Without an end to such connections a stop takes all of the three seconds each time.
    await oneOf(10, async () => {
      const service = await startService({ args })
      const port = service.operatorPort
      const host = `Host: 127.0.0.1:${port}\r\n`
      using half = new RawConnection(port, true)
      half.send(`POST /api/session HTTP/1.1\r\n${host}Content-Length: 50\r\n\r\n{"na`)
      using idle = new RawConnection(port, true)
      assert.equal((await idle.send(`GET /livez HTTP/1.1\r\n${host}\r\n`).answers(1))[0]?.status, 200)
      const startMs = performance.now()
      assert.equal(await service.stop(), 0)
      const tookMs = performance.now() - startMs
      return tookMs < 3_000 ? undefined : `${tookMs} ms`
    })
  })

  /** A service whose office is within a statement that would take hours, and has acknowledged one animal before. */
  const startWithinStatement = async (start: (database: string) => Promise<RunningService> = startAlone) => {
    const path = `${temporaryFolder()}/pets.db`
    const service = await start(`sqlite:${path}`)
    const ann = await enterOffice(service, 'staff', 'ann')
    const { key } = await service.issueKey()
    assert.equal((await createPet(service, key, 'Luna')).status, 201)
    const file = new DatabaseSync(path, { timeout: 5_000 })
    file.exec(`
      CREATE VIEW hours AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 1e11;
      CREATE TRIGGER slow AFTER INSERT ON additions BEGIN DELETE FROM additions WHERE (SELECT count(*) FROM hours) = 0; END;
      PRAGMA busy_timeout = 0`)
    const form = { name: 'Rex', categoryId: '1', status: null, formToken: '0'.repeat(32) }
    const adding = ann.ask('POST', '/api/animals', form).catch(() => {})
    const isWriting = () => {
      try {
        file.exec('BEGIN IMMEDIATE; ROLLBACK')
        return false
      } catch {
        return true
      }
    }
    await until('the statement', isWriting)
    return { service, file, adding }
  }

  const startAlone = (database: string) => startService({ database, args: ['--office'] })

  /** With sockets that systemd holds: idle connections are then let be for a while. */
  const startAtSockets = async (database: string) => {
    const [port, operatorPort] = [await freePort(), await freePort()]
    const listens = [port, operatorPort].map((one) => `--listen=127.0.0.1:${one}`)
    const launcher = ['systemd-socket-activate', ...listens] as const
    const starting = startService({ database, launcher, operatorPort, args: ['--office', '--port', String(port)] })
    const ask = () => fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.text())
    await until('it is asked', () => ask().then(Boolean, () => false))
    return await starting
  }

  const endsInTime = async (start: typeof startAlone) => {
    const { service, file, adding } = await startWithinStatement(start)
    const startMs = performance.now()
    assert.equal(await service.stop(), 0, service.output())
    assert.ok(performance.now() - startMs < 10_000, `${performance.now() - startMs} ms`)
    await adding
    assert.equal(file.prepare('SELECT group_concat(name) AS names FROM pets').get()?.names, 'Luna')
    assert.equal(file.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
  }

  it('takes ten seconds at most during a statement, and loses nothing that was acknowledged', () =>
    endsInTime(startAlone))

  it('takes no longer if another process takes over the sockets', socketsNeeded, () => endsInTime(startAtSockets))

  it('is immediate after a second SIGTERM, also during a statement', async () => {
    const { service } = await startWithinStatement()
    const exited = once(service.process, 'exit')
    service.process.kill('SIGTERM')
    await service.says(/"msg":"stopping"/)
    await sleep(LATER_MS)
    service.process.kill('SIGTERM')
    assert.deepEqual(await exited, [1, null])
    assert.match(service.output(), /stopping immediately/)
  })
})
