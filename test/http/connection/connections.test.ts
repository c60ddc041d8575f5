/** What one connection can do to others and to itself. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { type KeyedApp, startKeyed } from '../../support/app.ts'
import { newCertificate } from '../../support/certificate.ts'
import { assertWhole, exchange, RawConnection, statusesOf } from '../../support/http.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'
import { until } from '../../support/until.ts'

let app: KeyedApp
before(async () => {
  app = await startKeyed()
})
after(() => app[Symbol.asyncDispose]())

it('a hundred requests in one segment are all answered, without delay for others (O23)', async () => {
  const answered = () => app.metrics.operations.get('getPet')?.statuses.get(200) ?? 0
  const before = answered()
  using connection = new RawConnection(app.port)
  connection.send(app.create + `GET /v1/pets/1 HTTP/1.1\r\n${app.auth}\r\n`.repeat(100))
  await connection.answers(1)
  assertWhole(await app.call({ key: app.key }), 200)
  assert(answered() - before < 100, 'the other was answered in between')
  const answers = await connection.answers(101)
  assert.equal(answers.filter(({ status }) => status === 200).length, 100)
})

it('the responses to requests that arrive together are sent in groups of sixteen at most', async () => {
  const connections = Array.from({ length: 64 }, () => new RawConnection(app.port))
  for (const connection of connections) assertWhole((await connection.send(app.list).answers(1))[0], 200)
  let unsent: ServerResponse[] = []
  let most = 0
  const count = (_request: unknown, response: ServerResponse) => {
    unsent = [...unsent.filter(({ headersSent }) => !headersSent), response]
    most = Math.max(most, unsent.length)
  }
  app.publicPort.server.prependListener('request', count)
  for (const connection of connections) connection.send(app.list)
  for (const connection of connections) assertWhole((await connection.answers(2))[1], 200)
  app.publicPort.server.off('request', count)
  for (const connection of connections) connection[Symbol.dispose]()
  assert(most <= 16, `${most} waited`)
})

describe('a request that asks for another protocol (RFC 9110 7.8)', () => {
  const upgrade = 'Connection: upgrade\r\nUpgrade: websocket\r\n'

  it('is answered without a switch, and closes the connection', async () => {
    for (const [request, status] of [
      [`GET /v1/pets HTTP/1.1\r\n${app.auth}${upgrade}\r\n`, 200],
      [app.create.replace('\r\n', `\r\n${upgrade}`), 201],
      [`OPTIONS * HTTP/1.1\r\n${app.auth}${upgrade}\r\n`, 404],
      [`GET /v1/pets HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`, 401],
    ] as const) {
      const answers = await exchange(app.port, app.create + request + app.list)
      assert.deepEqual(statusesOf(answers), [201, status])
      assert.equal(answers[1]?.headers.connection, 'close')
    }
  })

  it('gets 400 immediately if its body is cut off', async () => {
    for (const body of ['Content-Length: 30\r\n\r\n{"na', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"n']) {
      using connection = new RawConnection(app.port)
      connection.send(`POST /v1/pets HTTP/1.1\r\n${app.auth}${upgrade}Content-Type: application/json\r\n${body}`)
      connection.socket.end()
      const [answer, ...more] = await connection.answers(Infinity)
      assertWhole(answer, 400)
      assert.deepEqual(more, [])
    }
  })
})

it('a client that breaks off a body is not counted, and logged only at level debug', async () => {
  const answered = () =>
    [...app.metrics.operations.values()].reduce(
      (sum, { statuses }) => sum + [...statuses.values()].reduce((a, b) => a + b, 0),
      0,
    )
  await app.call({ key: app.key })
  const before = answered()
  const logged = () => app.log().match(/"level":20.*closed the connection/g)?.length ?? 0
  const loggedBefore = logged()
  for (const headers of ['Content-Length: 500\r\n\r\n{"na', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"n']) {
    using connection = new RawConnection(app.port)
    const begun = once(app.publicPort.server, 'request')
    connection.send(`POST /v1/pets HTTP/1.1\r\n${app.auth}Content-Type: application/json\r\n${headers}`)
    await begun
    connection.socket.resetAndDestroy()
  }
  await until('both are logged', () => logged() === loggedBefore + 2)
  assert.equal(answered(), before)
  assert.doesNotMatch(app.log(), /"level":(50|60)/)
})

it('a client that does not read is disconnected after the timeout, and its memory is released', async () => {
  const clock = new VirtualClock()
  await using app = await startKeyed({ clock, bufferBytes: 5_000_000 })
  for (let i = 0; i < 20; i += 1) await app.store.pets.create({ name: 'x'.repeat(60_000), categoryId: 1n })
  const request = app.list.replace('pets', 'pets?limit=20')
  const connections = Array.from({ length: 8 }, () => new RawConnection(app.port))
  for (const connection of connections) {
    connection.socket.pause()
    connection.send(request.repeat(20)) // the first answers go into the buffers of the system
  }
  await until('one is refused', () => (app.metrics.operations.get('listPets')?.statuses.get(503) ?? 0) > 0)
  let late = await app.call({ key: app.key, path: '/v1/pets?limit=20' })
  // At first the system still takes answers, so that what they held is free again.
  await until('a late one is refused', async () => {
    if (late.status !== 503) late = await app.call({ key: app.key, path: '/v1/pets?limit=20' })
    return late.status === 503
  })
  assertWhole(late, 503, 'unavailable')
  assert.match(String(late.headers['retry-after']), /^[1-9]\d*$/)
  assertWhole(await app.call({ key: app.key, path: '/v1/pets/1' }), 200)
  let open = connections.length
  await until('those that do not read are cut off', () => {
    clock.pass(1_000)
    app.publicPort.server.getConnections((_error, n) => {
      open = n
    })
    return open < connections.length
  })
  assertWhole(await app.call({ key: app.key, path: '/v1/pets?limit=20' }), 200)
  for (const connection of connections) connection[Symbol.dispose]()
})

it('a client that closes its side over TLS gets its responses, and leaves no connection open', async () => {
  await using secure = await startKeyed({ tls: newCertificate() })
  const own = secure.create
  using asking = new RawConnection(secure.port, true)
  await asking.sendApart(own + own)
  asking.finish()
  for (const _ of [1, 2]) assert.equal((await asking.answer(false, 30_000))?.status, 201)
  using half = new RawConnection(secure.port, true)
  await half.sendApart(own.slice(0, -1))
  half.finish()
  assert.equal((await half.answer(false, 30_000))?.status, 400)
  using silent = new RawConnection(secure.port, true)
  silent.finish()
  // The beginning of a record of the handshake, and nothing.
  const strangers = [Buffer.from('160301', 'hex'), ''].map((bytes) => new RawConnection(secure.port).send(bytes))
  for (const { socket } of strangers) socket.end()
  const open = () =>
    new Promise<number>((resolve) => secure.publicPort.server.getConnections((_, count) => resolve(count)))
  await until('all are closed', async () => (await open()) === 0)
})
