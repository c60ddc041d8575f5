/**
 * A request line that arrives in two pieces is the line that it is in one: whether it is HTTP, whether its method is
 * known, and whether it is a request line at all do not depend on where the network cuts it (O23).
 */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { socketsOf } from '../../../src/http/listener.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { assertWhole, BODY, exchange, RawConnection } from '../../support/http.ts'
import { VirtualClock } from '../../support/time/virtual-clock.ts'

/** What is not read in this time is not read. */
const PATIENCE_MS = 5_000

let app: TestApp
let auth: string
/** The connections as the service has them. */
let sockets: ReadonlySet<Socket>
before(async () => {
  app = await startApp({ timeouts: { headersMs: 300_000, requestMs: 300_000, unreadMs: 300_000 } })
  auth = `Host: x\r\nAuthorization: Bearer ${await app.issue()}\r\n`
  sockets = socketsOf(app.publicPort.server, 'connection')
})
after(() => app[Symbol.asyncDispose]())

/** The statuses of all answers to the pieces, each sent when the service has read those before it. */
async function statusesOf(pieces: readonly string[]): Promise<number[]> {
  using connection = new RawConnection(app.port)
  connection.socket.setNoDelay(true)
  let sent = 0
  let at: Socket | undefined
  for (const piece of pieces) {
    connection.send(piece)
    sent += piece.length
    const sinceMs = performance.now()
    while ((at?.bytesRead ?? 0) < sent && at?.destroyed !== true) {
      await new Promise(setImmediate)
      at ??= [...sockets].find(({ remotePort }) => remotePort === connection.socket.localPort)
      assert(performance.now() - sinceMs < PATIENCE_MS, `“${piece}” is not read`)
    }
    // What was read is parsed in the same turn, and answered in the next.
    await new Promise(setImmediate)
  }
  const answers = await connection.answers(Infinity)
  for (const answer of answers) assertWhole(answer, answer.status)
  return answers.map(({ status }) => status)
}

/** The target is short, so that there are few places to cut at. */
const LINES: readonly (readonly [string, number])[] = [
  ['GET / HTTP/1.1', 404],
  ['GET / HTTP/1.0', 404],
  ['GET /?RTSP/1.0 HTTP/1.1', 404],
  ['SOURCE / HTTP/1.1', 404],
  ['GET / RTSP/1.0', 400],
  ['GET / RTSP/1.1', 400],
  ['OPTIONS * RTSP/1.0', 400],
  ['SOURCE / ICE/1.0', 400],
  ['GET / HTTP/2.0', 400],
  ['FOO / HTTP/1.1', 501],
  ['GETT / HTTP/1.0', 501],
  ['get / HTTP/1.1', 501],
  ['DESCRIBE / HTTP/1.1', 501],
  ["!#$%&'*+.^_`|~-9 / HTTP/1.1", 501],
  ['CONNECT x:1 HTTP/1.1', 501],
  ['FOO / HTTP/2.0', 400],
  ['FOO / HTTP/1.2', 400],
  ['FOO / HTTPS/1.1', 400],
  ['FOO /', 400],
  ['FOO  / HTTP/1.1', 400],
  ['FOO / / HTTP/1.1', 400],
  ['F(O / HTTP/1.1', 400],
  ['FOO / HTTP/1.1 ', 400],
]

/** A request before the line: its bytes, and where they are cut so that the rest comes with the line. */
interface Before {
  readonly bytes: string
  readonly cut: number
  readonly statuses: readonly number[]
}

function createChunked(body: string): string {
  return `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
}

function creating(body: string, isApart: boolean): Before {
  const head = `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  return { bytes: head + body, cut: isApart ? head.length + 9 : 0, statuses: [201] }
}

describe('a request line that arrives in two pieces', () => {
  const long = BODY.replace('x', 'x'.repeat(1_100)).replaceAll(',', ',\r\n\r\n')
  const befores: Readonly<Record<string, () => Before>> = {
    'at the beginning of a connection': () => ({ bytes: '', cut: 0, statuses: [] }),
    'behind a body': () => creating(BODY, false),
    'behind the rest of a long body with blank lines': () => creating(`${long}\r\n`, true),
    'behind the rest of the last chunk of a body': () => {
      const chunked = createChunked(BODY)
      return { bytes: chunked, cut: chunked.length - 9, statuses: [201] }
    },
  }
  for (const [where, before] of Object.entries(befores)) {
    it(`${where} is what it is in one`, async () => {
      const { bytes, cut, statuses } = before()
      const wrong: string[] = []
      for (const [line, status] of LINES) {
        const request = `${line}\r\n${auth}Connection: close\r\n\r\n`
        for (let at = 0; at <= line.length + 4; at += 1) {
          const pieces = [bytes.slice(0, cut), bytes.slice(cut) + request.slice(0, at), request.slice(at)]
          const said = await statusesOf(pieces.filter((piece) => piece !== ''))
          if (said.join() !== [...statuses, status].join()) wrong.push(`${line} cut at ${at}: ${said}`)
        }
      }
      assert.deepEqual(wrong, [])
    })
  }

  it('behind empty lines is what it is without them, in three pieces too (RFC 9112 2.2)', async () => {
    const wrong: string[] = []
    for (const [line, status] of LINES) {
      const request = `${line}\r\n${auth}Connection: close\r\n\r\n`
      for (let at = 0; at <= line.length; at += 1) {
        const pieces = [`\r\n\r\n${request.slice(0, at)}`, request.slice(at, at + 1), request.slice(at + 1)]
        const said = await statusesOf(pieces)
        if (said.join() !== `${status}`) wrong.push(`${line} cut at ${at}: ${said}`)
      }
    }
    assert.deepEqual(wrong, [])
  })

  it('behind a head whose end is cut is what it is in one, and what a field says is no request line', async () => {
    const field = 'X: GET / HTTP/1.1\r\n'
    const head = `GET / HTTP/1.1\r\n${field}${auth}${field}\r\n`
    const begun = head.indexOf(auth) + 5
    const wrong: string[] = []
    for (const line of ['SOURCE / HTTP/1.1', 'SOURCE / ICE/1.0', 'GET / RTSP/1.0', 'FOO / HTTP/1.1']) {
      const status = new Map(LINES).get(line)
      const request = `${line}\r\n${auth}Connection: close\r\n\r\n`
      for (let end = head.length - 4; end < head.length; end += 2) {
        for (let at = 0; at <= line.length + 2; at += 1) {
          const [first, second] = [request.slice(0, at), request.slice(at)]
          for (const pieces of [
            [head.slice(0, begun), head.slice(begun, end), head.slice(end) + first, second],
            [head + first, second.slice(0, 1), second.slice(1)],
          ]) {
            const said = await statusesOf(pieces)
            if (said.join() !== `404,${status}`) wrong.push(JSON.stringify({ pieces, said }))
          }
        }
      }
    }
    assert.deepEqual(wrong, [])
  })
})

describe('requests that are most likely HTTP', () => {
  it('are looked at a thousand times a second, and all others always', async () => {
    const clock = new VirtualClock()
    await using app = await startApp({ clock })
    const ask = async (line: string, before = '') => {
      const answers = await exchange(app.port, `${before}${line}\r\nHost: x\r\nConnection: close\r\n\r\n`)
      return answers.at(-1)?.status
    }
    const usual = 'GET / HTTP/1.1\r\nHost: x\r\n\r\nPOST / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(49)
    const others = 'PUT / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'
    for (const second of [1, 2]) {
      for (let round = 0; round < 10; round += 1) assert.equal(await ask('GET / HTTP/1.1', usual + others), 401)
      for (let more = 0; more < 9; more += 1) assert.equal(await ask('GET / RTSP/1.1'), 400, `in second ${second}`)
      clock.pass(999)
      assert.equal(await ask('POST / RTSP/1.1'), 400, 'the thousandth')
      assert.equal(await ask('GET / RTSP/1.1'), 401, 'there is no such protocol')
      assert.equal(await ask('GET / HTTP/1.1'), 401)
      for (const line of ['GET / RTSP/1.0', 'OPTIONS * RTSP/1.1', 'SOURCE / ICE/1.1'])
        assert.equal(await ask(line), 400)
      clock.pass(1)
    }
  })
})
