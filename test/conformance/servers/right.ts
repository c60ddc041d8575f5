/**
 * Servers that break nothing, though they differ from the reference: at open points (O numbers), in the limits that they
 * keep, in how answers come over the wire, or in ways that are only suspicious. What does not meet is done by one server.
 */
import type { Pet } from '../../../src/contract/schemas.ts'
import {
  aList,
  always,
  bodies,
  both,
  type Change,
  creates,
  fate,
  instead,
  method,
  path,
  query,
  refusing,
  replies,
  selects,
  showsText,
  status,
  together,
  withBody,
  withHeader,
  without,
  withStatus,
} from './mutate.ts'
import { type Behaviour, CORRECT, error, json, type Limit, PER_MINUTE, type Who } from './reference.ts'
import type { KitRun } from './run-kit.ts'

/** What it is, the change, the cases whose notes tell the difference, and how the kit is run where that matters. */
type Right = readonly [
  what: string,
  change: Change,
  told?: Readonly<Record<string, RegExp>>,
  run?: Omit<KitRun, 'change'>,
]

/** Lists that show an animal only so long after it was created. */
function lagging(ms: number): () => Partial<Behaviour> {
  return () => {
    const seenMs = new Map<bigint, number>()
    return selects((pets, asked, nowMs) => {
      for (const { id } of pets) if (!seenMs.has(id)) seenMs.set(id, nowMs)
      const seen = pets.filter(({ id }) => nowMs - (seenMs.get(id) ?? 0) >= ms)
      return CORRECT.select(seen, asked, nowMs)
    })
  }
}

const ordered = (compare: (a: Pet, b: Pet) => number): Partial<Behaviour> =>
  selects((pets, asked, nowMs) => CORRECT.select(pets.toSorted(compare).reverse(), asked, nowMs))

const toPost: typeof aList = (_reply, incoming) => incoming?.method === 'POST'
const asked = (name: string, value: RegExp): typeof aList => {
  return (_reply, incoming) => value.test(incoming?.query.get(name) ?? '')
}

const ANSWERS: readonly Right[] = [
  ['the reference', {}],
  [
    'a status given to animals created without one',
    creates((pet) => ({ status: 'available', ...pet })),
    { 'create-without-status': /status available is returned/ },
  ],
  [
    'an id of the client ignored, a byte order mark accepted, control characters made spaces',
    {
      readNewPet: (text, incoming) => {
        const read = CORRECT.readNewPet(text.replace(/"id":\d+,|^\uFEFF/, ''), incoming)
        return 'value' in read ? { value: { ...read.value, name: read.value.name.replace(/[\t\n]/g, ' ') } } : read
      },
    },
    {
      'id-not-adopted': /another id assigned/,
      'create-byte-order-mark': /accepted/,
      'create-name-controls': /comes back changed/,
    },
  ],
  [
    'all refused that may be: members, names, numbers',
    refusing(/colour|"name":"(?:\d*|null)"|\\[tn]|7\.0|7e0|"categoryId":7,"categoryId":8|"categoryId":(?:0|-|\d{11})/),
    {
      'create-with-unknown-field': /refused/,
      'create-name-digits': /refused/,
      'create-name-null': /refused/,
      'create-name-empty': /refused/,
      'create-name-controls': /refused/,
      'create-category-point-zero': /refused/,
      'create-category-exponent': /refused/,
      'create-field-twice': /refused/,
      'int64-zero': /refused/,
      'int64-smallest': /refused/,
    },
  ],
  [
    'names refused that are long, or hold more than letters of any script, digits and spaces',
    refusing(/"name":"(?:(?:[^"\\]|\\.){21,}"|[^"]*[^\p{L}\p{N}" -][^"]*")/u),
    { 'create-name-long': /refused/, 'create-name-markup': /refused/ },
  ],
  ['other categories than 1 refused', refusing(/"categoryId":(?!\s*1\s*[,}])/), { 'int64-largest': /refused/ }],
  [
    'more fields than the interface has, in another order and with white space',
    showsText((text) => {
      const members = text.slice(1, -1).split(/,(?="categoryId")/)
      return `{ "tags":[], ${members.reverse().join(',\n')} ,"createdAt":"2027-01-15" }`
    }),
  ],
  ['oldest first', ordered((a, b) => Number(a.id - b.id)), { order: /rising id/ }],
  ['in no order', ordered((a, b) => Number(((a.id * 7919n) % 101n) - ((b.id * 7919n) % 101n)))],
  [
    'invalid parameters brought into range or ignored',
    query((params) => {
      if (params.getAll('limit').length > 1) params.set('limit', '2')
      if (params.get('limit') === '101') params.set('limit', '100')
      if (/^(?:0|many|-1|)$/.test(params.get('limit') ?? 'x')) params.delete('limit')
      if (params.get('status') === 'lost') params.delete('status')
    }),
    {
      'limit-101': /: 200, with 100 animals/,
      'limit-word': /200, with 20/,
      'limit-twice': /2 animals/,
      'status-unknown': /200/,
    },
  ],
  [
    '422 to an invalid limit, nothing found by an unknown status, and unknown parameters refused',
    together(
      replies(both(status(400), asked('limit', /./)), instead(error(422, 'limit'))),
      replies(both(status(400), asked('status', /^lost$/)), instead(json(200, '[]'))),
      replies(asked('colour', /./), instead(error(400, 'colour'))),
    ),
    { 'limit-0': /422/, 'status-unknown': /0 animals/, 'query-unknown': /400/ },
  ],
  [
    '400 to an id that is no number, and ids read that are written otherwise',
    together(
      { find: (pets, id) => CORRECT.find(pets, id.replace(/^0+(?=\d)/, '').replace(/%3(\d)/g, '$1')) },
      replies(both(status(404), path(/pets\/(?!-?\d+$)/)), instead(error(400, 'id'))),
    ),
    { 'get-word': /400/, 'get-leading-zero': /GET/, 'get-percent-encoded': /200/ },
  ],
  [
    'more headers, and more and other members of Errors',
    together(
      replies(aList, withHeader('X-Total-Count', '7')),
      replies(status(201), withHeader('Location', '/v1/pets/1')),
      replies(status(401), withHeader('WWW-Authenticate', 'Bearer')),
      bodies(
        (reply) => reply.status >= 400,
        (body) => body.replace(/"code":"\w*"/, '"code":"E17"').replace(/\}$/, ',"trace":"abc"}'),
      ),
    ),
    { paging: /X-Total-Count: 7/, 'create-location': /Location: /, 'error-codes': /E17/, 'auth-challenge': /Bearer/ },
  ],
  [
    'statuses of its own for what is not of the interface',
    together(
      { whose: (sent, incoming) => CORRECT.whose(sent?.replace(/^bearer /, 'Bearer '), incoming) },
      replies(
        both(toPost, (_, incoming) => (incoming?.body.length ?? 0) > 9_000),
        withStatus(413),
      ),
      replies(
        (_, incoming) =>
          incoming?.method === 'POST' && !/^application\/json$/i.test(`${incoming.headers['content-type']}`),
        instead(error(415, 'JSON')),
      ),
      replies((_, incoming) => incoming?.headers['transfer-encoding'] !== undefined, instead(error(411, 'length'))),
      replies(path(/no-such-path/), instead(error(404, 'path'))),
      replies(both(status(401), asked('limit', /^0$/)), instead(error(400, 'limit'))),
      replies(path(/orders/), instead(json(200, '[]'))),
      replies(status(405), instead(error(501, 'method'))),
      replies(method('HEAD'), withStatus(405)),
      replies(method('OPTIONS'), (reply) =>
        withHeader('Access-Control-Allow-Origin', '*')(withStatus(204)(withBody('')(reply))),
      ),
      fate('reset', ({ path }) => path.length > 6_000),
    ),
    {
      'auth-scheme-lower-case': /200/,
      'create-name-long': /413/,
      'create-text-plain': /415/,
      'create-chunked': /411/,
      'auth-before-path': /404/,
      'auth-list-invalid-without-key': /400/,
      'store-orders': /200/,
      'delete-list': /501/,
      head: /405/,
      preflight: /204.*Access-Control-Allow-Origin: \*/,
      'path-long': /no answer came/,
    },
  ],
  ['lists three seconds behind', lagging(3_000), { 'list-shows-created': /behind what was created/ }],
  ['ids that are negative', { newId: (pets) => -BigInt(pets.length) - 1n }],
  ['ids from the far end of 64 bits', { newId: (pets) => 9_223_372_036_854_000_000n + BigInt(pets.length) }],
]

/**
 * Counts each request by `count`, whose state is of each server and sender its own: what is left after the request,
 * below zero where it is refused, when the limit says that it is whole again, and the state from then on.
 */
function limiter<State>(
  count: (state: State | undefined, nowMs: number, limit: number) => readonly [left: number, resetMs: number, State],
): () => Partial<Behaviour> {
  return () => {
    const states = new Map<Who, State>()
    const take = (who: Who, nowMs: number): Limit => {
      const limit = PER_MINUTE[who]
      const [left, resetMs, state] = count(states.get(who), nowMs, limit)
      states.set(who, state)
      return { limit, remaining: Math.max(0, Math.floor(left)), resetS: Math.ceil(resetMs / 1000), isOver: left < 0 }
    }
    return { take }
  }
}

/** A window that begins with the first request in it. */
const ownWindow = limiter<{ readonly endMs: number; readonly left: number }>((before, nowMs, limit) => {
  const window = before === undefined || nowMs >= before.endMs ? { endMs: nowMs + 60_000, left: limit } : before
  return [window.left - 1, window.endMs, { ...window, left: Math.max(0, window.left - 1) }]
})

/** The requests of the last minute count; Reset is when all of them are past. */
const sliding = limiter<readonly number[]>((times = [], nowMs, limit) => {
  const recent = times.filter((atMs) => atMs > nowMs - 60_000)
  const counted = recent.length < limit ? [...recent, nowMs] : recent
  return [limit - recent.length - 1, (counted.at(-1) ?? nowMs) + 60_000, counted]
})

/** An allowance that comes back little by little; Reset is when it is whole again. */
const bucket = limiter<{ readonly level: number; readonly atMs: number }>((before, nowMs, limit) => {
  const { level: last, atMs } = before ?? { level: limit, atMs: nowMs }
  const full = Math.min(limit, last + ((nowMs - atMs) * limit) / 60_000)
  const level = full < 1 ? full : full - 1
  return [full - 1, nowMs + ((limit - level) * 60_000) / limit, { level, atMs: nowMs }]
})

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS

/**
 * A minute and a day, each of so many for the limited key; `describes` chooses which of them the headers are about
 * (O11), and Retry-After is about the one that blocks.
 */
function minuteAndDay(
  [perMinute, perDay]: readonly [number, number],
  describes: (isOver: boolean) => 'minute' | 'day',
): () => Partial<Behaviour> {
  return () => {
    const used = new Map<string, number>()
    let blockedUntilS = 0
    const take = (who: Who, nowMs: number): Limit => {
      const windows = {
        minute: { limit: who === 'limited' ? perMinute : PER_MINUTE[who], ms: MINUTE_MS },
        day: { limit: who === 'limited' ? perDay : 100_000, ms: DAY_MS },
      }
      const of = (name: 'minute' | 'day') => {
        const { limit, ms } = windows[name]
        const key = `${who} ${name} ${Math.floor(nowMs / ms)}`
        return { key, limit, used: used.get(key) ?? 0, resetS: ((Math.floor(nowMs / ms) + 1) * ms) / 1000 }
      }
      const full = (['minute', 'day'] as const).map(of).filter((window) => window.used >= window.limit)
      const isOver = full.length > 0
      blockedUntilS = Math.max(...full.map(({ resetS }) => resetS))
      if (!isOver) for (const { key, used: before } of [of('minute'), of('day')]) used.set(key, before + 1)
      const told = of(describes(isOver))
      return { limit: told.limit, remaining: told.limit - told.used, resetS: told.resetS, isOver }
    }
    return { take, retryAfter: (_limit, nowMs) => String(Math.ceil(blockedUntilS - nowMs / 1000)) }
  }
}

/** So that the day ends while the kit waits for it. */
const BEFORE_MIDNIGHT = { startMs: Date.UTC(2027, 0, 15, 23, 50, 12) }
const LONG_BEFORE_MIDNIGHT = { startMs: Date.UTC(2027, 0, 15, 23, 46, 12) }

/** A key that is refused so often in a minute is refused for ten (R17). */
const banning = (after: number) =>
  limiter<{ readonly minute: number; used: number; refusals: number; bannedUntilMs: number }>(
    (before, nowMs, limit) => {
      const minute = Math.floor(nowMs / 60_000)
      const { refusals = 0, bannedUntilMs = 0 } = before ?? {}
      const state = { minute, used: before?.minute === minute ? before.used : 0, refusals, bannedUntilMs }
      const isBanned = nowMs < bannedUntilMs
      const isOver = isBanned || state.used >= limit
      if (!isOver) state.used += 1
      else if (limit === PER_MINUTE.limited && !isBanned && ++state.refusals === after)
        state.bannedUntilMs = nowMs + 600_000
      const resetMs = nowMs < state.bannedUntilMs ? state.bannedUntilMs : (minute + 1) * 60_000
      return [isOver ? -1 : limit - state.used, resetMs, state]
    },
  )

const isMalformed: typeof always = (_reply, incoming) => incoming === undefined

/** A clock that is so many seconds ahead of the kit's, as its Date says. */
function aheadBy(seconds: number): Partial<Behaviour> {
  return {
    resetS: (nowMs) => CORRECT.resetS(nowMs) + seconds,
    retryAfter: ({ resetS }, nowMs) => CORRECT.retryAfter({ resetS: resetS - seconds } as Limit, nowMs),
    finish: (reply, _incoming, nowMs) => withHeader('Date', new Date(nowMs + seconds * 1_000).toUTCString())(reply),
  }
}

const LIMITS: readonly Right[] = [
  ['windows that begin with the first request', ownWindow],
  ['headers that describe the day, though the minute blocks', minuteAndDay([5, 1_000], () => 'day')],
  [
    'headers that describe the minute, though the day blocks',
    minuteAndDay([60, 20], () => 'minute'),
    {},
    BEFORE_MIDNIGHT,
  ],
  ['the day on a 429 and else, where the day blocks', minuteAndDay([60, 20], () => 'day'), {}, LONG_BEFORE_MIDNIGHT],
  ['a ban after five refusals', banning(5), { 'over-limit-ban': /looks like a ban|no ban/ }],
  ['a window that slides', sliding],
  ['a bucket that fills little by little', () => ({ ...bucket(), retryAfter: () => '12' })],
  [
    'Retry-After as an HTTP date',
    { retryAfter: ({ resetS }) => new Date(resetS * 1000).toUTCString() },
    { 'retry-after': /GMT/ },
  ],
  [
    'a Retry-After longer than the reset',
    { retryAfter: ({ resetS }, nowMs) => String(Math.ceil(resetS - nowMs / 1000) + 30) },
    { 'retry-after-suffices': /Served at the reset/ },
  ],
  [
    'an empty 429',
    replies(status(429), (reply) => withBody('')(without('Content-Type')(reply))),
    { 'over-limit-body': /none/ },
  ],
  ['a 429 with a body of its own', replies(status(429), withBody('{"retry":true}')), { 'over-limit-body': /retry/ }],
  [
    'header names in lower case, those of the IETF draft as well, and a charset',
    replies(always, ({ headers, ...reply }) => {
      const all = { ...headers, RateLimit: '"default";r=1;t=60', 'Content-Type': 'application/json; charset=utf-8' }
      return {
        ...reply,
        headers: Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value])),
      }
    }),
  ],
  [
    'refusals over the limit that say another window, no count without a key, and a 503 without a body to TRACE',
    {
      limitHeaders: (limit, incoming) =>
        CORRECT.limitHeaders(limit.isOver ? { ...limit, limit: 1000 } : limit, incoming),
      count: (used, who) => (who === 'address' ? { used: 0, isOver: false } : CORRECT.count(used, who)),
      ...replies(method('TRACE'), (reply) => withBody('')(withStatus(503)(reply))),
    },
    { 'over-limit-remaining-0': /another window/, 'limit-401': /not falling/ },
  ],
  [
    'no Date, and a clock that is 20 minutes late',
    { ...aheadBy(-1_200), finish: without('Date') },
    { 'headers-200-list': /behind this machine's clock/ },
  ],
  ['a clock that is 20 minutes early, as its Date says', aheadBy(1_200)],
  ['malformed HTTP left without an answer', replies(isMalformed, withStatus(0)), { 'not-http': /no answer came/ }],
]

const OLD: Pet = { id: 0n, name: 'Old', categoryId: 7n, status: 'available' }

const DELIVERIES: Readonly<Record<string, Behaviour['deliver']>> = {
  'answers byte by byte at first': (response, { status, headers, body }) => {
    response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).flushHeaders()
    const bytes = Buffer.from(body)
    const step = (at: number): void => {
      if (at >= bytes.length || at === 4) response.end(bytes.subarray(at))
      else response.write(bytes.subarray(at, at + 1), () => setImmediate(step, at + 1))
    }
    step(0)
  },
  'a 103 before every answer': (response, { status, headers, body }) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.writeHead(status, headers).end(body)
  },
  'answers that end with their connection': (response, { status, headers, body }) => {
    response.useChunkedEncodingByDefault = false
    response.removeHeader('Transfer-Encoding')
    response.writeHead(status, { ...headers, Connection: 'close' }).end(body)
  },
  'connections that are closed while they lie idle': (response, { status, headers, body }) => {
    response.writeHead(status, headers).end(body, () => setImmediate(() => response.socket?.end()))
  },
}

const OTHERS: readonly Right[] = [
  ...Object.entries(DELIVERIES).map(([what, deliver]) => [what, { deliver }] as const),
  [
    'no category 1, and an animal of another there',
    {
      ...refusing(/"categoryId":1[,}]/),
      select: (pets, query, nowMs) => CORRECT.select([OLD, ...pets], query, nowMs),
      find: (pets, id) => CORRECT.find([OLD, ...pets], id),
    },
  ],
  ['no category 1, another one given', refusing(/"categoryId":1[,}]/), {}, { category: 7n }],
]

export const RIGHT: readonly Right[] = [...ANSWERS, ...LIMITS, ...OTHERS]
