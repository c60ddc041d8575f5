/** The wrong servers: what is wrong, the change of the reference, and exactly the cases that find it (R1-R18). */
import {
  accepts,
  bans,
  counts,
  creates,
  isFetch,
  isList,
  NO_LIMITS,
  reads,
  replies,
  retryAfter,
  rounded,
  selects,
  showsText,
  takes,
  withHeaders,
  withStatus,
} from './changes.ts'
import { type Behaviour, type Change, error, KEY, PER_MINUTE } from './reference.ts'

const stores =
  (status: number): Change =>
  ({ pets, finish }) => ({
    finish: (reply, incoming, nowMs) => {
      const name = /"name":"([^"]*)"/.exec(incoming.body)?.[1]
      if (reply.status === status && name)
        pets.push({ id: BigInt(pets.length + 1), name, categoryId: 1n, status: 'pending' })
      return finish(reply, incoming, nowMs)
    },
  })

/** A window that starts again with each request. */
const sliding: Change = (before) => {
  let [count, endMs] = [0, 0]
  const take: Behaviour['take'] = (who, nowMs, incoming) => {
    if (who !== 'limited') return before.take(who, nowMs, incoming)
    const limit = PER_MINUTE[who]
    if (nowMs >= endMs) count = 0
    count += 1
    endMs = nowMs + 60_000
    return { limit, remaining: Math.max(0, limit - count), resetS: Math.ceil(endMs / 1000), isOver: count > limit }
  }
  return { take }
}

export const WRONG: readonly (readonly [what: string, change: Change, foundBy: string])[] = [
  ['a list in an envelope', replies(isList, ({ body }) => ({ body: `{"pets":${body}}` })), 'list'],
  ['200 to a creation', replies(withStatus(201), { status: 200 }), 'create'],
  ['a status for all', creates((pet) => ({ ...pet, status: 'available' })), 'create-pending'],
  [
    'null for a missing status',
    showsText((text) => text.replace(/(?<!"status":"\w+")\}$/, ',"status":null}')),
    'create-without-status',
  ],
  ['trimmed names', creates((pet) => ({ ...pet, name: pet.name.trim() })), 'create-name'],
  ['int64s rounded', showsText((text) => text.replace(/(?<="categoryId":)-?\d+/, rounded)), 'int64-above-double'],
  ['negative int64s refused', creates((pet) => (pet.categoryId < 0n ? undefined : pet)), 'int64-smallest'],
  ['one id for all', () => ({ newId: () => 1n }), 'list-as-created'],
  [
    'the id of the client',
    (before) => {
      let own: string | undefined
      const change = reads(({ body }) => {
        own = /"id":(\d+)/.exec(body)?.[1]
        return { body: body.replace(/"id":\d+,/, '') }
      })
      return { ...change(before), newId: () => (own ? BigInt(own) : before.newId()) }
    },
    'id-not-adopted',
  ],
  ['animals that are not stored', () => ({ keep: () => undefined }), 'list-as-created get'],
  [
    'one animal too many',
    selects((select, pets, query) => select(pets, { ...query, limit: query.limit === 1 ? 2 : query.limit })),
    'limit-1',
  ],
  ['status ignored', selects((select, pets, { status: _, ...query }) => select(pets, query)), 'filter-available'],
  [
    'the filter after the limit',
    selects((select, pets, query) => select(query.limit > 1 ? pets : pets.slice(-1), query)),
    'filter-with-limit',
  ],
  ['gone before its time', replies(isFetch, error(404, 'gone')), 'get'],
  [
    '400 for an unused id',
    replies(({ path }, { status }) => status === 404 && /\d$/.test(path), { status: 400 }),
    'get-missing-large',
  ],
  ['no validation', takes(/^(?!.*"categoryId":\s*-?\d+[,}]).*$|null|"lost"|SOLD|^\[|"name":7/s), 'refuse-fields'],
  ['text as a number', takes(/"categoryId":"7"/), 'refuse-category-string'],
  ['refused animals stored', stores(400), 'refused-not-stored'],
  [
    'any key',
    accepts(({ authorization }) => authorization?.includes('never-issued') === true),
    'list-unknown-key create-unknown-key get-unknown-key',
  ],
  [
    '400 before 401',
    replies(({ body }, { status }) => status === 401 && body === '{}', error(400, 'which fields?')),
    'auth-create-invalid',
  ],
  ['the key in the query', accepts(({ query }) => query.get('api_key') === KEY), 'auth-key-in-query'],
  ['animals stored without a key', stores(401), 'auth-nothing-stored'],
  [
    'Remaining that never falls',
    counts(({ limit }, who) => (who === 'key' ? { remaining: limit } : {})),
    'remaining-falls',
  ],
  [
    'Reset in milliseconds',
    replies(withStatus(200), ({ headers }) => ({
      headers: { 'X-RateLimit-Reset': `${headers['X-RateLimit-Reset']}000` },
    })),
    'every-limit-headers',
  ],
  ['no limit headers on a 404', withHeaders(withStatus(404), NO_LIMITS), 'every-limit-headers'],
  [
    'no limit headers on what is not HTTP',
    withHeaders(({ method }) => method === '', NO_LIMITS),
    'every-limit-headers-strict',
  ],
  ['errors as text', withHeaders(withStatus(400), { 'Content-Type': 'text/plain' }), 'every-json'],
  ['no status in an Error', replies(withStatus(401), { body: '{"code":"no","message":"no"}' }), 'every-error'],
  [
    'Remaining too high',
    counts(({ remaining, limit, isOver }) => ({ remaining: isOver ? 0 : Math.min(limit, remaining + 1) })),
    'remaining-is-served',
  ],
  [
    'Retry-After a second short',
    retryAfter((resetS, nowMs) => Math.ceil(resetS - nowMs / 1000) - 3),
    'retry-after-suffices',
  ],
  [
    'Retry-After of GET alone',
    withHeaders(({ method }, { status }) => status === 429 && method !== 'GET', { 'Retry-After': undefined }),
    'every-429',
  ],
  ['a 429 that is HTML', replies(withStatus(429), { body: '<h1>429</h1>' }), 'every-429'],
  [
    'a Reset an hour ahead',
    replies(withStatus(200, 429), ({ headers }) => ({
      headers: { 'X-RateLimit-Reset': `${Number(headers['X-RateLimit-Reset']) + 3_600}` },
    })),
    'reset-is-true',
  ],
  ['a window that each request begins anew', sliding, 'reset-stays'],
  ['a ban of all keys', bans(6, 600, true), 'over-limit-other-key'],
]
