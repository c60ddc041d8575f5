/** Where descriptors run short, the connection that has been idle longest makes room for a new one. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { beyond } from '../../src/http/idle-connections.ts'
import { startApp, startKeyed, type TestApp } from '../support/app.ts'
import { newCertificate } from '../support/certificate.ts'
import { assertWhole, exchange, RawConnection } from '../support/http.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

async function connected({ publicPort, port }: TestApp): Promise<RawConnection> {
  const accepted = once(publicPort.server, 'connection')
  const connection = new RawConnection(port)
  await accepted
  return connection
}

describe('a port with as many connections as the limit allows', () => {
  it('closes the longest idle connection for each new one', async () => {
    await using app = await startKeyed({ maxConnections: 4 })
    const busy = await connected(app)
    const first = await connected(app)
    const second = await connected(app)
    const third = await connected(app)
    const begun = once(app.publicPort.server, 'request')
    busy.send(app.create.slice(0, -1))
    await begun
    assertWhole((await first.send(app.list).answers(1))[0], 200)
    const more = [await connected(app), await connected(app)]
    await Promise.all([second.closed, third.closed])
    assertWhole((await first.send(app.list).answers(2))[1], 200)
    assertWhole((await busy.send(app.create.slice(-1)).answers(1))[0], 201)
    for (const connection of more) assertWhole((await connection.send(app.list).answers(1))[0], 200)
    for (const connection of [busy, first, second, third, ...more]) connection[Symbol.dispose]()
    assert.equal(app.log().match(/4 connections are open.*closes the one that has been idle longest/g)?.length, 1)
  })

  it('closes it over TLS, also before the handshake', async () => {
    await using app = await startApp({ maxConnections: 2, tls: newCertificate() })
    const silent = [await connected(app), await connected(app)]
    const last = await connected(app)
    await silent[0]?.closed
    for (const connection of [...silent, last]) connection[Symbol.dispose]()
  })

  it('serves new clients although idle ones hold more descriptors than the limit', async () => {
    const launcher = ['/bin/sh', '-c', 'ulimit -n 256; exec "$@"', 'sh'] as const
    await using service = await startService({ operatorPort: 'none', launcher })
    const { port: text } = new URL(service.baseUrl)
    const port = Number(text)
    const idle = Array.from({ length: 400 }, () => new RawConnection(port))
    await Promise.all(idle.map(({ socket, closed }) => Promise.race([once(socket, 'connect'), closed])))
    await until('some are closed', () => idle.some(({ socket }) => socket.readableEnded || socket.destroyed))
    for (let n = 0; n < 20; n += 1) {
      const [answer] = await exchange(port, 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      assertWhole(answer, 401)
    }
    assert.equal(service.output().match(/closes the one that has been idle longest/g)?.length, 1)
    for (const connection of idle) connection[Symbol.dispose]()
  })
})

describe('incomplete headers', () => {
  const idle = (name: string, remoteAddress: string, bytes: number) => ({
    name,
    socket: { remoteAddress, bytesRead: 50 + bytes },
    readBefore: 50,
  })
  const closed = (...connections: readonly ReturnType<typeof idle>[]) =>
    beyond(connections, { all: 100, ofAddress: 60 }).map(({ name }) => name)

  it('close the oldest connections that have sent some, if they exceed a limit in bytes', () => {
    const rows = [
      [closed(idle('a', '::1', 60), idle('b', '::2:0:0:0:1', 40)), []],
      [closed(idle('a', '::1', 20), idle('b', '::1', 20), idle('c', '::1', 30)), ['a']],
      [closed(idle('a', '192.0.2.1', 0), idle('b', '192.0.2.1', 50), idle('c', '192.0.2.2', 51)), ['b']],
      [closed(idle('a', '2001:db8::1', 40), idle('b', '2001:db8::2', 40)), ['a']],
    ]
    for (const [got, wanted] of rows) assert.deepEqual(got, wanted)
  })
})
