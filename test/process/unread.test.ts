/**
 * What clients that do not read may cost the others, on the real process: time and room, by answer and by page (O19).
 */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { assertWhole, call, RawConnection } from '../support/http.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const SCRIPT = '/reference/scalar.js'
const GET_SCRIPT = `GET ${SCRIPT} HTTP/1.1\r\nHost: x\r\n\r\n`
/** As the service promises, in ms. */
const UNREAD_MS = 30_000
/** How much later than that a busy machine may be; node's own timer of a socket takes twice the time. */
const LATE_MS = 25_000

/** A service that holds a list of 6 MB. */
async function startWithLargeList(args: readonly string[]) {
  const service = await startService({ args })
  const port = service.port
  const { key } = await service.issueKey()
  const body = `{"name":"${'x'.repeat(60_000)}","categoryId":1}`
  for (let i = 0; i < 100; i += 1) assertWhole(await call(port, { method: 'POST', key, body }), 201)
  return { service, port, key }
}

describe('downloads of pages that nobody reads', () => {
  it('take no room from large lists, and one address takes no page from others', async () => {
    const { service, port, key } = await startWithLargeList(['--pages'])
    await using _ = service
    assert.equal((await call(port, { path: SCRIPT })).status, 200)
    const connections = Array.from({ length: 40 }, () => {
      const connection = new RawConnection(port)
      connection.socket.pause()
      return connection.send(GET_SCRIPT.repeat(20)) // the first answers go into the buffers of the system
    })
    await until('this address has used up what it may', async () => {
      const { status, headers } = await call(port, { path: SCRIPT })
      if (status === 503) assert.match(String(headers['retry-after']), /^[1-9]\d*$/)
      return status === 503
    })
    for (let i = 0; i < 5; i += 1) assertWhole(await call(port, { key, path: '/v1/pets?limit=100' }), 200)
    const other = await fromOtherAddress(port)
    assert.match(other, /^HTTP\/1\.1 200 /)
    for (const connection of connections) connection[Symbol.dispose]()
    await until('what the address held is free again', async () => (await call(port, { path: SCRIPT })).status === 200)
  })
})

/** The beginning of the answer to the script from another address of this machine. */
function fromOtherAddress(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
    socket.setEncoding('latin1').once('data', (text: string) => {
      resolve(text)
      socket.destroy()
    })
    socket.on('error', reject)
    socket.write(GET_SCRIPT)
  })
}

describe('a peer that does not read', () => {
  it('is cut 30 s after the last byte that it took, also while it goes on asking', async () => {
    const { service, port, key } = await startWithLargeList([])
    await using _ = service
    const list = `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
    const startMs = performance.now()
    const socket = connect({ port, host: '127.0.0.1' }).pause()
    const cut = closed(socket)
    socket.write(list.repeat(20))
    // Asking is no reading; and only what is sent to a connection that is cut tells that it is.
    const asking = setInterval(() => socket.write('\r\n'), 250)
    await cut
    clearInterval(asking)
    const tookMs = performance.now() - startMs
    assert(tookMs > UNREAD_MS && tookMs < UNREAD_MS + LATE_MS, `${Math.round(tookMs)} ms`)
  })
})

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.on('error', () => {}).on('close', () => resolve()))
}
