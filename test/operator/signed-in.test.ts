/** What people who are signed in can make the process use up, from outside. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ActResult, AnimalPage } from '../../src/office/office-data.ts'
import { assertLight, holdUnread } from '../process/strain.ts'
import { temporaryFolder } from '../support/folder.ts'
import { RawConnection } from '../support/http.ts'
import { enterOffice, type SignedInClient } from '../support/office-client.ts'
import { pets, type RunningService, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** Without bounds the public port waits for seconds. */
const BOUNDS = { mostMiB: 512, p99Ms: 1_000 }
const ANIMALS = 900
const LONG_NAME = 'x'.repeat(65_000)

describe('people in the office', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  let service: RunningService
  let port: number
  let ada: SignedInClient

  before(async () => {
    service = await startService({ args: ['--office'] })
    port = service.operatorPort
    const file = `${temporaryFolder()}/animals.csv`
    const rows = Array.from({ length: ANIMALS }, (_, n) => `${LONG_NAME}${n},1,available\n`)
    writeFileSync(file, `name,categoryId,status\n${rows.join('')}`)
    const { code, stderr } = await pets(['import', '--create', file, '--database', service.database])
    assert.equal(code, 0, stderr)
    ada = await enterOffice(service, 'manager')
  })
  after(() => service?.stop())

  const headersOf = ({ headers }: SignedInClient) =>
    Object.entries({ ...headers, host: `127.0.0.1:${port}` })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')

  it('send a form with 600 text fields of a MiB each, and little of it is kept', async () => {
    const field = Buffer.from(`--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n${'y'.repeat(1 << 20)}\r\n`)
    await assertLight(service, BOUNDS, async () => {
      const connection = new RawConnection(port)
      connection.send(
        `POST /api/uploads HTTP/1.1\r\n${headersOf(ada)}content-type: multipart/form-data; boundary=x\r\ntransfer-encoding: chunked\r\n\r\n`,
      )
      for (let n = 0; n < 600 && connection.socket.writable; n += 1) {
        connection.socket.write(`${field.length.toString(16)}\r\n`)
        connection.socket.write(field)
        const isTaken = connection.socket.write('\r\n')
        if (!isTaken) {
          await Promise.race([new Promise((drained) => connection.socket.once('drain', drained)), connection.closed])
        }
      }
      await sleep(500)
      connection[Symbol.dispose]()
    })
  })

  it('do not read 150 lists of animals with long names', async () => {
    const request = `GET /api/animals?limit=100 HTTP/1.1\r\n${headersOf(ada)}\r\n`
    await assertLight(service, BOUNDS, () => holdUnread(port, Array(150).fill(request), 5_000))
  })

  it('send the longest bodies that there are, of nested arrays', async () => {
    const body = '['.repeat(6 * 65_536)
    const request = `POST /api/animals HTTP/1.1\r\n${headersOf(ada)}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    await assertLight(service, BOUNDS, () => holdUnread(port, Array(150).fill(request), 3_000))
  })

  it('begin as many slow bodies as they like, and others have room for theirs', async () => {
    const bob = await enterOffice(service, 'staff', 'Bob')
    const slow = `POST /api/animals HTTP/1.1\r\n${headersOf(bob)}content-type: application/json\r\ncontent-length: 390000\r\n\r\n{`
    const connections = Array.from({ length: 90 }, () => new RawConnection(port))
    let refused = 0
    for (const connection of connections) {
      connection.socket.once('data', () => {
        refused += 1
      })
      connection.send(slow)
    }
    await until('his room is used', () => refused > 0)
    const { status } = await ada.ask('POST', '/api/animals', { name: 'y'.repeat(60_000) })
    for (const connection of connections) connection[Symbol.dispose]()
    assert.equal(status, 400, 'it was read, and lacks a category')
  })

  it('set the status of 900 animals with long names, and are answered briefly', async () => {
    let bytes = 0
    await assertLight(service, BOUNDS, async () => {
      const animals: { id: string; version: string }[] = []
      for (let path = '/api/animals?limit=100'; path !== ''; ) {
        const { json } = await ada.ask<AnimalPage>('GET', path)
        for (const { id, version } of json.animals) animals.push({ id, version })
        path = json.older === null ? '' : `/api/animals?limit=100&before=${json.older}`
      }
      assert.equal(animals.length, ANIMALS)
      const change = { act: 'edit', animals, status: 'sold' }
      const { status, body, json } = await ada.ask<ActResult>('POST', '/api/animals/acts', change)
      assert.equal(status, 200)
      assert.equal(json.animals.length, ANIMALS)
      bytes = body.length
    })
    assert(bytes < 1_000_000, `${bytes} bytes`)
  })
})
