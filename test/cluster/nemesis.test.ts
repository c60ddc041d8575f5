/** The plans of the nemesis, and the network that it cuts; neither needs a cluster. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../bench/animals.ts'
import { freePort } from '../support/servers/servers.ts'
import { Door } from './doors.ts'
import { nameOf, parseStep, plan } from './nemesis.ts'

describe('the nemesis', () => {
  it('does the same again for the same seed', () => {
    assert.deepEqual(plan(40, seededRandom(7)), plan(40, seededRandom(7)))
    assert.notDeepEqual(plan(40, seededRandom(7)), plan(40, seededRandom(8)))
  })

  it('does each of its faults alone, and pairs between them', () => {
    const steps = plan(32, seededRandom(1))
    const singles = steps.filter(({ faults }) => faults.length === 1)
    assert.equal(new Set(singles.map(nameOf)).size, 16)
    assert.equal(steps.length - singles.length, 16)
    for (const { forMs } of steps) assert.ok(forMs >= 4_000 && forMs < 30_000)
  })

  it('reads the faults that it is told by name, and refuses others', () => {
    const random = seededRandom(1)
    assert.equal(nameOf(parseStep('cut redis master+kill node', random)), 'cut redis master+kill node')
    assert.throws(() => parseStep('burn node', random), /no fault "burn node"/)
  })
})

describe('a door', () => {
  async function open(t: { after(work: () => void): void }) {
    const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = await freePort()
    const to = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
    const door = await Door.open({ host: '127.0.0.1', port }, to)
    const client = connect(port, '127.0.0.1').setEncoding('utf8')
    t.after(() => {
      client.destroy()
      door.close()
      server.close()
    })
    return { door, client }
  }

  async function echo(client: Socket, text: string): Promise<string> {
    client.write(text)
    return String(await once(client, 'data'))
  }

  /** Whether no response comes within 100 ms. */
  async function isSilent(client: Socket, text: string): Promise<boolean> {
    client.write(text)
    return Promise.race([once(client, 'data').then(() => false), sleep(100).then(() => true)])
  }

  it('lets through what is sent, and closes as the other side does', async (t) => {
    const { client } = await open(t)
    assert.equal(await echo(client, 'one'), 'one')
    client.end()
    await once(client, 'end')
  })

  it('keeps everything back while it is cut off, without closing, and loses nothing', async (t) => {
    const { door, client } = await open(t)
    assert.equal(await echo(client, 'one'), 'one')
    door.cut()
    assert.ok(await isSilent(client, 'two'))
    door.heal()
    assert.deepEqual(await once(client, 'data'), ['two'])
  })

  it('can be cut off for one address alone', async (t) => {
    const { door, client } = await open(t)
    door.cutFrom('127.0.0.9')
    assert.equal(await echo(client, 'one'), 'one')
    door.cutFrom('127.0.0.1')
    assert.ok(await isSilent(client, 'two'))
    door.allow('127.0.0.1')
    assert.deepEqual(await once(client, 'data'), ['two'])
  })

  it('can be slow', async (t) => {
    const { door, client } = await open(t)
    assert.equal(await echo(client, 'one'), 'one')
    door.slow(150)
    const startMs = performance.now()
    assert.ok(await isSilent(client, 'two'))
    await once(client, 'data')
    assert.ok(performance.now() - startMs >= 290)
  })
})
