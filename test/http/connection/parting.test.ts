/** A port whose socket another process takes over (O23), and a port that closes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { closeServer, socketsOf } from '../../../src/http/listener.ts'
import { startKeyed } from '../../support/app.ts'
import { assertWhole, createBytes, RawConnection } from '../../support/http.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'
import { until } from '../../support/until.ts'

describe('a port that hands over its connections', () => {
  it('answers one more request on each, and closes it with the response', async () => {
    await using app = await startKeyed()
    using idle = new RawConnection(app.port)
    using pipelining = new RawConnection(app.port)
    for (const connection of [idle, pipelining]) {
      const [answer] = await connection.send(app.list).answers(1)
      assertWhole(answer, 200)
      assert.equal(answer.headers.connection, 'keep-alive')
    }
    const parted = app.publicPort.handOver()
    const [, last] = await idle.send(app.list).answers(2)
    assertWhole(last, 200)
    assert.equal(last.headers.connection, 'close')
    const answers = await pipelining.send(app.create + app.list + app.create).answers(4)
    assert.deepEqual(
      answers.slice(1).map(({ status, headers }) => [status, headers.connection]),
      [
        [201, 'keep-alive'],
        [200, 'keep-alive'],
        [201, 'close'],
      ],
    )
    await Promise.all([parted, idle.closed, pipelining.closed])
  })

  it('closes an idle connection after a time, but not one with a request in progress', async () => {
    const clock = new VirtualClock()
    await using app = await startKeyed({ clock })
    using idle = new RawConnection(app.port)
    await idle.send(app.list).answers(1)
    using silent = new RawConnection(app.port)
    using busy = new RawConnection(app.port)
    const accepted = once(app.publicPort.server, 'request')
    busy.send(app.create.slice(0, -5))
    await Promise.all([accepted, once(silent.socket, 'connect')])
    const parted = app.publicPort.handOver()
    clock.pass(5_000)
    await Promise.all([parted, idle.closed, silent.closed])
    const [made] = await busy.send(app.create.slice(-5)).answers(1)
    assertWhole(made, 201)
    await busy.closed
  })

  it('answers on connections that it has accepted, also after it has closed', async () => {
    await using app = await startKeyed()
    await app.publicPort.handOver()
    const accepted = once(app.publicPort.server, 'connection')
    using late = new RawConnection(app.port)
    await accepted
    const closed = app.publicPort.close()
    await until('it accepts no more', () => !app.publicPort.server.listening)
    const [answer] = await late.send(app.list).answers(1)
    assertWhole(answer, 200)
    await Promise.all([closed, late.closed])
  })

  it('answers a request with an expectation, and closes its connection', async () => {
    await using app = await startKeyed()
    const parts = ['Expect: 100-continue\r\n', 'Expect: other\r\n'].map((expect) => ({
      connection: new RawConnection(app.port),
      request: createBytes(app.auth + expect),
    }))
    for (const { connection } of parts) await connection.send(app.list).answers(1)
    const parted = app.publicPort.handOver()
    const statuses = []
    for (const { connection, request } of parts) {
      for (const answer of (await connection.send(request).answers(Infinity)).slice(1)) {
        statuses.push([answer.status, answer.headers.connection])
      }
      connection[Symbol.dispose]()
    }
    assert.deepEqual(statuses, [
      [100, undefined],
      [201, 'close'],
      [417, 'close'],
    ])
    await parted
  })
})

it('a port that closes waits for busy connections, and cuts them when its time is over', async () => {
  const clock = new VirtualClock()
  const server = createServer()
  const sockets = socketsOf(server, 'connection')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  using gone = new RawConnection(port)
  using busy = new RawConnection(port)
  await until('both are there', () => sockets.size === 2)
  gone.socket.destroy()
  await until('one is gone', () => sockets.size === 1)
  busy.send('GET / HTTP/1.1\r\n')
  await until('a request has begun', () => [...sockets].every(({ bytesRead }) => bytesRead > 0))
  let isClosed = false
  const closed = closeServer(5_000, server, sockets, clock).then(() => {
    isClosed = true
  })
  clock.pass(4_999)
  await new Promise(setImmediate)
  assert(!isClosed)
  clock.pass(1)
  await Promise.all([closed, busy.closed])
  assert.equal(sockets.size, 0)
})
