/** The client against local servers that misbehave, refuse and fail in ways that the real service cannot be made to. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import {
  CallError,
  NetworkError,
  PetAdoption,
  PetAdoptionError,
  type PetAdoptionOptions,
  type Retry,
  TimeoutError,
  UnexpectedAnswerError,
} from '../src/index.ts'
import { type Answer, failure, json, type ScriptedServer, serve, serveRaw } from './support/server.ts'

const KEY = 'pets_secret'
const REX = '{"id":7,"name":"Rex","categoryId":1}'
const rex = { id: 7n, name: 'Rex', categoryId: 1n }
const lists = json(200, `[${REX}]`)
const created = json(201, REX)

function clientOf({ baseUrl }: ScriptedServer, options: Partial<PetAdoptionOptions> = {}): PetAdoption {
  return new PetAdoption({ baseUrl, apiKey: KEY, ...options })
}

/** The error that a call fails with. */
async function failureOf(call: Promise<unknown>): Promise<CallError> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (error: unknown) => error,
  )
  assert(error instanceof CallError, inspect(error))
  return error
}

describe('a request', () => {
  it('carries the key as a bearer credential, and its data in the query and the body (R13, R7, R8)', async () => {
    const seen: unknown[] = []
    await using server = await serve(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { authorization, accept, 'content-type': type } = request.headers
      seen.push([request.method, request.url, authorization, accept, type, body])
      if (request.method === 'POST') created(request, response)
      else if (request.url === '/v1/pets/7') json(200, REX)(request, response)
      else lists(request, response)
    })
    const client = clientOf({ ...server, baseUrl: `${server.baseUrl}/` })
    assert.deepEqual(await client.listPets(), [rex])
    assert.deepEqual(await client.listPets({ limit: 5, status: 'sold' }), [rex])
    assert.deepEqual(await client.createPet({ name: 'Rex', categoryId: 2n ** 63n - 1n, status: undefined }), rex)
    assert.deepEqual(await client.getPet(7), rex)
    const asked = ['Bearer pets_secret', 'application/json']
    assert.deepEqual(seen, [
      ['GET', '/v1/pets', ...asked, undefined, ''],
      ['GET', '/v1/pets?limit=5&status=sold', ...asked, undefined, ''],
      ['POST', '/v1/pets', ...asked, 'application/json', '{"name":"Rex","categoryId":9223372036854775807}'],
      ['GET', '/v1/pets/7', ...asked, undefined, ''],
    ])
  })

  it('is not made with an identifier that would lose digits', async () => {
    await using server = await serve(created)
    const client = clientOf(server)
    await assert.rejects(client.createPet({ name: 'Rex', categoryId: 2 ** 53 }), RangeError)
    await assert.rejects(client.getPet(2n ** 63n), RangeError)
    assert.equal(server.requests.length, 0)
  })

  it('is not sent elsewhere by a redirect', async () => {
    await using elsewhere = await serve(lists)
    await using server = await serve((_request, response) =>
      response.writeHead(307, { Location: `${elsewhere.baseUrl}/pets` }).end(),
    )
    const error = await failureOf(clientOf(server).listPets())
    assert(error instanceof UnexpectedAnswerError)
    assert.equal(error.status, 307)
    assert.equal(elsewhere.requests.length, 0)
  })
})

describe('a client', () => {
  it('refuses an address that does not end in /v1', () => {
    for (const baseUrl of ['http://127.0.0.1:8080', 'http://127.0.0.1/v1/pets', '']) {
      assert.throws(() => new PetAdoption({ baseUrl, apiKey: KEY }), { name: 'TypeError', message: /end in \/v1/ })
    }
  })

  it('refuses a key that cannot be one, without showing it', () => {
    for (const apiKey of ['', 'pets_sécret', 'pets_secret\n', undefined]) {
      const make = () => new PetAdoption({ baseUrl: 'http://127.0.0.1/v1', apiKey: apiKey as string })
      assert.throws(make, (error: Error) => error instanceof TypeError && !error.message.includes('pets_'))
    }
  })

  it('tells the limit as the latest answer described it (R15)', async () => {
    const headers = (remaining: number) => ({
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': '1893456000',
    })
    await using server = await serve(json(200, '[]', headers(59)), failure(404, 'not_found', headers(58)), lists)
    const client = clientOf(server)
    assert.equal(typeof client.rateLimit, 'undefined')
    await client.listPets()
    assert.deepEqual(client.rateLimit, { limit: 60, remaining: 59, reset: new Date('2030-01-01T00:00:00Z') })
    await failureOf(client.getPet(1n))
    assert.equal(client.rateLimit?.remaining, 58)
    await client.listPets()
    assert.equal(client.rateLimit?.remaining, 58, 'an answer whose headers are hidden changes nothing')
  })
})

describe('a client with several requests under way', () => {
  it('takes the limit from the later answer, whichever came in first', async () => {
    const headers = (remaining: number) => ({
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': '1893456000',
    })
    await using server = await serve(
      (request, response) => {
        setTimeout(() => json(200, '[]', headers(59))(request, response), 200)
      },
      json(200, '[]', headers(58)),
    )
    const client = clientOf(server)
    await Promise.all([client.listPets(), client.listPets()])
    assert.equal(client.rateLimit?.remaining, 58)
  })
})

describe('an error', () => {
  it('of the service carries all that the service said, and never the key (R6)', async () => {
    const body = { code: 'unauthorized', message: `no such key: ${KEY}`, status: 401 }
    await using server = await serve(json(401, JSON.stringify(body), { 'X-Request-Id': 'r-1', 'Retry-After': '3' }))
    const error = await failureOf(clientOf(server).listPets({ limit: 2 }))
    assert(error instanceof PetAdoptionError)
    const { name, code, message, status, retryAfter, requestId, method, path } = error
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

  it('shows the key in none of its classes, nor does the client itself', async () => {
    await using server = await serve(json(200, 'garbage'))
    const unreachable = new PetAdoption({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: KEY, maxAttempts: 1 })
    const shown = [
      clientOf(server),
      await failureOf(clientOf(server).listPets()),
      await failureOf(unreachable.listPets()),
    ]
    for (const each of shown) assert(!inspect(each, { depth: Infinity, showHidden: true }).includes(KEY))
  })

  const strays: [string, number, string, string][] = [
    ['the page of a proxy', 502, 'text/html', '<html><h1>502 Bad Gateway</h1></html>'],
    ['the page of a captive portal', 200, 'text/html', '<html>Welcome</html>'],
    ['garbage', 200, 'application/json', '\u0000\uffff{'],
    ['nothing', 200, 'application/json', ''],
    ['half of a list', 200, 'application/json', `[${REX},{"id":8`],
    ['an object for a list', 200, 'application/json', REX],
    ['a Pet without id', 200, 'application/json', '[{"name":"Rex","categoryId":1}]'],
    ['an id as text', 200, 'application/json', '[{"id":"7","name":"Rex","categoryId":1}]'],
    ['an id beyond 64 bits', 200, 'application/json', '[{"id":9223372036854775808,"name":"Rex","categoryId":1}]'],
    ['a status outside the interface', 200, 'application/json', '[{"id":7,"name":"R","categoryId":1,"status":"lost"}]'],
    ['an Error of another status', 400, 'application/json', '{"code":"x","message":"y","status":404}'],
    ['an Error that is none', 400, 'application/json', '{"error":"Bad Request"}'],
    ['an Error under 200', 200, 'application/json', '{"code":"x","message":"y","status":200}'],
    ['no content', 204, 'application/json', ''],
  ]
  for (const [what, status, type, text] of strays) {
    it(`says that ${what} is not an answer of the interface`, async () => {
      await using server = await serve((_request, response) => {
        response.writeHead(status, { 'Content-Type': type, 'X-Request-Id': 'r-2' }).end(text)
      })
      const error = await failureOf(clientOf(server, { maxAttempts: 1 }).listPets())
      assert(error instanceof UnexpectedAnswerError)
      assert.deepEqual([error.name, error.status, error.requestId], ['UnexpectedAnswerError', status, 'r-2'])
      assert.match(error.message, new RegExp(`^GET /pets: .*\\(status ${status}, ${type}\\)$`))
    })
  }

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

  it('of a connection that was reset under createPet says that the outcome is unknown', async () => {
    await using server = await serveRaw((socket) => socket.resetAndDestroy())
    const error = await failureOf(clientOf(server).createPet({ name: 'Rex', categoryId: 1 }))
    assert(error instanceof NetworkError)
    assert.match(error.message, /may have carried the request out/)
  })

  it('of a time-out comes when it should, whether the answer never begins or never ends', async () => {
    for (const bytes of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[{"id":7']) {
      await using server = await serveRaw((socket) => socket.write(bytes))
      const startedMs = Date.now()
      const error = await failureOf(clientOf(server, { timeout: 200 }).listPets())
      const tookMs = Date.now() - startedMs
      assert(error instanceof TimeoutError)
      assert.equal(error.message, 'GET /pets: no answer within 200 ms')
      assert(tookMs >= 195 && tookMs < 2_000, `${tookMs} ms`)
      assert.equal(server.requests.length, 1, 'a time-out is not repeated')
    }
  })
})

describe('back-off', { concurrency: true }, () => {
  it('after a 429 waits what Retry-After says, for any method (R16)', async () => {
    await using server = await serve(failure(429, 'rate_limited', { 'Retry-After': '1' }), created)
    const retries: Retry[] = []
    const client = clientOf(server, { onRetry: (retry) => retries.push(retry) })
    assert.deepEqual(await client.createPet({ name: 'Rex', categoryId: 1 }), rex)
    const [first, second] = server.requests
    assert(first && second && second.atMs - first.atMs >= 1_000)
    const [retry] = retries
    assert(retry?.error instanceof PetAdoptionError && retry.error.retryAfter === 1)
    assert.equal(retry.attempt, 1)
    assert(retry.waitMs > 900 && retry.waitMs <= 1_500, `${retry.waitMs} ms`)
  })

  it('obeys the Retry-After of a 503', async () => {
    await using server = await serve(failure(503, 'unavailable', { 'Retry-After': '1' }), lists)
    await clientOf(server).listPets()
    const [first, second] = server.requests
    assert(first && second && second.atMs - first.atMs >= 1_000)
  })

  it('repeats GET after a 5xx and after a broken connection, and then succeeds', async () => {
    await using server = await serve(
      failure(500, 'internal_error'),
      (request) => request.socket.resetAndDestroy(),
      lists,
    )
    const retries: string[] = []
    assert.deepEqual(await clientOf(server, { onRetry: ({ error }) => retries.push(error.name) }).listPets(), [rex])
    assert.deepEqual(retries, ['PetAdoptionError', 'NetworkError'])
  })

  it('never sends a createPet again after a 5xx, a proxy page, a broken connection or a time-out', async () => {
    const breakages: Answer[] = [
      failure(500, 'internal_error'),
      failure(503, 'unavailable', { 'Retry-After': '0' }),
      (_request, response) => response.writeHead(502).end('<html>'),
      (request) => request.socket.resetAndDestroy(),
      () => {},
    ]
    for (const breakage of breakages) {
      await using server = await serve(breakage, created)
      await failureOf(clientOf(server, { timeout: 200 }).createPet({ name: 'Rex', categoryId: 1 }))
      assert.equal(server.requests.length, 1)
    }
  })

  it('gives up after maxAttempts with the latest error', async () => {
    await using server = await serve(failure(500, 'internal_error'), failure(502, 'bad_gateway'))
    const error = await failureOf(clientOf(server, { maxAttempts: 2 }).listPets())
    assert(error instanceof PetAdoptionError && error.code === 'bad_gateway')
    assert.equal(server.requests.length, 2)
  })

  it('does not shorten a wait beyond maxWait: it fails at once, and later calls fail unsent', async () => {
    await using server = await serve(failure(429, 'rate_limited', { 'Retry-After': '3600' }), lists)
    const client = clientOf(server)
    const refused = await failureOf(client.listPets())
    assert(refused instanceof PetAdoptionError && refused.retryAfter === 3600)
    const unsent = await failureOf(client.createPet({ name: 'Rex', categoryId: 1 }))
    assert(unsent instanceof PetAdoptionError && unsent.status === 429 && unsent.code === 'rate_limited')
    assert.match(unsent.message, /^not sent: .* another 360[01] s$/)
    assert.deepEqual([unsent.method, unsent.path], ['POST', '/pets'])
    assert.equal(server.requests.length, 1)
  })

  it('backs off on a 429 whose Retry-After is hidden or whose body is a proxy page', async () => {
    await using server = await serve((_request, response) => response.writeHead(429).end('<html>'), lists)
    assert.deepEqual(await clientOf(server).listPets(), [rex])
  })

  it('shares one wait among calls in flight, then sends one request before all others', async () => {
    const limited = failure(429, 'rate_limited', { 'Retry-After': '1' })
    const answeredMs: number[] = []
    await using server = await serve(
      ...Array.from({ length: 10 }, () => limited),
      limited,
      (request, response) => {
        setTimeout(() => {
          answeredMs.push(Date.now())
          lists(request, response)
        }, 300)
      },
      lists,
    )
    const client = clientOf(server)
    const calls = Array.from({ length: 10 }, () => client.listPets())
    const late = new Promise((done) => setTimeout(done, 500)).then(() => client.listPets())
    await Promise.all([...calls, late])
    const atMs = server.requests.map((request) => request.atMs)
    assert.equal(atMs.length, 10 + 1 + 11)
    const [, ...afterFirst] = atMs.slice(9)
    const [probe = 0, secondProbe = 0, third = 0] = afterFirst
    assert(probe - (atMs[9] ?? 0) >= 1_000, 'nothing is sent during the wait, not even a new call')
    assert(secondProbe - probe >= 1_000, 'a second refusal of the one that went ahead holds all others back')
    assert(third >= (answeredMs[0] ?? Infinity), 'the others follow the answer to the one that went ahead')
  })

  it('is not cut short by a late answer to a request that was sent before the refusal', async () => {
    const limited = failure(429, 'rate_limited', { 'Retry-After': '1' })
    const late: Answer = (request, response) => {
      setTimeout(() => lists(request, response), 300)
    }
    await using server = await serve(limited, late, limited, lists)
    const client = clientOf(server)
    const calls = [client.listPets(), client.listPets()]
    await new Promise((done) => setTimeout(done, 150))
    await Promise.all([...calls, client.listPets(), client.listPets()])
    const [, , probe, next] = server.requests
    assert(probe && next && next.atMs - probe.atMs >= 1_000)
  })

  it('can be ended by what onRetry throws', async () => {
    await using server = await serve(failure(500, 'internal_error'))
    const enough = new Error('enough')
    const client = clientOf(server, {
      onRetry: () => {
        throw enough
      },
    })
    await assert.rejects(client.listPets(), enough)
    assert.equal(server.requests.length, 1)
  })
})

describe('a signal', () => {
  it('ends a call before it is sent, while it is answered, and while it waits, with its own reason', async () => {
    await using silent = await serve(() => {})
    await assert.rejects(clientOf(silent).listPets({}, { signal: AbortSignal.abort('early') }), isReason('early'))
    assert.equal(silent.requests.length, 0)

    const during = new AbortController()
    const asked = clientOf(silent).listPets({}, { signal: during.signal })
    setTimeout(() => during.abort('during'), 100)
    await assert.rejects(asked, isReason('during'))

    await using limited = await serve(failure(429, 'rate_limited', { 'Retry-After': '60' }))
    const waiting = new AbortController()
    const client = clientOf(limited, { onRetry: () => setTimeout(() => waiting.abort('waiting'), 50) })
    const startedMs = Date.now()
    await assert.rejects(client.listPets({}, { signal: waiting.signal }), isReason('waiting'))
    assert(Date.now() - startedMs < 2_000)
  })

  it('that many calls share is left as it was when they are over', async () => {
    await using server = await serve(failure(500, 'internal_error'), lists)
    const { signal } = new AbortController()
    const client = clientOf(server)
    await Promise.all([client.listPets({}, { signal }), client.listPets({}, { signal })])
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  })

  it('that ends one call leaves the others of the client alone', async () => {
    await using server = await serve(failure(429, 'rate_limited', { 'Retry-After': '1' }), lists)
    const client = clientOf(server)
    const [aborted, other] = await Promise.allSettled([
      client.listPets({}, { signal: AbortSignal.timeout(200) }),
      client.listPets(),
    ])
    assert.equal(aborted.status, 'rejected')
    assert.deepEqual(other, { status: 'fulfilled', value: [rex] })
  })
})

function isReason(expected: string): (reason: unknown) => boolean {
  return (reason) => reason === expected
}

describe('pace', { concurrency: true }, () => {
  const LIMIT = 3
  const WINDOW_MS = 2_000
  const CALLS = 8

  /** Serves `LIMIT` requests a window, by a clock that is `aheadMs` ahead of this machine's. */
  function limitedServer(aheadMs: number): Promise<ScriptedServer> {
    const counts = new Map<number, number>()
    return serve((request, response) => {
      const nowMs = Date.now() + aheadMs
      const window = Math.floor(nowMs / WINDOW_MS)
      const count = (counts.get(window) ?? 0) + 1
      counts.set(window, count)
      const headers = {
        Date: new Date(nowMs).toUTCString(),
        'X-RateLimit-Limit': String(LIMIT),
        'X-RateLimit-Remaining': String(Math.max(0, LIMIT - count)),
        'X-RateLimit-Reset': String(((window + 1) * WINDOW_MS) / 1000),
      }
      if (count > LIMIT) failure(429, 'rate_limited', { ...headers, 'Retry-After': '1' })(request, response)
      else json(200, '[]', headers)(request, response)
    })
  }

  const askAll = (client: PetAdoption) =>
    Promise.allSettled(Array.from({ length: CALLS }, () => client.listPets())).then((outcomes) =>
      outcomes.filter(({ status }) => status === 'rejected'),
    )

  it('brings no 429 from a limit that a client without it hits', async () => {
    await using server = await limitedServer(0)
    assert.equal((await askAll(clientOf(server, { pace: true, maxAttempts: 1 }))).length, 0)
    await using other = await limitedServer(0)
    assert.notEqual((await askAll(clientOf(other, { maxAttempts: 1 }))).length, 0)
  })

  it('brings none either when the clock of the service is an hour off', async () => {
    const refusedAhead = async (aheadMs: number) => {
      await using server = await limitedServer(aheadMs)
      return (await askAll(clientOf(server, { pace: true, maxAttempts: 1 }))).length
    }
    assert.deepEqual(await Promise.all([3_600_000, -3_600_000].map(refusedAhead)), [0, 0])
  })
})
