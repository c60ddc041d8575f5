/** The packed client on other runtimes: its examples, and connections that were never made or broke. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createServer } from 'node:tls'
import { promisify } from 'node:util'
import { RUNTIMES, runtimesNeeded } from '../../test/runtimes/install.ts'
import { newCertificate } from '../../test/support/certificate.ts'
import { freePort } from '../../test/support/servers/servers.ts'
import { checkExamples, type InstalledPackage, installPackage } from './support/package.ts'
import { serveBreaking, serveRaw } from './support/server.ts'

/** Creates an animal at each address; returns whether it might have been added, and how often it was sent. */
const FAILURES = `
import { PetAdoption } from 'pet-adoption-client'
export async function failures(addresses) {
  const told = {}
  for (const [what, baseUrl] of Object.entries(addresses)) {
    let attempts = 1
    const client = new PetAdoption({ baseUrl, apiKey: 'key', maxAttempts: 2, random: () => 0, onRetry: () => { attempts++ } })
    const error = await client.createPet({ name: 'Rex', categoryId: 1 }).catch((error) => error)
    told[what] = [error.mayBeDone, attempts]
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
      assert.deepEqual(JSON.parse(stdout), ON_SERVER)
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
})
