/**
 * The packed client on the other runtimes that it is for: its examples, int64, how it tells connections that were never
 * made from those that broke, and that an animal is sent once.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createServer } from 'node:tls'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { RUNTIMES, runtimesNeeded, WORKERD } from '../../test/runtimes/install.ts'
import { newCertificate } from '../../test/support/certificate.ts'
import { freePort, runServer } from '../../test/support/servers/servers.ts'
import { startService } from '../../test/support/service.ts'
import { checkExamples, type InstalledPackage, installPackage } from './support/package.ts'
import { serveBreaking, serveRaw } from './support/server.ts'

/** Creates an animal at each address; tells for each whether it may have been added, and how often it was sent. */
const FAILURES = `
import { PetAdoption } from 'pet-adoption-client'
export async function failures(addresses) {
  const told = {}
  for (const [what, baseUrl] of Object.entries(addresses)) {
    let attempts = 1
    const client = new PetAdoption({ baseUrl, apiKey: 'key', maxAttempts: 2, random: () => 0, onRetry: () => { attempts++ } })
    const error = await client.createPet({ name: 'Rex', categoryId: 1 }).catch((error) => error)
    told[what] = [error.name, error.mayBeDone, attempts]
  }
  return told
}

/** Creates an animal on a connection that served a list before, and breaks now. */
export async function createOnBreaking(baseUrl) {
  const client = new PetAdoption({ baseUrl, apiKey: 'key' })
  await client.listPets()
  return client.createPet({ name: 'Rex', categoryId: 1 }).catch(({ name, mayBeDone }) => [name, mayBeDone])
}
`
const ON_SERVER = { refused: [false, 2], unknown: [false, 2], untrusted: [false, 1], noTls: [false, 1], cut: [true, 1] }

describe('the packed client on other runtimes', await runtimesNeeded(), () => {
  let installed: InstalledPackage
  let addresses: Readonly<Record<string, string>>
  const toClose = new AsyncDisposableStack()
  before(async () => {
    installed = toClose.use(await installPackage())
    const cut = toClose.use(await serveRaw((socket) => socket.destroy()))
    const plain = toClose.use(await serveRaw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
    const secure = createServer(newCertificate()).on('tlsClientError', () => {})
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
    toClose.defer(() => void secure.close())
    addresses = {
      refused: `http://127.0.0.1:${await freePort()}/v1`,
      unknown: 'http://no-such-host.invalid/v1',
      untrusted: `https://127.0.0.1:${(secure.address() as AddressInfo).port}/v1`,
      noTls: plain.baseUrl.replace('http', 'https'),
      cut: cut.baseUrl,
    }
    writeFileSync(`${installed.project}/failures.js`, FAILURES)
  })
  after(() => toClose.disposeAsync())

  const toldOf = (outcomes: Readonly<Record<string, readonly unknown[]>>) =>
    Object.fromEntries(Object.entries(outcomes).map(([what, outcome]) => [what, ['NetworkError', ...outcome]]))

  for (const [name, program, ...args] of RUNTIMES) {
    it(`runs its examples on ${name}, every int64 exact (R5)`, () => checkExamples(installed, program, args))

    it(`knows on ${name} when nothing was sent, and repeats no failure that lasts`, async () => {
      const file = `${installed.project}/told.js`
      writeFileSync(
        file,
        `import { failures } from './failures.js'
        console.log(JSON.stringify(await failures(${JSON.stringify(addresses)})))`,
      )
      const { stdout } = await promisify(execFile)(program, [...args, file])
      assert.deepEqual(JSON.parse(stdout), toldOf(ON_SERVER))
    })

    it(`sends an animal once on ${name} if a reused connection breaks, counted at the server`, async () => {
      await using server = await serveBreaking()
      const file = `${installed.project}/breaking.js`
      writeFileSync(
        file,
        `import { createOnBreaking } from './failures.js'
        console.log(JSON.stringify(await createOnBreaking('${server.baseUrl}')))`,
      )
      const { stdout } = await promisify(execFile)(program, [...args, file])
      assert.deepEqual(JSON.parse(stdout), ['NetworkError', true])
      assert.deepEqual(server.requests, ['GET /v1/pets', 'POST /v1/pets'])
    })
  }

  it('calls the service from a worker, every int64 exact', async () => {
    await using service = await startService()
    await using server = await serveBreaking()
    const { key } = await service.issueKey()
    const answer = await inWorker(`
      import { PetAdoption } from 'pet-adoption-client'
      import { createOnBreaking, failures } from './failures.js'
      const client = new PetAdoption({ baseUrl: '${service.baseUrl}', apiKey: '${key}' })
      const created = await client.createPet({ name: 'Rex', categoryId: 2n ** 63n - 1n })
      const [listed] = await client.listPets({ limit: 1 })
      return { exact: [created, listed].map(({ categoryId }) => String(categoryId)), broken: await createOnBreaking('${server.baseUrl}'), ...await failures(${JSON.stringify(addresses)}) }
    `)
    const exact = ['9223372036854775807', '9223372036854775807']
    const doubtful = Object.fromEntries(Object.keys(ON_SERVER).map((what) => [what, [true, 1]]))
    assert.deepEqual(answer, { exact, broken: ['NetworkError', true], ...toldOf(doubtful) })
    assert.deepEqual(server.requests, ['GET /v1/pets', 'POST /v1/pets'])
  })

  /** Runs the code in a worker, and gives what it returns. */
  async function inWorker(code: string): Promise<unknown> {
    const folder = installed.project
    const imports = code.match(/^\s*import .*$/gm)?.join('\n') ?? ''
    writeFileSync(
      `${folder}/worker.js`,
      `${imports}
      export default { async fetch() { return Response.json(await run()) } }
      async function run() { ${code.replace(/^\s*import .*$/gm, '')} }`,
    )
    await build({ entryPoints: [`${folder}/worker.js`], bundle: true, format: 'esm', outfile: `${folder}/bundled.js` })
    const port = await freePort()
    writeFileSync(
      `${folder}/worker.capnp`,
      `using Workerd = import "/workerd/workerd.capnp";
      const config :Workerd.Config = (
        services = [
          (name = "main", worker = (
            modules = [(name = "main", esModule = embed "bundled.js")], compatibilityDate = "2026-11-01")),
          (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
        ],
        sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
      );`,
    )
    toClose.use(await runServer(port, [WORKERD, 'serve', `${folder}/worker.capnp`]))
    return (await fetch(`http://127.0.0.1:${port}/`)).json()
  }
})
