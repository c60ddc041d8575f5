/** What holds a connection up, and what may then be waiting: half-sent bodies, slow writes, requests that break off. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Departures } from '../../../src/http/connections.ts'
import { Held } from '../../../src/http/held.ts'
import { startApp } from '../../support/app.ts'
import { assertWhole, BODY, createBytes, exchange, RawConnection } from '../../support/http.ts'

const LONG_MS = 300_000

describe('bodies that are still arriving', () => {
  it('may take as much room as they can come to, also without a length; beyond it 503, and then again 201 (O19)', async () => {
    await using app = await startApp({ heldBytes: 100_000, bodyLimit: 65_536 })
    const auth = `Host: x\r\nAuthorization: Bearer ${await app.issue()}\r\nContent-Type: application/json\r\n`
    const chunked = `POST /v1/pets HTTP/1.1\r\n${auth}Transfer-Encoding: chunked\r\n`
    const all = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
    using first = new RawConnection(app.port)
    first.send(`${chunked}Expect: 100-continue\r\n\r\n`)
    assert.equal((await first.answers(1))[0]?.status, 100, 'its body is waited for')
    assertWhole((await exchange(app.port, `${chunked}Connection: close\r\n\r\n${all}`))[0], 503, 'unavailable')
    assertWhole((await first.send(all).answers(2))[1], 201)
    assertWhole((await exchange(app.port, `${chunked}Connection: close\r\n\r\n${all}`))[0], 201)
  })
})

describe('the room for what is held', () => {
  it('is that of the limit, and of one thing of any size while nothing else is held (O19)', () => {
    const held = new Held(100)
    assert(held.take(60) && held.take(40))
    assert(!held.take(1))
    assert.equal(held.hold(1), undefined)
    held.give(60)
    const give = held.hold(60)
    assert(give !== undefined && !held.take(1))
    give()
    held.give(40)
    assert(held.take(1_000))
    assert(!held.take(0), 'and nothing beside it')
    held.give(1_000)
    assert(held.take(0) && held.take(1_000), 'what takes no room holds nothing up')
  })
})

describe('responses that leave', () => {
  it('together with those of the same turn of the event loop, of which there are sixteen at most', async () => {
    const departures = new Departures()
    const left: number[] = []
    const add = (count: number) => {
      for (let n = 0; n < count; n += 1) departures.add(() => left.push(n))
    }
    add(15)
    assert.equal(left.length, 0)
    add(1)
    assert.equal(left.length, 16)
    add(2)
    assert.equal(left.length, 16)
    await new Promise(setImmediate)
    assert.deepEqual(left.slice(16), [0, 1])
    add(1)
    departures.leave()
    assert.equal(left.length, 19)
  })

  it('each in a turn of its own if it is large', async () => {
    const departures = new Departures()
    const turns: number[] = []
    let turn = 0
    for (let n = 0; n < 3; n += 1) departures.addLarge(() => turns.push(turn))
    for (; turn < 6; turn += 1) await new Promise(setImmediate)
    assert.equal(new Set(turns).size, 3)
  })
})

describe('requests that wait for each other', () => {
  it('are all answered before one that breaks off behind them, however slow the writes are (R15)', async () => {
    await using app = await startApp({ timeouts: { headersMs: 200, requestMs: LONG_MS, unreadMs: LONG_MS } })
    const auth = `Host: x\r\nAuthorization: Bearer ${await app.issue()}\r\n`
    const { pets } = app.store
    const create = pets.create.bind(pets)
    const asked = Promise.withResolvers<void>()
    const told = Promise.withResolvers<void>()
    let creations = 0
    pets.create = async (pet, keyId) => {
      creations += 1
      if (creations === 2) {
        asked.resolve()
        await told.promise
      }
      return create(pet, keyId)
    }
    const refused = new Promise((resolve) => app.publicPort.server.once('clientError', resolve))
    using connection = new RawConnection(app.port)
    connection.send(`${createBytes(auth).repeat(2)}GET /v1/none HTTP/1.1\r\n${auth}\r\nGET /v1/pets HT`)
    await Promise.all([asked.promise, refused])
    told.resolve()
    const answers = await connection.answers(Infinity)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 404, 408],
    )
  })
})

describe('garbage behind a request that is not answered yet', () => {
  it('is answered behind it, also when the client has closed its side (R15)', async () => {
    await using app = await startApp()
    const auth = `Host: x\r\nAuthorization: Bearer ${await app.issue()}\r\n`
    for (const garbage of ['GARBAGE\r\n\r\n', 'GET /v1/pets HTTP/1.1\r\n: x\r\n\r\n']) {
      using connection = new RawConnection(app.port)
      connection.send(createBytes(auth) + garbage).socket.end()
      const answers = await connection.answers(Infinity)
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 400],
      )
      for (const answer of answers) assertWhole(answer, answer.status)
    }
  })
})

describe('a page that the client has already', () => {
  it('gets 304 without the type or the length of a body (RFC 9110 15.4.5), and with the limit headers (R15)', async () => {
    const answer = { status: 304, body: new Uint8Array(), contentType: 'text/html', headers: ['ETag', '"x"'] }
    await using app = await startApp({ pages: { has: (path) => path === '/page', get: () => answer } })
    const { status, headers } = await app.call({ path: '/page' })
    assert.equal(status, 304)
    assert.equal(headers.etag, '"x"')
    assert.equal(headers['content-type'] ?? headers['content-length'], undefined)
    assert.match(String(headers['x-ratelimit-remaining']), /^\d+$/)
  })
})
