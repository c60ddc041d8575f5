/** What requests say and to whom, what answers mean, and the limit that they tell of. */
import type { Call, ClientCase, Reply } from '../case.ts'
import { CREATE, CREATED, expect, FOUND, GET, json, LIST, LISTED, limits, PET, refusal, resultOf } from '../expect.ts'

const MAX = 2n ** 63n - 1n
const MIN = -(2n ** 63n)

type Unplaced = Omit<ClientCase, 'section'>

/** The client reads `reply` to `call` with this integer in `field`. */
function reads(id: string, title: string, call: Call, reply: Reply, field: string, value: bigint): Unplaced {
  return {
    id,
    title,
    cites: 'R5',
    async play(play) {
      play.answer(reply)
      const result = resultOf(await play.ask(call))
      const pet = (Array.isArray(result) ? result[0] : result) as Readonly<Record<string, unknown>> | undefined
      expect(pet?.[field] === value, `${field} ${value}`, `${pet?.[field]}`)
    },
  }
}

const withId = (id: bigint | string) => PET.replace('"id":7', `"id":${id}`)

const INTEGERS: readonly Unplaced[] = [
  reads('read-id', 'The largest id keeps every digit in a list', LIST, json(200, `[${withId(MAX)}]`), 'id', MAX),
  reads('read-found', 'So it does where one animal is asked for', GET, json(200, withId(MAX)), 'id', MAX),
  reads('read-created', 'So it does where an animal was added', CREATE, json(201, withId(MAX)), 'id', MAX),
  reads(
    'read-category',
    'The smallest categoryId keeps every digit',
    LIST,
    json(200, `[${PET.replace('"categoryId":1', `"categoryId":${MIN}`)}]`),
    'categoryId',
    MIN,
  ),
  reads('read-fraction', '7.0 is the integer 7', LIST, json(200, `[${withId('7.0')}]`), 'id', 7n),
  reads(
    'read-exponent',
    '9.223372036854775807e18 is an integer',
    LIST,
    json(200, `[${withId('9.223372036854775807e18')}]`),
    'id',
    MAX,
  ),
  {
    id: 'send-category',
    title: 'A categoryId is sent as a number with every digit',
    cites: 'R5',
    async play(play) {
      play.answer(CREATED)
      await play.ask({ ...CREATE, call: 'create', name: 'Luna', categoryId: MAX })
      const { body = '' } = play.requests[0] ?? {}
      expect(new RegExp(`"categoryId"\\s*:\\s*${MAX}\\s*[,}]`).test(body), `categoryId ${MAX}`, body)
    },
  },
  {
    id: 'send-id',
    title: 'An id is asked for with every digit',
    cites: 'R5',
    async play(play) {
      play.answer(FOUND)
      await play.ask({ call: 'get', petId: MAX })
      const { path = '' } = play.requests[0] ?? {}
      expect(path === `/pets/${MAX}`, `/pets/${MAX}`, path)
    },
  },
]

/** Whether anybody but the service was told the key. */
function keepsKey(id: string, title: string, call: Call, replyOf: (elsewhere: string) => Reply): Unplaced {
  return {
    id,
    title,
    cites: 'advice',
    async play(play) {
      play.answer(replyOf(play.elsewhere))
      await play.ask(call)
      const told = play.requestsElsewhere.some((seen) => JSON.stringify(seen).includes(play.key))
      expect(!told, 'the key sent to the base address alone', 'the key sent to another host')
    },
  }
}

const KEYS: readonly Unplaced[] = [
  {
    id: 'bearer',
    title: 'The key is sent as a bearer credential',
    cites: 'R13',
    async play(play) {
      play.answer(LISTED)
      await play.ask(LIST)
      const { authorization = 'nothing' } = play.requests[0]?.headers ?? {}
      expect(authorization === `Bearer ${play.key}`, 'Authorization: Bearer and the key', authorization)
    },
  },
  {
    id: 'key-in-target',
    title: 'The key is not part of an address',
    cites: 'advice',
    async play(play) {
      play.answer(LISTED)
      await play.ask(LIST)
      expect(!play.requests[0]?.path.includes(play.key), 'an address without the key', 'the key in the query')
    },
  },
  {
    id: 'key-in-error',
    title: 'An error does not show the key, also where the answer repeats it',
    cites: 'advice',
    async play(play) {
      play.answer(json(401, JSON.stringify({ code: 'unauthorized', message: `no key ${play.key}`, status: 401 })))
      const { error = '' } = await play.ask(GET)
      expect(!error.includes(play.key), 'an error without the key', 'the key in it')
    },
  },
  keepsKey('redirect', 'A redirect to another host does not get the key', LIST, (elsewhere) => ({
    status: 307,
    headers: { Location: `${elsewhere}/pets` },
  })),
  keepsKey('redirect-create', 'Nor does one that answers a new animal', CREATE, (elsewhere) => ({
    status: 307,
    headers: { Location: `${elsewhere}/pets` },
  })),
  keepsKey('next-link', 'Nor does a next page at another host', { call: 'all' }, (elsewhere) =>
    json(200, `[${PET}]`, { Link: `<${elsewhere}/pets?after=7>; rel="next"` }),
  ),
]

const LIMIT: readonly Unplaced[] = [
  {
    id: 'remaining-none',
    title: 'With nothing remaining the next request waits for the reset, or fails unsent',
    cites: 'R15',
    async play(play) {
      const headers = limits(play.clock, 0, 2)
      play.answer(json(200, `[${PET}]`, headers), LISTED)
      await play.ask(LIST)
      await play.ask(LIST)
      const at = play.requests[1]?.atMs ?? Number.POSITIVE_INFINITY
      const reset = Number(headers['X-RateLimit-Reset']) * 1_000
      expect(at >= reset - 30, 'no request before the reset', `one ${(reset - at).toFixed(0)} ms before it`)
    },
  },
  {
    id: 'remaining-few',
    title: 'Calls made at once are no more than what remains',
    cites: 'R15',
    async play(play) {
      const headers = limits(play.clock, 2, 3)
      play.script((_seen, number) =>
        json(200, `[${PET}]`, { ...headers, 'X-RateLimit-Remaining': String(Math.max(0, 3 - number)) }),
      )
      await play.ask(LIST)
      const rest = Promise.all(Array.from({ length: 5 }, () => play.ask(LIST)))
      await Promise.race([rest, play.wait(900)])
      expect(play.requests.length <= 3, '2 more requests before the reset', `${play.requests.length - 1}`)
    },
  },
  {
    id: 'reset-by-date',
    title: 'The reset is one of the clock of the service, which Date tells',
    cites: 'advice',
    async play(play) {
      // An hour behind the client's.
      const headers = limits(play.clock, 0, 2, -3_600_000)
      play.answer(json(200, `[${PET}]`, headers), LISTED)
      await play.ask(GET)
      await Promise.race([play.ask(LIST), play.wait(3_000)])
      const came = (play.requests[1]?.atMs ?? Number.POSITIVE_INFINITY) - (play.requests[0]?.answeredMs ?? 0)
      expect(came >= 950, 'a wait until the reset', `a request after ${came.toFixed(0)} ms`)
    },
  },
]

/** The request of `call` holds what `holds` says. */
function sends(
  id: string,
  title: string,
  cites: ClientCase['cites'],
  call: Call,
  want: RegExp,
  of: 'path' | 'body' | 'type',
): Unplaced {
  return {
    id,
    title,
    cites,
    async play(play) {
      play.answer(call.call === 'create' ? CREATED : LISTED)
      await play.ask(call)
      const { path = '', body = '', headers } = play.requests[0] ?? {}
      const came = { path, body, type: headers?.['content-type'] ?? '' }[of]
      expect(want.test(came), `${of} like ${want.source}`, came)
    },
  }
}

const SUNSET: Reply = {
  ...FOUND,
  headers: { ...FOUND.headers, Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' },
}

const FORMS: readonly Unplaced[] = [
  sends('media-type', 'An animal is sent as application/json', 'R1', CREATE, /^application\/json\b/i, 'type'),
  sends('no-id', 'A new animal is sent without an id', 'R4', CREATE, /^(?!.*"id"\s*:)/s, 'body'),
  sends(
    'no-status',
    'A status that was not given is not sent, not even as null',
    'R3',
    { call: 'create', name: 'Rex', categoryId: 1n },
    /^(?!.*"status")/s,
    'body',
  ),
  sends(
    'filter',
    'A status is sent as it is',
    'R8',
    { call: 'list', status: 'sold' },
    /[?&]status=sold(?:&|$)/,
    'path',
  ),
  sends('limit', 'A limit is sent as it is', 'R7', { call: 'list', limit: 100 }, /[?&]limit=100(?:&|$)/, 'path'),
  {
    id: 'sunset',
    title: 'The Sunset of an operation is told as a warning',
    cites: 'R12',
    async play(play) {
      play.answer(SUNSET)
      const { warning = '' } = await play.ask(GET)
      expect(warning !== '', 'a warning', 'none')
    },
  },
  {
    id: 'sunset-once',
    title: 'It is told once, not with every call',
    cites: 'advice',
    async play(play) {
      play.answer(SUNSET)
      await play.ask(GET)
      const { warning = '' } = await play.ask(GET)
      expect(warning === '', 'one warning', 'a second one')
    },
  },
  {
    id: 'message',
    title: 'The error of a call holds what the service says for people',
    cites: 'R6',
    async play(play) {
      play.answer(refusal(400))
      const { error = '' } = await play.ask({ ...CREATE, name: 'Bad' })
      expect(error.includes('scripted 400'), 'the message of the Error', `"${error}"`)
    },
  },
]

export const REQUESTS: readonly ClientCase[] = [
  ...INTEGERS.map((each) => ({ ...each, section: 'Exact integers' }) as const),
  ...KEYS.map((each) => ({ ...each, section: 'The key' }) as const),
  ...LIMIT.map((each) => ({ ...each, section: 'The limit' }) as const),
  ...FORMS.map((each) => ({ ...each, section: 'Requests' }) as const),
]
