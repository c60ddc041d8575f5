/** What slow clients can cost (O19), by a clock that the test sets, over real connections. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { memoryBudget, READ_BYTES_PER_S, type Reserve, sendTimeout } from '../../src/http/slow-clients.ts'
import { startApp, startKeyed } from '../support/app.ts'
import { assertWhole, BODY, RawConnection, statusesOf } from '../support/http.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'
import { until } from '../support/until.ts'

const TIMEOUT_MS = 30_000
const LOOK_MS = TIMEOUT_MS / 60
/** More than the buffers of the system take. */
const ANSWER = Buffer.alloc(64_000_000)

/** A peer that has been sent an answer and has not read it. */
async function unread(act: (peer: Socket, socket: Socket) => Promise<void>): Promise<void> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const peer = connect(address.port, '127.0.0.1').pause()
  peer.on('error', () => {})
  const [socket] = (await once(server, 'connection')) as [Socket]
  socket.write(ANSWER)
  try {
    await act(peer, socket)
  } finally {
    peer.destroy()
    socket.destroy()
    server.close()
  }
}

/** The time that a peer has for what is unsent now. */
const timeFor = (socket: Socket) => TIMEOUT_MS + (socket.writableLength / READ_BYTES_PER_S) * 1_000

describe('a peer that does not read', () => {
  it('is disconnected after 30 s and a second for each 8 KiB', () =>
    unread(async (_peer, socket) => {
      const clock = new VirtualClock()
      sendTimeout(TIMEOUT_MS, clock)(socket)
      clock.pass(timeFor(socket) - LOOK_MS)
      assert.ok(!socket.destroyed)
      clock.pass(LOOK_MS)
      assert.ok(socket.destroyed)
    }))

  it('gets its time again after it has read a response of several', () =>
    unread(async (peer, socket) => {
      const clock = new VirtualClock()
      socket.write(ANSWER)
      sendTimeout(TIMEOUT_MS, clock)(socket)
      clock.pass(timeFor(socket) - LOOK_MS)
      peer.on('data', () => socket.writableLength > ANSWER.length || peer.pause()).resume()
      await until('the first response is read', () => socket.writableLength === ANSWER.length)
      clock.pass(timeFor(socket) - LOOK_MS)
      assert.ok(!socket.destroyed)
      clock.pass(2 * LOOK_MS)
      assert.ok(socket.destroyed)
    }))

  it('is no longer watched after it has read everything', () =>
    unread(async (peer, socket) => {
      const clock = new VirtualClock()
      const watch = sendTimeout(TIMEOUT_MS, clock)
      watch(socket)
      peer.resume()
      await until('everything is read', () => socket.writableLength === 0)
      clock.pass(10 * TIMEOUT_MS)
      assert.ok(!socket.destroyed)
    }))
})

function taken(reserve: Reserve, bytes: number, ...holders: string[]): () => void {
  return reserve(bytes, ...holders) ?? assert.fail(`no room for ${bytes} bytes of ${holders}`)
}

describe('a budget of memory', () => {
  it('admits as much as its limit, and one thing of any size while nothing else is reserved', () => {
    const reserve = memoryBudget(100)
    const gives = [taken(reserve, 60), taken(reserve, 40)]
    assert.equal(reserve(1), undefined)
    for (const give of gives) give()
    const give = taken(reserve, 1_000)
    assert.equal(reserve(0), undefined, 'and nothing beside it')
    give()
    taken(reserve, 0)
    taken(reserve, 1_000)()
  })

  it('gives each owner a share, and refuses only those who exceed theirs', () => {
    const reserve = memoryBudget(400, 1 / 4)
    const first = taken(reserve, 60, 'key', 'address')
    for (const holder of ['key', 'address']) assert.equal(reserve(41, 'other', holder), undefined)
    const second = taken(reserve, 40, 'key', 'elsewhere')
    taken(reserve, 100, 'other')()
    first()
    assert.equal(reserve(61, 'key'), undefined, 'what is still held counts')
    for (const give of [taken(reserve, 60, 'key'), second]) give()
    taken(reserve, 100, 'key')()
    taken(reserve, 300, 'address')()
  })
})

describe('one key or one address that does not read or does not send', () => {
  const at = (address: string, key: string) =>
    `Host: x\r\nX-Forwarded-For: ${address}\r\nAuthorization: Bearer ${key}\r\n`

  it('has an eighth of the memory for responses, and does not take the share of another', async () => {
    await using app = await startApp({ trustProxy: ['127.0.0.1'] })
    for (let n = 0; n < 100; n += 1) await app.store.pets.create({ name: 'x'.repeat(60_000), categoryId: 1n })
    const [greedy, other] = [await app.issue(), await app.issue()]
    using unread = new RawConnection(app.port)
    unread.socket.pause()
    // The system takes the first answers; the next one stays with the service.
    unread.send(`GET /v1/pets?limit=100 HTTP/1.1\r\n${at('192.0.2.1', greedy)}\r\n`.repeat(20))
    const ask = (address: string, key: string) =>
      app.call({ key, path: '/v1/pets?limit=100', headers: { 'x-forwarded-for': address } })
    await until('the key is refused', async () => (await ask('192.0.2.2', greedy)).status === 503)
    assertWhole(await ask('192.0.2.1', other), 503, 'unavailable')
    assertWhole(await ask('192.0.2.2', other), 200)
    assertWhole(await app.call({ key: greedy, path: '/v1/pets/1' }), 200)
  })

  it('has an eighth of it also for one long animal, and still gets the response to a create', async () => {
    const [long, body] = ['x'.repeat(6_000_000), JSON.stringify({ name: 'x'.repeat(100_000), categoryId: 1 })]
    // The body has room beside the long animal; the answer to it, which has an id, has not.
    const room = `{"id":1,"name":"${long}","categoryId":1}`.length + body.length
    await using app = await startApp({ bodyLimit: body.length, bufferBytes: 8 * room })
    await app.store.pets.create({ name: long, categoryId: 1n })
    const key = await app.issue()
    using unread = new RawConnection(app.port)
    unread.socket.pause()
    unread.send(`GET /v1/pets/1 HTTP/1.1\r\n${at('192.0.2.1', key)}\r\n`.repeat(20))
    const ask = () => app.call({ key, path: '/v1/pets/1' })
    await until('the key is refused', async () => (await ask()).status === 503)
    assertWhole(await app.call({ key, method: 'POST', path: '/v1/pets', body }), 201)
    assertWhole(await ask(), 503, 'unavailable')
  })

  it('reserves nothing for a response that it did not wait for', async () => {
    await using app = await startKeyed({ bufferBytes: 100_000 })
    const page = { json: [Buffer.alloc(60_000, ' '), Buffer.from('[]')], nextBefore: undefined }
    const [asked, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const list = async () => {
      asked.resolve()
      await gone.promise
      return page
    }
    Object.assign(app.store.pets, { list })
    app.publicPort.server.once('request', ({ socket }) => socket.once('close', gone.resolve))
    using hasty = new RawConnection(app.port)
    hasty.send(`GET /v1/pets?limit=100 HTTP/1.1\r\n${at('192.0.2.1', app.key)}\r\n`)
    await asked.promise
    hasty.socket.resetAndDestroy()
    assertWhole(await app.call({ key: app.key, path: '/v1/pets?limit=100' }), 200)
  })

  it('has an eighth of the memory for bodies', async () => {
    const bodyLimit = 65_536
    await using app = await startApp({ trustProxy: ['127.0.0.1'], bodyLimit, bufferBytes: 8 * 2 * bodyLimit })
    const [greedy, other] = [await app.issue(), await app.issue()]
    const begin = async (address: string, key: string) => {
      const head = `POST /v1/pets HTTP/1.1\r\n${at(address, key)}Content-Type: application/json\r\n`
      const connection = new RawConnection(app.port)
      connection.send(`${head}Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n`)
      return { connection, status: (await connection.answers(1))[0]?.status }
    }
    const begun = [await begin('192.0.2.1', greedy), await begin('192.0.2.1', greedy)]
    const late = await begin('192.0.2.2', greedy)
    const neighbour = await begin('192.0.2.1', other)
    const elsewhere = await begin('192.0.2.2', other)
    const all = [...begun, late, neighbour, elsewhere]
    assert.deepEqual(statusesOf(all), [100, 100, 503, 503, 100])
    const [first] = begun
    first?.connection.send(`${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`)
    assertWhole((await first?.connection.answers(2))?.[1], 201)
    const again = await begin('192.0.2.2', greedy)
    assert.equal(again.status, 100, 'what has arrived is not held any more')
    for (const { connection } of [...all, again]) connection[Symbol.dispose]()
  })
})
