/** How much of the office one person can use by unread responses and long reads. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import fastify, { type FastifyRequest } from 'fastify'
import type { OpenSession } from '../../src/domain/sign-in.ts'
import { limitResponses, ReadTurns } from '../../src/office/routes/limits.ts'
import { RawConnection } from '../support/http.ts'
import { until } from '../support/until.ts'

const sessionOf = (name: string) => ({ person: { name } }) as OpenSession

it('large unread responses leave memory for others', async () => {
  const server = fastify()
  server.decorateRequest('session')
  server.addHook('onRequest', async (request) => {
    request.session = sessionOf('Ada')
  })
  server.addHook('onSend', limitResponses())
  // More than the system buffers for a connection.
  const long = 'x'.repeat(15 << 20)
  server.get('/long', () => long)
  server.get('/late', async ({ raw }) => {
    await once(raw.socket, 'close')
    return long
  })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const ask = async () => {
    const response = await fetch(`${url}/long`)
    const text = await response.text()
    return { status: response.status, wait: response.headers.get('retry-after'), text }
  }
  const begin = (path: string) =>
    new RawConnection(Number(new URL(url).port)).send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  const asked = once(server.server, 'request')
  const hasty = begin('/late')
  await asked
  hasty[Symbol.dispose]()
  assert.equal((await ask()).status, 200)
  const unread = [1, 2].map(() => {
    const connection = begin('/long')
    connection.socket.pause()
    return connection
  })
  try {
    await until('there is no room', async () => (await ask()).status === 503)
    const { wait, text } = await ask()
    assert.equal(wait, '1')
    assert.equal((JSON.parse(text) as { code: string }).code, 'unavailable')
    for (const connection of unread) connection[Symbol.dispose]()
    await until('there is room again', async () => (await ask()).text === long)
  } finally {
    server.server.closeAllConnections()
    await server.close()
  }
})

it('one person reads all animals once at a time, without delaying others', async () => {
  const turns = new ReadTurns()
  const raw = { socket: { destroyed: false } }
  const signedOut = new Set<string>()
  const assertSessionValid = async ({ id }: FastifyRequest) => assert(!signedOut.has(id))
  const by = (name: string, more = {}) =>
    ({ session: sessionOf(name), raw, server: { guard: { assertSessionValid } }, ...more }) as FastifyRequest
  const order: string[] = []
  const first = Promise.withResolvers<void>()
  const reads = [
    turns.run(by('Ann'), () => first.promise.then(() => Promise.reject(new Error('the database is gone')))),
    turns.run(by('Ann'), async () => order.push('second')),
    turns.run(by('Ann', { raw: { socket: { destroyed: true } } }), async () => order.push('gone')),
    turns.run(by('Ann', { id: 'ended' }), async () => order.push('signed out meanwhile')),
    turns.run(by('Ben'), async () => order.push('another')),
  ]
  await reads[4]
  signedOut.add('ended')
  assert.deepEqual(order, ['another'])
  first.resolve()
  const ends = await Promise.allSettled(reads)
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(order, ['another', 'second'])
})
