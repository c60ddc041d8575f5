/** Bodies that nobody will use (O22), in pieces as node's parser hands them over, and an address that floods. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { newCertificate } from '../../support/certificate.ts'
import { assertWhole, BODY, createBytes, exchange, RawConnection, statusesOf } from '../../support/http.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'
import { until } from '../../support/until.ts'

const CHUNKED = 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
const ONE = '1\r\na\r\n'
const chunked = (body: string, length: number) =>
  `${(body.match(new RegExp(`.{1,${length}}`, 'gs')) ?? []).map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`
/** What one read brings at most. */
const READ_BYTES = 65_536
const SLICE_CHUNKS = 1_024 / ONE.length
/** Of what comes after an answer so much is dropped, and then nothing is read. */
const DROPPED_BYTES = 131_072

let app: TestApp
let clock: VirtualClock
let key: string
/** The pieces of bodies that node's parser has handed over. */
let pieces: number
let sockets: Socket[]

before(async () => {
  clock = new VirtualClock()
  app = await startApp({ clock })
  key = `Authorization: Bearer ${await app.issue()}\r\n`
  app.publicPort.server.on('connection', (socket: Socket) => sockets.push(socket))
  app.publicPort.server.prependListener('request', (request) => {
    const { push } = request
    request.push = (piece, encoding) => {
      pieces += piece === null ? 0 : 1
      return push.call(request, piece, encoding)
    }
  })
})
after(() => app[Symbol.asyncDispose]())
beforeEach(() => {
  pieces = 0
  sockets = []
})

/** Sends so many chunks that what comes from this address is sliced from then on. */
async function flood(): Promise<void> {
  assertWhole((await exchange(app.port, `${CHUNKED}\r\n${ONE.repeat(200)}`))[0], 401)
}

/** The service's ends of these connections. Another process can look at its port for an earlier server. */
function endsOf(...connections: readonly RawConnection[]): Socket[] {
  const ports = connections.map(({ socket }) => socket.localPort)
  return sockets.filter(({ remotePort }) => ports.includes(remotePort))
}

describe('a request that is refused before its body has arrived', () => {
  it('is answered, and its connection ends without reading all of the rest (O22)', async () => {
    await flood()
    for (const [head, status] of [
      [`${CHUNKED}\r\n`, 401],
      [`${CHUNKED}${key}Expect: other\r\n\r\n`, 417],
      [`${CHUNKED}${key}\r\n`.replace('/pets', '/none'), 404],
      [`${CHUNKED}${key}\r\n`.replace('POST', 'PUT'), 405],
      [`${CHUNKED}${key}\r\n`.replace('POST', 'GET'), 200],
      [`${CHUNKED}${key}\r\n`.replace('json', 'xml'), 415],
      [
        `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\nContent-Length: 9999999\r\n\r\n`,
        413,
      ],
    ] as const) {
      pieces = 0
      using connection = new RawConnection(app.port)
      connection.send(head + ONE.repeat(1_000_000))
      const [answer, ...more] = await connection.answers(Infinity)
      assertWhole(answer, status)
      assert.equal(answer.headers.connection, 'close')
      assert.deepEqual(more, [])
      assert(pieces <= SLICE_CHUNKS, `${pieces} pieces of ${status}`)
      const [socket] = endsOf(connection)
      assert(socket !== undefined && !socket.destroyed, 'time to read it')
      await until('no more is read', () => socket.isPaused())
      assert(socket.bytesRead <= DROPPED_BYTES + 4 * READ_BYTES, `${socket.bytesRead} bytes`)
      clock.pass(1_000)
      assert(socket.destroyed)
    }
  })

  it('gets its response also if the client sends everything before it reads', async () => {
    await using secure = await startApp({ tls: newCertificate() })
    for (const [port, isSecure] of [
      [app.port, false],
      [secure.port, true],
    ] as const) {
      using client = new RawConnection(port, isSecure)
      await client.sendApart(`${CHUNKED}\r\n`)
      for (let sent = 0; sent < 20; sent += 1) await client.sendApart(ONE.repeat(1_000))
      client.finish()
      assert.equal((await client.answer(false, 30_000))?.status, 401)
      assert(await client.hasEnded(30_000))
    }
    await until('all are closed', () => sockets.every(({ destroyed }) => destroyed))
  })

  it('keeps its connection if the whole body came with it', async () => {
    using connection = new RawConnection(app.port)
    const create = `${CHUNKED}${key}\r\n${chunked(BODY, 5)}`
    connection.send(`${CHUNKED}\r\n${ONE.repeat(100)}0\r\n\r\n`)
    for (let count = 1; count < 30; count += 2) {
      const [refused] = (await connection.answers(count)).slice(-1)
      assertWhole(refused, 401)
      assert.equal(refused.headers.connection, 'keep-alive')
      assertWhole((await connection.send(create).answers(count + 1)).at(-1), 201)
      connection.send(createBytes('Host: x\r\n'))
    }
    const many = Array.from({ length: 40 }, () => new RawConnection(app.port))
    await until('all are accepted', () => endsOf(...many).length === many.length)
    for (const each of many) each.send(createBytes('Host: x\r\n'))
    for (const each of many) {
      assert.equal((await each.answers(1))[0]?.headers.connection, 'keep-alive')
      each[Symbol.dispose]()
    }
  })

  it('ends its connection if the body has too many chunks', async () => {
    const [answer, ...more] = await exchange(app.port, `${CHUNKED}\r\n${ONE.repeat(2_000)}0\r\n\r\n${createBytes(key)}`)
    assertWhole(answer, 401)
    assert.deepEqual(more, [])
  })
})

it('an address that floods is served a slice in each turn of the event loop, for a minute', async () => {
  await flood()
  const body = BODY.replace('"x"', `"${'x'.repeat(60_000)}"`)
  const create = createBytes(`Host: x\r\n${key}`, body)
  using connection = new RawConnection(app.port)
  for (let count = 1; count < 4; count += 1) {
    assertWhole((await connection.send(create).answers(count)).at(-1), 201)
  }
  clock.pass(60_000)
  pieces = 0
  using other = new RawConnection(app.port)
  assertWhole((await other.send(create).answers(1))[0], 201)
  assert(pieces <= 3, `${pieces} pieces: as node reads them`)
})

it('another client at an address that floods is served although 200 connections wait for their turn', async () => {
  await flood()
  const many = Array.from({ length: 200 }, () => new RawConnection(app.port))
  using small = new RawConnection(app.port)
  await until('all are accepted', () => endsOf(...many, small).length === many.length + 1)
  for (const each of many) each.send(`${CHUNKED}\r\n${ONE.repeat(10_000)}`)
  assertWhole((await small.send(`GET /v1/pets HTTP/1.1\r\nHost: x\r\n${key}\r\n`).answers(1))[0], 200)
  for (const each of many) each[Symbol.dispose]()
})

describe('a body that is used', () => {
  const create = (length: number, size: number) => {
    const body = BODY.replace('"x"', `"${'x'.repeat(size)}"`)
    return exchange(app.port, `${CHUNKED}${key}Connection: close\r\n\r\n${chunked(body, length)}`)
  }

  it('can have small chunks, and gets 413 if they are thousands', async () => {
    for (const [length, size] of [
      [1, 50],
      [8, 1_000],
      [200, 60_000],
      [16_384, 60_000],
    ] as const) {
      assertWhole((await create(length, size))[0], 201)
    }
    await flood()
    pieces = 0
    const [refused] = await create(1, 60_000)
    assertWhole(refused, 413, 'payload_too_large')
    assert.equal(refused.headers.connection, 'close')
    assert(pieces <= SLICE_CHUNKS, `${pieces} pieces`)
  })

  it('is not read before the key is checked, except what came with the headers', async (t) => {
    const { requests } = app.store
    const { findKey } = requests
    const looked = Promise.withResolvers<void>()
    const known = Promise.withResolvers<void>()
    await flood()
    pieces = 0
    t.mock.method(requests, 'findKey', async (hash: string) => {
      looked.resolve()
      await known.promise
      return findKey(hash)
    })
    const rest = BODY.replace('"x"', `"${'x'.repeat(65_000)}"`)
    using chunks = new RawConnection(app.port)
    chunks.send(`${CHUNKED}${key}\r\n${ONE.repeat(100_000)}`)
    using whole = new RawConnection(app.port)
    whole.send(createBytes(`Host: x\r\n${key}`).replace(String(BODY.length), String(rest.length)).replace(BODY, ''))
    await looked.promise
    whole.send(rest.slice(0, 20_000))
    const held = () => endsOf(chunks, whole)
    await until('both have come', () => held().length === 2 && held().every((socket) => socket.isPaused()))
    whole.send(rest.slice(20_000))
    await app.call({})
    for (const { bytesRead } of held()) assert(bytesRead <= 2 * READ_BYTES, `${bytesRead} bytes`)
    assert(pieces <= 2 * SLICE_CHUNKS, `${pieces} pieces`)
    known.resolve()
    assertWhole((await chunks.answers(1))[0], 413)
    assertWhole((await whole.answers(1))[0], 201)
  })
})

it('requests that do not wait for responses are answered up to a hundred, and then the connection ends', async () => {
  clock.pass(60_000) // so that what comes from here is not sliced
  const begun = once(app.publicPort.server, 'request')
  using connection = new RawConnection(app.port)
  const small = `${CHUNKED}\r\n${ONE}0\r\n\r\n`
  connection.send(`GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n${small.repeat(2_000)}`)
  await begun
  const answers = await connection.answers(Infinity)
  assert.deepEqual(new Set(statusesOf(answers)), new Set([401]))
  assert.equal(answers.length, 101)
  assert.equal(answers.at(-1)?.headers.connection, 'close')
  const [socket] = endsOf(connection)
  assert(Number(socket?.bytesRead) <= 2 * READ_BYTES, `${socket?.bytesRead} bytes`)
})
