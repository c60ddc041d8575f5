/** What someone without a session can make the operator port use up, on the real process from outside. */
import assert from 'node:assert/strict'
import { readdirSync, readlinkSync } from 'node:fs'
import { describe, it } from 'node:test'
import { call, RawConnection } from '../support/http.ts'
import { enterOffice } from '../support/office-client.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const MIB = 1 << 20

function head(path: string, length: number): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
}

const onLinux = { skip: process.platform !== 'linux' && 'reads /proc' }

describe('a stranger', () => {
  it('is answered 404 before the body, with and without the office, and is not listened to for long', async () => {
    for (const args of [['--office'], []]) {
      await using service = await startService({ args })
      using connection = new RawConnection(service.operatorPort)
      const [answer] = await connection.send(head('/none', MIB)).answers(1)
      assert.equal(answer?.status, 404)
      await connection.closed
    }
  })

  it('is answered on the same connection again where a small body follows its refusal', async () => {
    await using service = await startService({ args: ['--office'] })
    using connection = new RawConnection(service.operatorPort)
    await connection.send(head('/none', 20_000)).answers(1)
    const [, second] = await connection
      .send('x'.repeat(20_000))
      .send('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n')
      .answers(2)
    assert.equal(second?.status, 200)
  })

  it('may send a few KiB to the routes that are for anyone', async () => {
    await using service = await startService({ args: ['--office'] })
    for (const path of ['/api/session', '/api/invitation', '/api/invitation/look']) {
      using connection = new RawConnection(service.operatorPort)
      const [answer] = await connection.send(head(path, 8_193)).answers(1)
      assert.equal(answer?.status, 413, path)
    }
  })

  it('is asked to return later under load, and takes nothing from people who are signed in', async () => {
    await using service = await startService({ args: ['--office'] })
    const port = service.operatorPort
    const ada = await enterOffice(service, 'manager')
    const connections = Array.from({ length: 100 }, () => new RawConnection(port).send(head('/api/session', 8_192)))
    const beyond = new RawConnection(port).send(head('/api/session', 8_192))
    const [answer] = await beyond.answers(1)
    assert.deepEqual([answer?.status, answer?.headers['retry-after']], [503, '1'])
    // Another address has a room of its own.
    const { status } = await call(port, {
      method: 'POST',
      path: '/api/session',
      localAddress: '127.0.0.2',
      body: '{}',
      headers: { origin: `http://127.0.0.1:${port}` },
    })
    assert.equal(status, 400)
    assert.equal((await ada.ask('PUT', '/api/categories', { names: [{ id: '7', label: 'Cats' }] })).status, 200)
    for (const connection of [...connections, beyond]) connection[Symbol.dispose]()
    await until('there is room again', async () => {
      using connection = new RawConnection(port)
      const [again] = await connection.send(`${head('/api/session', 2)}{}`).answers(1)
      return again?.status === 400
    })
  })

  it('closes a rejected connection even if the client sends nothing more', onLinux, async () => {
    await using service = await startService({ args: ['--office'] })
    const sockets = () => {
      const folder = `/proc/${service.process.pid}/fd`
      const targets = readdirSync(folder).map((fd) => {
        try {
          return readlinkSync(`${folder}/${fd}`)
        } catch {
          return '' // closed meanwhile
        }
      })
      return targets.filter((target) => target.startsWith('socket:')).length
    }
    const before = sockets()
    using connection = new RawConnection(service.operatorPort)
    const [answer] = await connection.send('GARBAGE\r\n\r\n').answers(1)
    assert.equal(answer?.status, 400)
    await until('the process has let it go', () => sockets() <= before)
  })
})
