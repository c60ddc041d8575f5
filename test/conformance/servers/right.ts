/**
 * Servers that break nothing, though they differ from the reference: at open points (O numbers), in the limits that they
 * keep, in how answers come over the wire, or in ways that are only suspicious. What does not meet is done by one server.
 */
import type { Pet } from '../../../src/contract/schemas.ts'
import {
  A_LIST,
  banning,
  bodies,
  counts,
  creates,
  fate,
  query,
  reads,
  readsBody,
  refusing,
  replies,
  retryAfter,
  selects,
  showsText,
} from './mutate.ts'
import { type Behaviour, type Change, error, json, type Limit, PER_MINUTE, together, type Who } from './reference.ts'
import type { KitRun } from './run-kit.ts'

/** The changes by what they are, the cases whose notes match each pattern, and how the kit is run where that matters. */
interface Right {
  readonly changes: Readonly<Record<string, Change>>
  readonly notes?: Readonly<Record<string, string>>
  readonly run?: Omit<KitRun, 'change'>
}

/** Lists that show an animal only so long after it was created. */
const lagging =
  (ms: number): Change =>
  ({ select }) => {
    const seenMs = new Map<bigint, number>()
    return {
      select(pets, asked, nowMs) {
        for (const { id } of pets) if (!seenMs.has(id)) seenMs.set(id, nowMs)
        const seen = pets.filter(({ id }) => nowMs - (seenMs.get(id) ?? 0) >= ms)
        return select(seen, asked, nowMs)
      },
    }
  }

const ordered = (compare: (a: Pet, b: Pet) => number): Change =>
  selects((select, pets, asked) => select(pets.toSorted(compare).reverse(), asked))

const numbered = (idOf: (count: number) => bigint): Change => {
  return ({ pets }) => ({ newId: () => idOf(pets.length) })
}

const ANSWERS: readonly Right[] = [
  { changes: { 'the reference': () => ({}) } },
  {
    changes: {
      'all accepted that may be: an id of the client ignored, a byte order mark, control characters made spaces':
        readsBody((body) => body.replace(/"id":\d+,|^\uFEFF/, '').replace(/(?<!\\)\\[tn]/g, ' ')),
      'a status given to animals created without one': creates((pet) => ({ status: 'available', ...pet })),
      'more fields than the interface has, in another order and with white space': showsText((text) => {
        const members = text.slice(1, -1).split(/,(?="categoryId")/)
        return `{ "tags":[], ${members.reverse().join(',\n')} ,"createdAt":"2027-01-15" }`
      }),
      'invalid parameters brought into range or ignored': query((params) => {
        if (params.getAll('limit').length > 1) params.set('limit', '2')
        if (params.get('limit') === '101') params.set('limit', '100')
        if (/^(?:0|many|-1|)$/.test(params.get('limit') ?? 'x')) params.delete('limit')
        if (params.get('status') === 'lost') params.delete('status')
      }),
      'more headers': together(
        replies(A_LIST, { headers: { 'X-Total-Count': '7' } }),
        replies({ status: 201 }, { headers: { Location: '/v1/pets/1' } }),
        replies({ status: 401 }, { headers: { 'WWW-Authenticate': 'Bearer' } }),
      ),
      'more and other members of Errors': bodies(
        (_, reply) => reply.status >= 400,
        (body) => body.replace(/"code":"\w*"/, '"code":"E17"').replace(/\}$/, ',"trace":"abc"}'),
      ),
      'oldest first': ordered((a, b) => Number(a.id - b.id)),
      'ids from the far end of 64 bits': numbered((count) => 9_223_372_036_854_000_000n + BigInt(count)),
    },
    notes: {
      'status available is returned': 'create-without-status',
      'another id assigned': 'id-not-adopted',
      accepted: 'create-byte-order-mark',
      'comes back changed': 'create-name-controls',
      ': 200, with 100 animals': 'limit-101',
      '200, with 20': 'limit-word',
      '2 animals': 'limit-twice',
      '200': 'status-unknown',
      'X-Total-Count: 7': 'paging',
      'Location: ': 'create-location',
      E17: 'error-codes',
      Bearer: 'auth-challenge',
      'rising id': 'order',
    },
  },
  {
    changes: {
      'all refused that may be: members, names, numbers': refusing(
        /colour|"name":"(?:\d*|null)"|\\[tn]|7\.0|7e0|"categoryId":7,"categoryId":8|"categoryId":(?:0|-|\d{11})/,
      ),
      '422 to an invalid limit': replies({ status: 400, target: /[?&]limit=/ }, error(422, 'limit')),
      'nothing found by an unknown status': replies({ status: 400, target: /status=lost$/ }, json(200, '[]')),
      'unknown parameters refused': replies({ target: /colour=/ }, error(400, 'colour')),
      '400 to an id that is no number': replies({ status: 404, path: /pets\/(?!-?\d+$)/ }, error(400, 'id')),
    },
    notes: {
      refused:
        'create-with-unknown-field create-name-digits create-name-null create-name-empty create-name-controls create-category-point-zero create-category-exponent create-field-twice int64-zero int64-smallest',
      '422': 'limit-0',
      '0 animals': 'status-unknown',
      '400': 'query-unknown get-word',
    },
  },
  {
    changes: {
      'names refused that are long, or hold more than letters of any script, digits and spaces': refusing(
        /"name":"(?:(?:[^"\\]|\\.){21,}"|[^"]*[^\p{L}\p{N}" -][^"]*")/u,
      ),
      'other categories than 1 refused': refusing(/"categoryId":(?!\s*1\s*[,}])/),
      'ids that are negative': numbered((count) => -BigInt(count) - 1n),
    },
    notes: { refused: 'create-name-long create-name-markup int64-largest' },
  },
  {
    changes: {
      'statuses of its own for what is not of the interface': together(
        reads(({ authorization }) => ({ authorization: authorization?.replace(/^bearer /, 'Bearer ') })),
        replies(({ method, body }) => method === 'POST' && body.length > 9_000, { status: 413 }),
        replies(
          ({ method, headers }) => method === 'POST' && !/^application\/json$/i.test(`${headers['content-type']}`),
          error(415, 'JSON'),
        ),
        replies({ headers: { 'transfer-encoding': /^(?!undefined)./ } }, error(411, 'length')),
        replies({ path: /no-such-path/ }, error(404, 'path')),
        replies({ status: 401, target: /limit=0$/ }, error(400, 'limit')),
        replies({ path: /orders/ }, json(200, '[]')),
        replies({ status: 405 }, error(501, 'method')),
        replies({ method: 'HEAD' }, { status: 405 }),
        replies({ method: 'OPTIONS' }, { status: 204, headers: { 'Access-Control-Allow-Origin': '*' }, body: '' }),
        fate('reset', ({ path }) => path.length > 6_000),
      ),
      'ids read that are written otherwise': reads(({ path }) => ({
        path: path.replace(/(?<=pets\/)0+(?=\d)/, '').replace(/%3(\d)/g, '$1'),
      })),
      'in no order': ordered((a, b) => Number(((a.id * 7919n) % 101n) - ((b.id * 7919n) % 101n))),
      'lists three seconds behind': lagging(3_000),
    },
    notes: {
      '200': 'auth-scheme-lower-case store-orders get-percent-encoded',
      '413': 'create-name-long',
      '415': 'create-text-plain',
      '411': 'create-chunked',
      '404': 'auth-before-path',
      '400': 'auth-list-invalid-without-key',
      '501': 'delete-list',
      '405': 'head',
      '204.*Access-Control-Allow-Origin: \\*': 'preflight',
      'no answer came': 'path-long',
      GET: 'get-leading-zero',
      'behind what was created': 'list-shows-created',
    },
  },
]

/**
 * Counts each request by `count`, whose state is of each server and sender its own: what is left after the request,
 * below zero where it is refused, when the limit says that it is whole again, and the state from then on.
 */
function limiter<State>(
  count: (state: State | undefined, nowMs: number, limit: number) => readonly [left: number, resetMs: number, State],
): Change {
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
): Change {
  return (before) => {
    const used = new Map<string, number>()
    let blockedUntilS = 0
    const take = (who: Who, nowMs: number): Limit => {
      const quotas = who === 'limited' ? { minute: perMinute, day: perDay } : { minute: PER_MINUTE[who], day: 100_000 }
      const window = (name: 'minute' | 'day', ms: number) => {
        const key = `${who} ${name} ${Math.floor(nowMs / ms)}`
        const resetS = ((Math.floor(nowMs / ms) + 1) * ms) / 1000
        return { key, limit: quotas[name], used: used.get(key) ?? 0, resetS }
      }
      const windows = { minute: window('minute', MINUTE_MS), day: window('day', DAY_MS) }
      const full = Object.values(windows).filter((each) => each.used >= each.limit)
      const isOver = full.length > 0
      blockedUntilS = Math.max(...full.map(({ resetS }) => resetS))
      if (!isOver) for (const each of Object.values(windows)) used.set(each.key, ++each.used)
      const { limit, used: counted, resetS } = windows[describes(isOver)]
      return { limit, remaining: limit - counted, resetS, isOver }
    }
    return { ...retryAfter((_, nowMs) => Math.ceil(blockedUntilS - nowMs / 1000))(before), take }
  }
}

/** So that the day ends while the kit waits for it. */
const BEFORE_MIDNIGHT = { startMs: Date.UTC(2027, 0, 15, 23, 50, 12) }
const LONG_BEFORE_MIDNIGHT = { startMs: Date.UTC(2027, 0, 15, 23, 46, 12) }

/** A clock that is so many seconds ahead of the kit's, as its Date says. */
const aheadBy = (seconds: number): Change =>
  replies({}, ({ headers }, nowMs) => ({
    headers: {
      Date: new Date(nowMs + seconds * 1_000).toUTCString(),
      'X-RateLimit-Reset': `${Number(headers['X-RateLimit-Reset']) + seconds}`,
    },
  }))

const LIMITS: readonly Right[] = [
  {
    changes: {
      'windows that begin with the first request': ownWindow,
      'Retry-After as an HTTP date': retryAfter((resetS) => new Date(resetS * 1000).toUTCString()),
      'an empty 429': replies({ status: 429 }, { body: '', headers: { 'Content-Type': undefined } }),
      'header names in lower case, those of the IETF draft as well, and a charset': ({ finish }) => ({
        finish(...it) {
          const { headers, ...reply } = finish(...it)
          const type = headers['Content-Type'] && { 'Content-Type': 'application/json; charset=utf-8' }
          const all = Object.entries({ ...headers, RateLimit: '"default";r=1;t=60', ...type })
          return { ...reply, headers: Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), value])) }
        },
      }),
    },
    notes: { GMT: 'retry-after', none: 'over-limit-body' },
  },
  { changes: { 'headers that describe the day, though the minute blocks': minuteAndDay([5, 1_000], () => 'day') } },
  {
    changes: { 'headers that describe the minute, though the day blocks': minuteAndDay([60, 20], () => 'minute') },
    run: BEFORE_MIDNIGHT,
  },
  {
    changes: { 'the day on a 429 and else, where the day blocks': minuteAndDay([60, 20], () => 'day') },
    run: LONG_BEFORE_MIDNIGHT,
  },
  {
    changes: { 'a ban after five refusals': banning(5, 600_000, true) },
    notes: { 'looks like a ban|no ban': 'over-limit-ban' },
  },
  {
    changes: {
      'a window that slides': sliding,
      'a 429 with a body of its own': replies({ status: 429 }, { body: '{"retry":true}' }),
      'malformed HTTP left without an answer': replies({ method: '' }, { status: 0 }),
    },
    notes: { retry: 'over-limit-body', 'no answer came': 'not-http' },
  },
  {
    changes: {
      'a bucket that fills little by little': together(
        bucket,
        retryAfter(() => 12),
      ),
    },
  },
  {
    changes: {
      'a Retry-After longer than the reset': retryAfter((resetS, nowMs) => Math.ceil(resetS - nowMs / 1000) + 30),
      'a clock that is 20 minutes early, as its Date says': aheadBy(1_200),
    },
    notes: { 'Served at the reset': 'retry-after-suffices' },
  },
  {
    changes: {
      'refusals over the limit that say another window': counts(({ isOver }) => (isOver ? { limit: 1000 } : {})),
      'no count without a key': ({ take }) => ({
        take: async (who, ...it) => ({
          ...(await take(who, ...it)),
          ...(who === 'address' && { remaining: 60, isOver: false }),
        }),
      }),
      'a 503 without a body to TRACE': replies({ method: 'TRACE' }, { status: 503, body: '' }),
    },
    notes: { 'another window': 'over-limit-remaining-0', 'not falling': 'limit-401' },
  },
  {
    changes: {
      'no Date, and a clock that is 20 minutes late': together(
        aheadBy(-1_200),
        replies({}, { headers: { Date: undefined } }),
      ),
    },
    notes: { "behind this machine's clock": 'headers-200-list' },
  },
]

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

const OLD: Pet = { id: 0n, name: 'Old', categoryId: 7n, status: 'available' }
const withoutFirst = refusing(/"categoryId":1[,}]/)

const OTHERS: readonly Right[] = [
  ...Object.entries(DELIVERIES).map(([what, deliver]) => ({ changes: { [what]: () => ({ deliver }) } })),
  {
    changes: {
      'no category 1, and an animal of another there': ({ pets, ...before }) => {
        pets.push(OLD)
        return { ...withoutFirst({ pets, ...before }), newId: () => BigInt(pets.length) }
      },
    },
  },
  { changes: { 'no category 1, another one given': withoutFirst }, run: { category: 7n } },
]

export const RIGHT: readonly Right[] = [...ANSWERS, ...LIMITS, ...OTHERS]
