/** What a client sends, how it is set up, and what it gives back, against scripted local servers. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { until } from '../../test/support/until.ts'
import { type Answered, fromJson, PetAdoption, type PetAdoptionOptions, UnexpectedAnswerError } from '../src/index.ts'
import { check } from '../src/rules.ts'
import { NEW_PET } from '../src/types.ts'
import { VERSION } from '../src/version.ts'
import { clientOf, created, failureOf, KEY, limitHeaders, lists, REX, rex } from './support/client.ts'
import { type Answer, failure, json, serve } from './support/server.ts'

describe('an operation', () => {
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const { method, path, parameters, responses } = operation
    it(`${name} sends the examples of the contract, and reads its answer with status and headers (R7-R11, R13)`, async () => {
      const given = (place: string) =>
        parameters.flatMap((each) => (each.in === place ? [[each.name, each.example]] : []))
      const query = Object.fromEntries(given('query'))
      const inPath = Object.fromEntries(given('path'))
      const data = 'body' in operation ? [operation.example] : Object.keys(query).length > 0 ? [query] : []
      const [[status = '', { example = {} } = {}] = []] = Object.entries(responses)
      const answer = JSON.stringify(example)
      const seen: unknown[] = []
      await using server = await serve(
        async (request, response) => {
          const { authorization, accept, 'content-type': type } = request.headers
          const body = (await request.toArray()).join('')
          seen.push(`${request.method} ${request.url}`, authorization, accept, type, body)
          json(Number(status), answer, { 'X-Request-Id': 'r-1' })(request, response)
        },
        json(Number(status), answer.replace(/\d+/, '"$&"')),
      )
      const { withResponse } = clientOf({ baseUrl: `${server.baseUrl}/` })
      const call = (): Promise<Answered<unknown>> =>
        Reflect.apply(Reflect.get(withResponse, name), undefined, [...Object.values(inPath), ...data])
      const answered = await call()
      const search = `?${new URLSearchParams(query)}`.replace(/\?$/, '')
      const line = `${method} /v1${path.replace(/\{(\w+)\}/g, (_, each) => inPath[each])}${search}`
      const [type, body] =
        'body' in operation ? ['application/json', JSON.stringify(operation.example)] : [undefined, '']
      assert.deepEqual(seen, [line, `Bearer ${KEY}`, 'application/json', type, body])
      assert.deepEqual(
        [answered.data, answered.status, answered.headers.get('x-request-id')],
        [fromJson(answer), Number(status), 'r-1'],
      )
      await assert.rejects(call(), UnexpectedAnswerError, `read the answer of ${name} in client/src/client.ts`)
    })
  }
})

describe('a request', () => {
  it('is not made with an identifier that would lose digits', async () => {
    await using server = await serve(created)
    const client = clientOf(server)
    await assert.rejects(client.createPet({ name: 'Rex', categoryId: 2 ** 53 }), RangeError)
    await assert.rejects(client.getPet(2n ** 63n), RangeError)
    assert.throws(() => check('member', { categoryId: 2 ** 53 }, NEW_PET), RangeError)
    assert.equal(server.requests.length, 0)
  })

  it('is not sent elsewhere by a redirect', async () => {
    await using elsewhere = await serve(lists)
    await using server = await serve((_request, response) =>
      response.writeHead(307, { Location: `${elsewhere.baseUrl}/pets` }).end(),
    )
    const error = await failureOf(clientOf(server).listPets())
    assert(error instanceof UnexpectedAnswerError)
    assert.deepEqual([error.status, error.location], [307, `${elsewhere.baseUrl}/pets`])
    assert(error.message.endsWith(`: it redirects to ${elsewhere.baseUrl}/pets`), error.message)
    assert.equal(elsewhere.requests.length, 0)
  })
})

describe('a client', () => {
  const misfits: [string, Partial<PetAdoptionOptions>, string, RegExp][] = [
    ['no address', { baseUrl: '' }, 'TypeError', /baseUrl must be an absolute http/],
    ['a relative address', { baseUrl: '/v1' }, 'TypeError', /baseUrl must be an absolute http/],
    ['an address that does not end in /v1', { baseUrl: 'http://127.0.0.1:8080' }, 'TypeError', /ends in \/v1/],
    ['the address of an operation', { baseUrl: 'http://127.0.0.1/v1/pets' }, 'TypeError', /ends in \/v1/],
    ['an address with a query', { baseUrl: 'http://127.0.0.1/v1?to=/v1' }, 'TypeError', /ends in \/v1/],
    ['an address that is not of the web', { baseUrl: 'file:///v1' }, 'TypeError', /absolute http or https/],
    ['a password in the address', { baseUrl: 'http://me:secret@127.0.0.1/v1' }, 'TypeError', /without a password/],
    ['no attempt at all', { maxAttempts: 0 }, 'RangeError', /maxAttempts must be a number, 1 or more/],
    ['attempts that are no number', { maxAttempts: Number.NaN }, 'RangeError', /maxAttempts/],
    ['a wait below 0', { maxWait: -1 }, 'RangeError', /maxWait/],
    ['a wait that is no number', { maxWait: Number.NaN }, 'RangeError', /maxWait/],
    ['no time for an answer', { timeout: 0 }, 'RangeError', /timeout/],
    ['a time that is no number', { timeout: Number.NaN }, 'RangeError', /timeout/],
    ['no key', { apiKey: '' }, 'TypeError', /apiKey is missing; is its variable set/],
    ['a key without a value', { apiKey: undefined } as object, 'TypeError', /apiKey is missing/],
    ['a key with a letter that no key has', { apiKey: 'secr\u00e9t secret' }, 'TypeError', /the key as issued/],
    ['a key with the end of its line', { apiKey: 'secret\n' }, 'TypeError', /the key as issued/],
    [
      'an option that does not exist',
      { timeOut: 5 } as object,
      'TypeError',
      /there is no option timeOut; there are .*timeout/,
    ],
    ['a hook that is none', { onRetry: 'secret' } as object, 'TypeError', /onRetry must be a function/],
  ]
  for (const [what, options, name, message] of misfits) {
    it(`refuses ${what} in one sentence, without showing what it was given`, () => {
      const refused = (error: Error) => {
        assert.equal(error.name, name)
        assert.match(error.message, message)
        assert(!error.message.includes('secret'), error.message)
        return true
      }
      assert.throws(() => clientOf({ baseUrl: 'http://127.0.0.1/v1' }, options), refused)
    })
  }

  it('without any options says that its key is missing', () => {
    assert.throws(() => new PetAdoption(undefined as never), { name: 'TypeError', message: /apiKey is missing/ })
  })

  it('takes a URL for its address, and any fetch', async () => {
    await using server = await serve(lists)
    const asked: string[] = []
    const client = new PetAdoption({
      baseUrl: new URL(`${server.baseUrl}/`),
      apiKey: KEY,
      fetch: (input, init) => {
        asked.push(String(input))
        return fetch(input, init)
      },
    })
    assert.deepEqual(await client.listPets(), [rex])
    assert.deepEqual(asked, [`${server.baseUrl}/pets`])
  })

  it('names itself to the service outside browsers', async () => {
    const agents: (string | undefined)[] = []
    await using server = await serve((request, response) => {
      agents.push(request.headers['user-agent'])
      lists(request, response)
    })
    await clientOf(server).listPets()
    assert.deepEqual(agents, [`pet-adoption-client/${VERSION}`])
  })

  it('tells a logger and a tracer of each request and of what became of it, without the key', async () => {
    const log: unknown[] = []
    const received: unknown[] = []
    await using server = await serve(async (request, response) => {
      const { 'x-shop': shop, traceparent } = request.headers
      received.push([shop, traceparent])
      const answers = [
        failure(500, 'oops', { 'X-Request-Id': 'r-1' }),
        json(200, '[]'),
        (): void => void request.socket.destroy(),
      ]
      answers[received.length - 1]?.(request, response)
    })
    const client = clientOf(server, {
      random: () => 0,
      headers: { 'X-Shop': 'harbour', Authorization: 'Bearer other' },
      onRequest: (request) => {
        request.headers.set('traceparent', `00-${request.attempt}`)
        log.push(request)
      },
      onResponse: ({ request, elapsedMs, status, headers, error }) => {
        assert(elapsedMs >= 0 && !inspect(request, { depth: 9 }).includes(KEY))
        log.push([log.indexOf(request), status, headers?.get('X-Request-Id'), error?.name])
      },
    })
    await client.listPets({}, { headers: { 'X-Shop': 'hill' } })
    await failureOf(client.createPet({ name: 'Rex', categoryId: 1 }))
    assert.deepEqual(received, [
      ['hill', '00-1'],
      ['hill', '00-2'],
      ['harbour', '00-1'],
    ])
    assert.deepEqual(log.filter(Array.isArray), [
      [0, 500, 'r-1', 'PetAdoptionError'],
      [2, 200, null, undefined],
      [4, undefined, undefined, 'NetworkError'],
    ])
  })

  it('warns once of each operation that the service says is deprecated or will be removed (R12, O21)', async () => {
    const warnings: Error[] = []
    const listen = (warning: Error) => {
      if (warning.message.includes('pet adoption')) warnings.push(warning)
    }
    process.on('warning', listen)
    try {
      const sunset = { Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' }
      await using server = await serve((request, response) => {
        if (request.method === 'POST') return json(201, REX, { Deprecation: '@1688169599' })(request, response)
        if (request.url === '/v1/pets/-7') return failure(404, 'not_found', sunset)(request, response)
        if (request.url === '/v1/pets/7') return json(200, REX, sunset)(request, response)
        lists(request, response)
      })
      const client = clientOf(server)
      await failureOf(client.getPet(-7))
      for (const _ of [1, 2]) await client.getPet(7)
      await client.listPets({ status: 'sold' })
      for (const _ of [1, 2]) await client.createPet({ name: 'Rex', categoryId: 1 })
      await until('the warnings are there', () => warnings.length >= 2)
      assert.deepEqual(
        warnings.map(({ name, message }) => [name, message]),
        [
          'GET /pets/{petId} is deprecated, and removed on Thu, 05 Dec 2030 00:00:00 GMT, says the pet adoption service',
          'POST /pets is deprecated, says the pet adoption service',
        ].map((message) => ['DeprecationWarning', message]),
      )
    } finally {
      process.off('warning', listen)
    }
  })

  it('tells the limit as the latest answer described it (R15)', async () => {
    const headers = (remaining: number) => limitHeaders(60, remaining)
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

describe('pages', () => {
  const page = (ids: readonly number[], link?: string): Answer =>
    json(200, `[${ids.map((id) => REX.replace('7', String(id)))}]`, link === undefined ? {} : { Link: link })
  const idsOf = async (pets: AsyncIterable<{ readonly id: bigint }>) => {
    const ids: bigint[] = []
    for await (const { id } of pets) ids.push(id)
    return ids
  }

  it('gives every animal, as long as the service links to a next page', async () => {
    await using server = await serve(
      page([5, 4], '</v1/other>; rel="prev", </v1/pets?limit=100&status=sold&cursor=a%2C">; title="a, b"; rel="next"'),
      page([3], '<https://elsewhere.example/v1/pets?cursor=b>; rel=next'),
      page([2, 1]),
    )
    assert.deepEqual(await idsOf(clientOf(server).pages({ status: 'sold' })), [5n, 4n, 3n, 2n, 1n])
    assert.deepEqual(
      server.requests,
      [
        'GET /v1/pets?limit=100&status=sold',
        'GET /v1/pets?limit=100&status=sold&cursor=a%2C%22',
        'GET /v1/pets?cursor=b',
      ],
      'the key goes to the base address alone, whatever the link says',
    )
  })

  it('end with the first page that is not full, if the service links to no other', async () => {
    await using server = await serve(page([2, 1], '</v1/pets/9>; rel="successor-version"'))
    assert.deepEqual(await idsOf(clientOf(server).pages({ limit: 3 })), [2n, 1n])
    assert.deepEqual(server.requests, ['GET /v1/pets?limit=3'])
  })

  it('end with an error after a full page without a link, if no response to the client ever had one (O6)', async () => {
    await using server = await serve(page([2, 1]))
    const ids: bigint[] = []
    const all = async () => {
      for await (const { id } of clientOf(server).pages({ limit: 2 })) ids.push(id)
    }
    const error = await failureOf(all())
    assert.match(error.message, /^GET \/pets\?limit=2: more animals might follow: .* has linked to a next page/)
    assert.deepEqual([ids, error.mayBeDone], [[2n, 1n], false])
  })

  it('end in silence after a full page without a link, if an earlier response had one (O6)', async () => {
    await using server = await serve(page([4, 3], '</v1/pets?cursor=a>; rel="next"'), page([2, 1]))
    const client = clientOf(server)
    await client.listPets()
    assert.deepEqual(await idsOf(client.pages({ limit: 2 })), [2n, 1n])
  })

  it('end with an error where the pages go in a circle, after what the pages hold', async () => {
    for (const circle of [['/v1/pets?limit=100'], ['/v1/pets?cursor=a', '/v1/pets?cursor=b', '/v1/pets?cursor=a']]) {
      await using server = await serve(...circle.map((link, index) => page([9 - index], `<${link}>; rel="next"`)))
      const ids: bigint[] = []
      const all = async () => {
        for await (const { id } of clientOf(server).pages()) ids.push(id)
      }
      const error = await failureOf(all())
      assert(error instanceof UnexpectedAnswerError && /next page is one that was there before/.test(error.message))
      assert.equal(ids.length, circle.length)
      assert.equal(server.requests.length, circle.length)
    }
  })

  it('requests no page that is not needed', async () => {
    await using server = await serve(page([2, 1], '</v1/pets?cursor=a>; rel="next"'))
    for await (const { id } of clientOf(server).pages()) if (id === 1n) break
    assert.equal(server.requests.length, 1)
  })
})
