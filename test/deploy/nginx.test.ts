/** The real nginx with deploy/nginx.conf: its own responses, creates without a response, and clients that keep connections busy. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, call, message, RawConnection, remaining } from '../support/http.ts'
import { type RunningService, startService } from '../support/service.ts'
import { inOneMinute, until } from '../support/until.ts'
import { nginxNeeded, startNginx, type TestNginx } from './nginx.ts'

const UNKNOWN = 'The service cannot tell whether this was done; check before you try again.'
const TOO_MANY = 'This address has too many requests under way; try again.'
const NOTHING_DONE = 'No node can answer at the moment; try again.'

/** The response to these bytes on a new connection. */
async function answerTo(port: number, request: string): Promise<Answer> {
  using connection = new RawConnection(port)
  const [answer] = await connection.send(request).answers(1)
  return answer ?? assert.fail('no answer')
}

const requestOf = (line: string, fields = '') => `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields}\r\n`

describe('nginx before a node', nginxNeeded, () => {
  let service: RunningService
  let nginx: TestNginx
  let authorization: string

  before(async () => {
    service = await startService({ args: ['--trust-proxy', '127.0.0.1'], operatorPort: 'none' })
    const { key } = await service.issueKey('enterprise', { perMinute: 10_000, perDay: 100_000 })
    authorization = `Authorization: Bearer ${key}\r\n`
    nginx = await startNginx([new URL(service.baseUrl).host])
  })
  after(async () => {
    await nginx?.stop()
    await service?.stop()
  })

  it('answers as a node does, with the limit headers and no-store (R15, O18, O23)', async () => {
    for (const [request, status] of [
      ['NONSENSE\r\n\r\n', 400],
      ['GET /v1/pets HTTP/1.1\r\n\r\n', 400],
      ['GET /v1/pets HTTP/2.0\r\n\r\n', 400],
      [requestOf('GET /v1/pets/%zz', authorization), 400],
      [requestOf('GET /v1/pets/%00', authorization), 404],
      [requestOf('GET /v1/../../pets', authorization), 404],
      [requestOf('GET /../own-answer', authorization), 404],
      [requestOf('GET /%2e%2e/malformed', authorization), 404],
      [requestOf(`GET /v1/pets?${'x'.repeat(40_000)}`, authorization), 414],
      [requestOf('GET /v1/pets', `X: ${'x'.repeat(40_000)}\r\n`), 431],
      [requestOf('CONNECT a:80', authorization), 501],
      [requestOf('POST /v1/pets', 'Transfer-Encoding: gzip\r\n'), 501],
    ] as const) {
      const answer = await answerTo(nginx.port, request)
      const what = request.slice(0, 40)
      assert.equal(answer.status, status, what)
      assert.equal(answer.headers['cache-control'], 'no-store', what)
      assert.match(String(answer.headers['x-ratelimit-limit']), /^(?:60|10000)$/, what)
      const resetS = Number(answer.headers['x-ratelimit-reset'])
      assert.ok(Math.abs(resetS - Date.now() / 1000) <= 60, what)
    }
  })

  it('lets a node answer TRACE, with the methods of the path, and every path (O23)', async () => {
    const absent = await answerTo(nginx.port, requestOf('GET //own-answer', authorization))
    assert.equal(message(absent), 'There is nothing at this path.')
    const { status, headers } = await answerTo(nginx.port, requestOf('TRACE /v1/pets', authorization))
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD, POST'])
  })

  it('passes the client’s own address on, and a forged one not (O14)', async () => {
    const left = async (fields: string) => remaining(await answerTo(nginx.port, requestOf('GET /v1/pets', fields)))
    const [first = 0, second] = await inOneMinute(async () => [
      await left('X-Forwarded-For: 198.51.100.7\r\n'),
      await left('X-Forwarded-For: 198.51.100.8\r\n'),
    ])
    assert.equal(second, first - 1)
  })

  it('serves one address while another has more than 100 requests under way, which are answered 503 (O23)', async () => {
    const unfinished = `${requestOf('POST /v1/pets', `${authorization}Content-Length: 9\r\n`)}{`
    const held = Array.from({ length: 100 }, () => new RawConnection(nginx.port).send(unfinished))
    try {
      const list = () => answerTo(nginx.port, requestOf('GET /v1/pets', authorization))
      await until('the address is over its limit', async () => (await list()).status === 503)
      const refused = await list()
      assert.deepEqual([message(refused), refused.headers['retry-after']], [TOO_MANY, '1'])
      const other = get({ port: nginx.port, path: '/v1/pets', host: '127.0.0.1', localAddress: '127.0.0.2' })
      const [{ statusCode }]: [IncomingMessage] = (await once(other, 'response')) as [IncomingMessage]
      assert.equal(statusCode, 401)
    } finally {
      for (const connection of held) connection.socket.destroy()
    }
  })

  it('refuses a body before it comes, and one of chunks that is too large', async () => {
    const declared = requestOf('POST /v1/pets', 'Content-Length: 2147483648\r\n')
    const fields = `${authorization}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n`
    const chunked = `${requestOf('POST /v1/pets', fields)}20000\r\n${'x'.repeat(131_072)}`
    for (const request of [declared, chunked]) {
      const { status, headers } = await answerTo(nginx.port, request)
      assert.deepEqual([status, headers['cache-control']], [413, 'no-store'])
    }
  })
})

describe('a create behind nginx', nginxNeeded, () => {
  /** The response if the only node treats each request like this. */
  async function answered(method: string, node: RequestListener): Promise<Answer & { requests: number }> {
    let requests = 0
    const server = createServer((request, response) => {
      requests += 1
      node(request, response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const nginx = await startNginx([`127.0.0.1:${(server.address() as AddressInfo).port}`])
    try {
      const answer = await call(nginx.port, { method, ...(method === 'POST' && { body: '{}' }) })
      return { ...answer, requests }
    } finally {
      await nginx.stop()
      server.closeAllConnections()
      server.close()
    }
  }

  it('gets a 503 that says so if a node accepted it and did not respond (O23)', async () => {
    const create = await answered('POST', (request) => request.socket.destroy())
    assert.deepEqual([create.status, message(create), create.requests], [503, UNKNOWN, 1])
    assert.match(String(create.headers['retry-after']), /^\d+$/)
    const list = await answered('GET', (request) => request.socket.destroy())
    assert.deepEqual([list.status, message(list)], [503, NOTHING_DONE])
  })

  it('gets a 503 that says to try again if it reached no node', async () => {
    const nginx = await startNginx(['127.0.0.1:1', '127.0.0.1:2'])
    try {
      const create = await answerTo(nginx.port, `${requestOf('POST /v1/pets', 'Content-Length: 2\r\n')}{}`)
      assert.deepEqual([create.status, message(create)], [503, NOTHING_DONE])
    } finally {
      await nginx.stop()
    }
  })

  it('waits as long as the node allows', async () => {
    const slow: RequestListener = (_, response) => {
      void sleep(2_000).then(() => response.writeHead(201).end('{"message":"stored"}'))
    }
    const create = await answered('POST', slow)
    assert.deepEqual([create.status, message(create)], [201, 'stored'])
    assert.equal((await answered('GET', slow)).status, 503)
  })
})

describe('nginx', nginxNeeded, () => {
  it('keeps nothing on its disk of what a client sends or does not read', async () => {
    await using service = await startService({ args: ['--trust-proxy', '127.0.0.1'], operatorPort: 'none' })
    const { key } = await service.issueKey('enterprise', { perMinute: 10_000, perDay: 10_000 })
    const authorization = `Authorization: Bearer ${key}\r\n`
    const nginx = await startNginx([new URL(service.baseUrl).host])
    const held: Socket[] = []
    const hold = async (request: string) => {
      const socket = connect(nginx.port, '127.0.0.1').on('error', () => {})
      held.push(socket)
      await new Promise((sent) => socket.write(request, sent))
    }
    try {
      // A body that a node would accept, without its end, and a list of 6 MB.
      await hold(`${requestOf('POST /v1/pets', 'Content-Length: 65536\r\n')}${'x'.repeat(65_000)}`)
      const large = `{"name":"${'n'.repeat(60_000)}","categoryId":1}`
      const fields = `${authorization}Content-Type: application/json\r\nContent-Length: ${large.length}\r\n`
      for (let count = 0; count < 100; count += 1) {
        const { status } = await answerTo(nginx.port, requestOf('POST /v1/pets', fields) + large)
        assert.equal(status, 201)
      }
      await hold(requestOf('GET /v1/pets?limit=100', authorization))
      await once(held[1] as Socket, 'readable')
      assert.equal(nginx.temporaryFiles(), 0)
    } finally {
      for (const socket of held) socket.destroy()
      await nginx.stop()
    }
  })
})
