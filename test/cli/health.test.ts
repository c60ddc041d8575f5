/** `pets health`: whether a running service is ready, with the address of the settings or a given one, over TLS too. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { describe, it } from 'node:test'
import { makeCertificate } from '../support/certificate.ts'
import { assertRefused, pets as run } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/servers/servers.ts'
import { startService } from '../support/service.ts'
import { patientClock } from '../support/time/clock.ts'
import { until } from '../support/until.ts'

const folder = temporaryFolder()

/** On a busy machine a service may take longer to answer than people are asked to wait. */
const pets: typeof run = (args, surroundings) => run(args, { clock: patientClock, ...surroundings })

/** Answers as told, in the place of a service. */
async function answering(status: number, body: string): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((_request, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert(address !== null && typeof address === 'object')
  return { url: `http://127.0.0.1:${address.port}`, server }
}

describe('pets health', { concurrency: 2 }, () => {
  it('exits 0 while the service is ready, by the settings or by --url, and 1 with the reason when it is not', async () => {
    const path = `${folder}/pets.db`
    await using service = await startService({ database: `sqlite:${path}` })
    const port = new URL(service.operatorUrl).port
    const config = `${folder}/pets.conf`
    writeFileSync(config, `database = sqlite:${path}\noperator-port = ${port}\nlog-level = error\n`)
    const ways: Parameters<typeof pets>[] = [
      [['health'], { env: { PETS_DATABASE: `sqlite:${path}` } }],
      [
        ['health'],
        { env: { PETS_DATABASE: `sqlite:${path}`, PETS_OPERATOR_PORT: '1', PETS_OPERATOR_HOST: '0.0.0.0' } },
      ],
      [['health', '--config', config]],
      [['health', '--url', service.operatorUrl]],
    ]
    for (const way of ways) {
      const answer = { code: 0, stdout: `The service at http://127.0.0.1:${port} is ready.\n`, stderr: '' }
      assert.deepEqual(await pets(...way), answer)
    }
    renameSync(path, `${path}.away`)
    const asked = async () => (await fetch(`${service.operatorUrl}/readyz`)).status
    await until('the service has noticed', async () => (await asked()) === 503)
    const { code, stdout, stderr } = await pets(['health', '--url', service.operatorUrl])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^The service at \S+ is not ready: the database .* is no longer the file .*\.\n$/)
  })

  it('says why it cannot ask: nothing there, another program, a wrong address or setting', async () => {
    const refused = async (args: string[], text: RegExp) => {
      const found = await pets(['health', ...args])
      assertRefused(found, text)
      assert.equal(found.stderr.trim().split('\n').length, 1, found.stderr)
    }
    const nobody = `http://127.0.0.1:${await freePort()}`
    await refused(['--url', nobody], new RegExp(`at ${nobody}: nothing listens there`))
    const other = await answering(200, '<html>')
    await refused(['--url', other.url], /is not the operator port of the service \(status 200\)/)
    await refused(['--url', other.url.replace('http:', 'https:')], /see whether it is http or https|wrong version/)
    other.server.close()
    const stopping = await answering(503, '{"status":"shutting down"}')
    await refused(['--url', stopping.url], /is not ready: shutting down\.$/m)
    stopping.server.close()
    await refused(['--url', 'https://127.0.0.1:1', '--ca', `${folder}/none.pem`], /given as --ca cannot be read/)
  })

  it('never takes another service for this one, which has its port (also pets doctor)', async () => {
    await using other = await startService()
    const own = `sqlite:${temporaryFolder()}/not-served.db`
    assert.equal((await pets(['keys', 'create', '--plan', 'free', '--create', '--database', own])).code, 0)
    const env = { PETS_DATABASE: own, PETS_OPERATOR_PORT: new URL(other.operatorUrl).port }
    for (const [command, ...args] of [['health'], ['doctor'], ['doctor', '--url', other.operatorUrl]] as const) {
      const { code, stderr } = await pets([command, ...args], { env })
      assert.equal(code, 1)
      assert.match(stderr, /^No service runs on \S+not-served\.db; what answers at http:\S+ is another service\. /m)
    }
    await using running = await startService({ database: own })
    const { code, stderr } = await pets(['doctor', '--url', other.operatorUrl], { env })
    assert.equal(code, 1)
    assert.match(stderr, /^What answers at \S+ is the service of another database; see --operator-port\.$/m)
    const { stdout } = await pets(['health'], { env })
    assert.equal(stdout, `The service at ${running.operatorUrl} is ready.\n`)
  })

  it('tells trouble that does not keep the service from being ready', async () => {
    for (const status of ['ready', 'degraded']) {
      const { url, server } = await answering(200, `{"status":"${status}","trouble":"counters are not saved"}`)
      const { code, stdout } = await pets(['health', '--url', url])
      assert.deepEqual([code, stdout], [0, `The service at ${url} is ${status}: counters are not saved.\n`])
      server.close()
    }
  })

  it('speaks TLS as the service does: here with its own certificate, by --url with one that is trusted', async () => {
    const { cert, key } = makeCertificate(folder)
    const env = { PETS_OFFICE: '1', PETS_TLS_CERT: cert, PETS_TLS_KEY: key, PETS_OPERATOR_HOST: '0.0.0.0' }
    const database = `sqlite:${temporaryFolder()}/pets.db`
    await using service = await startService({ env, database })
    const port = new URL(service.operatorUrl).port
    const here = await pets(['health'], { env: { ...env, PETS_DATABASE: database, PETS_OPERATOR_PORT: port } })
    assert.deepEqual([here.code, here.stdout], [0, `The service at https://127.0.0.1:${port} is ready.\n`], here.stderr)
    const url = `https://127.0.0.1:${port}`
    const unknown = await pets(['health', '--url', url])
    assert.equal(unknown.code, 1)
    assert.match(unknown.stderr, /self-signed certificate/)
    const trusted = await pets(['health', '--url', url, '--ca', cert])
    assert.deepEqual([trusted.code, trusted.stderr], [0, ''])
  })
})
