/** Answers of the office that nobody reads: together they take a bounded room, and others are told to come again. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fastify from 'fastify'
import { limitResponses } from '../../src/office/routes/limits.ts'
import { RawConnection } from '../support/http.ts'
import { until } from '../support/until.ts'

it('large answers that nobody reads leave room for those that are read', async () => {
  const server = fastify()
  server.decorateRequest('person')
  server.addHook('onRequest', async (request) => {
    request.person = { name: 'Ada', role: 'staff' }
  })
  limitResponses(server)
  // More than the system takes over for a connection.
  const long = 'x'.repeat(15 << 20)
  server.get('/long', () => long)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const ask = async () => {
    const response = await fetch(`${url}/long`)
    const text = await response.text()
    return { status: response.status, wait: response.headers.get('retry-after'), text }
  }
  const unread = [1, 2].map(() => {
    const connection = new RawConnection(Number(new URL(url).port))
    connection.socket.pause()
    return connection.send('GET /long HTTP/1.1\r\nHost: x\r\n\r\n')
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
