/** How calls fail: against local servers that misbehave in ways that the real service cannot be made to. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { freePort } from '../../test/support/servers/servers.ts'
import {
  type CallError,
  NetworkError,
  PetAdoption,
  PetAdoptionError,
  TimeoutError,
  UnexpectedAnswerError,
} from '../src/index.ts'
import { clientOf, failureOf, heldTimeout, KEY, REX } from './support/client.ts'
import { type Answer, failure, json, serve, serveRaw } from './support/server.ts'

const PET = { name: 'Rex', categoryId: 1 }
const WITH_STATUS = '{"id":7,"name":"R","categoryId":1,"status":"lost"}'

describe('an error', () => {
  it('contains everything that the service responded, and never the key (R6)', async () => {
    const body = { code: 'unauthorized', message: `no such key: ${KEY}`, status: 401 }
    await using server = await serve(
      json(401, JSON.stringify(body), { 'X-Request-Id': 'r-1', 'Retry-After': '3', 'X-Key': `of ${KEY}` }),
    )
    const error = await failureOf(clientOf(server).listPets({ limit: 2 }))
    assert(error instanceof PetAdoptionError)
    const { name, code, message, status, retryAfter, requestId, method, path, headers } = error
    assert.equal(headers?.get('X-Key'), 'of <API_KEY>')
    assert.deepEqual(
      { name, code, message, status, retryAfter, requestId, method, path },
      {
        name: 'PetAdoptionError',
        code: 'unauthorized',
        message: 'no such key: <API_KEY>',
        status: 401,
        retryAfter: 3,
        requestId: 'r-1',
        method: 'GET',
        path: '/pets?limit=2',
      },
    )
    assert(!inspect(error, { depth: Infinity, showHidden: true }).includes(KEY))
  })

  it('never shows the key', async () => {
    const leak = `{"key":"${KEY}"}`
    await using server = await serve(json(200, leak))
    const unreachable = new PetAdoption({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: KEY, maxAttempts: 1 })
    const shown = [
      clientOf(server),
      await failureOf(clientOf(server).listPets()),
      await failureOf(unreachable.listPets()),
    ]
    for (const each of shown) assert(!inspect(each, { depth: Infinity, showHidden: true }).includes(KEY))
  })

  const strays: [what: string, status: number, text: string, problem: string][] = [
    ['the page of a proxy', 502, '<html><h1>502 Bad Gateway</h1></html>', 'it is not JSON'],
    ['the page of a captive portal', 200, '<html>Welcome</html>', 'it is not JSON'],
    ['garbage', 200, '\u0000\uffff{', 'it is not JSON'],
    ['nothing', 200, '', 'it is empty'],
    ['half of a list', 200, `[${REX},{"id":8`, 'it is not JSON'],
    ['an object for a list', 200, REX, 'it is not a JSON array'],
    ['a list of lists', 200, '[[]]', '[0] is not a JSON object'],
    ['a Pet without id', 200, '[{"name":"Rex","categoryId":1}]', '[0].id is not an int64'],
    ['an id as text', 200, '[{"id":"7","name":"R","categoryId":1}]', '[0].id is not an int64'],
    ['a null name', 200, `[${REX},{"id":7,"name":null}]`, '[1].name is not a string'],
    ['2^63', 200, '[{"id":7,"name":"R","categoryId":9223372036854775808}]', '[0].categoryId is not an int64'],
    ['a status that is none', 200, `[${WITH_STATUS}]`, '[0].status is none of available, pending, sold'],
    ['an Error of another status', 400, '{"code":"x","message":"y","status":404}', 'status is not 400'],
    ['an incomplete Error', 400, '{"error":"Bad Request"}', 'code is not a string'],
    ['an Error under 200', 200, '{"code":"x","message":"y","status":200}', 'it is not a JSON array'],
    ['no content', 204, '', 'it is empty'],
    ['a list under 206', 206, `[${REX}]`, 'no operation has this status'],
  ]
  for (const [what, status, text, problem] of strays) {
    const type = text.startsWith('<') ? 'text/html' : 'application/json'
    it(`says that ${what} is not an answer of the interface, why, and how it begins`, async () => {
      await using server = await serve((_request, response) => {
        response.writeHead(status, { 'Content-Type': type, 'X-Request-Id': 'r-2' }).end(text)
      })
      const error = await failureOf(clientOf(server, { maxAttempts: 1 }).listPets())
      assert(error instanceof UnexpectedAnswerError)
      assert.deepEqual([error.name, error.status, error.requestId], ['UnexpectedAnswerError', status, 'r-2'])
      const excerpt = text === '' ? '' : `; it begins ${JSON.stringify(text.slice(0, 80))}`
      const head = 'GET /pets: the answer is not one of the pet adoption interface'
      assert.equal(error.message, `${head} (status ${status}, ${type}): ${problem}${excerpt}`)
    })
  }

  it('for an address where nothing listens says so, however many addresses the name has', async () => {
    const refused = Object.assign(new AggregateError([new Error('connect ECONNREFUSED ::1:1')], ''), {
      code: 'ECONNREFUSED',
    })
    const failing = async (cause: unknown) => {
      const client = clientOf(
        { baseUrl: 'http://localhost:1/v1' },
        { maxAttempts: 1, fetch: () => Promise.reject(new TypeError('fetch failed', { cause })) },
      )
      return (await failureOf(client.listPets())).message
    }
    assert.match(await failing(refused), /\(connect ECONNREFUSED ::1:1\)$/)
    assert.match(await failing(Object.assign(new AggregateError([], ''), { code: 'ETIMEDOUT' })), /\(ETIMEDOUT\)$/)
    assert.match(await failing(undefined), /\(fetch failed\)$/)
  })

  it('says whether createPet might have added the animal', async () => {
    const doubtOf = async (answer: Answer, ask = (client: PetAdoption): Promise<unknown> => client.createPet(PET)) => {
      await using server = await serve(answer)
      const { mayBeDone, message } = await failureOf(ask(clientOf(server, { maxAttempts: 1 })))
      // What the service itself says stays as it says it.
      if (!message.startsWith('scripted'))
        assert.equal(message.includes('may have carried the request out'), mayBeDone, message)
      return mayBeDone
    }
    for (const status of [400, 401, 404, 413, 429, 501]) assert(!(await doubtOf(failure(status, 'no'))), `${status}`)
    for (const status of [500, 502, 503]) assert(await doubtOf(failure(status, 'no')), `${status}`)
    assert(await doubtOf(json(201, '<html>')))
    assert(await doubtOf((request) => request.socket.destroy()))
    assert(!(await doubtOf(failure(500, 'no'), (client) => client.listPets())))
    assert(
      !(await doubtOf(
        (request) => request.socket.destroy(),
        (client) => client.getPet(1),
      )),
    )
  })

  it('says that createPet sent nothing if nothing listens, and the call is sent again', async () => {
    const port = await freePort()
    const retries: CallError[] = []
    const client = clientOf(
      { baseUrl: `http://127.0.0.1:${port}/v1` },
      { maxAttempts: 2, random: () => 0, onRetry: ({ error }) => retries.push(error) },
    )
    const { message, mayBeDone } = await failureOf(client.createPet(PET))
    const why = `the connection failed (connect ECONNREFUSED 127.0.0.1:${port})`
    assert.deepEqual([message, mayBeDone], [`POST /pets: ${why}; the service did not get the request`, false])
    assert.equal(retries.length, 1)
  })

  it('is recognised by PetAdoptionError.is, also if another copy of the package created it', async () => {
    await using server = await serve(failure(401, 'unauthorized'), json(200, 'garbage'))
    const copy: typeof import('../src/index.ts') = await import(`../src/index.ts?copy=${Date.now()}`)
    const client = clientOf(server)
    const error = await failureOf(client.listPets())
    assert.deepEqual([PetAdoptionError.is(error), error instanceof PetAdoptionError], [true, true])
    const stray = await failureOf(client.listPets())
    for (const other of [stray, new Error('no'), undefined, null, 'text']) assert(!PetAdoptionError.is(other))
    const strange = new copy.PetAdoptionError('unauthorized', 'no', 'GET', '/pets', {
      status: 401,
      retryAfter: undefined,
      requestId: undefined,
    })
    assert(PetAdoptionError.is(strange))
  })

  const broken: [string, string][] = [
    ['an answer that is not HTTP', 'I am no web server\r\n\r\n'],
    ['an answer that ends in its headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['an answer that ends in its body', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[{"id":7'],
    ['no byte at all', ''],
  ]
  for (const [what, bytes] of broken) {
    it(`says that the connection failed on ${what}`, async () => {
      await using server = await serveRaw((socket) => socket.end(bytes))
      const error = await failureOf(clientOf(server, { maxAttempts: 1 }).listPets())
      assert(error instanceof NetworkError, error.name)
      assert.match(error.message, /^GET \/pets: the connection failed \(.+\)$/)
      assert(error.cause instanceof Error)
    })
  }

  it('about a timeout comes on time, whether the response never begins or never ends', async () => {
    for (const bytes of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[{"id":7']) {
      const held = heldTimeout()
      let isExpired = false
      await using server = await serveRaw((socket) => {
        // Some of the response has been read by then.
        socket.write(bytes, () =>
          setTimeout(() => {
            isExpired = true
            held.expire()
          }, 50),
        )
      })
      const error = await failureOf(clientOf(server, { ...held.options, maxAttempts: 1 }).listPets())
      assert(isExpired)
      assert(error instanceof TimeoutError)
      assert.equal(error.message, 'GET /pets: no answer within 200 ms')
    }
  })
})
