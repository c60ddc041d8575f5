/** Right servers: the reference with changes at open points. */
import {
  bans,
  creates,
  isList,
  reads,
  replies,
  retryAfter,
  selects,
  showsText,
  withHeaders,
  withStatus,
} from './changes.ts'
import { type Change, error, json, PER_MINUTE, together, type Who } from './reference.ts'

/** `count` returns what is left, below zero if the request is refused, and when the limit resets. */
function limiter<State>(
  count: (state: State | undefined, nowMs: number, limit: number) => readonly [left: number, resetMs: number, State],
): Change {
  return () => {
    const states = new Map<Who, State>()
    return {
      take: (who, nowMs) => {
        const limit = PER_MINUTE[who]
        const [left, resetMs, state] = count(states.get(who), nowMs, limit)
        states.set(who, state)
        return { limit, remaining: Math.max(0, Math.floor(left)), resetS: Math.ceil(resetMs / 1000), isOver: left < 0 }
      },
    }
  }
}

/** Counts the requests of the last minute. */
const slidingLog = limiter<readonly number[]>((times = [], nowMs, limit) => {
  const recent = times.filter((atMs) => atMs > nowMs - 60_000)
  const counted = recent.length < limit ? [...recent, nowMs] : recent
  return [limit - recent.length - 1, (counted.at(-1) ?? nowMs) + 60_000, counted]
})

/** An allowance that refills gradually. */
const bucket = limiter<{ readonly level: number; readonly atMs: number }>((before, nowMs, limit) => {
  const { level: last, atMs } = before ?? { level: limit, atMs: nowMs }
  const full = Math.min(limit, last + ((nowMs - atMs) * limit) / 60_000)
  const level = full < 1 ? full : full - 1
  return [full - 1, nowMs + ((limit - level) * 60_000) / limit, { level, atMs: nowMs }]
})

const refusing = (pattern: RegExp) => reads(({ body }) => (pattern.test(body) ? { body: '{}' } : {}))

export const RIGHT: readonly (readonly [what: string, change: Change, notes?: Readonly<Record<string, RegExp>>])[] = [
  ['the reference', () => ({})],
  ['a default status', creates((pet) => ({ status: 'available', ...pet })), { order: /shown by available filter/ }],
  [
    'more members, in another order',
    showsText((text) => text.replace(/^\{("id":-?\d+),(.*)\}$/, '{ "tags":[], $2,\n$1 }')),
  ],
  [
    'the oldest first, and more headers',
    together(
      selects((select, pets, query) => select(pets.toReversed(), query)),
      withHeaders(isList, { 'X-Total-Count': '7' }),
    ),
    { order: /rising id/, paging: /X-Total-Count: 7/ },
  ],
  ['ids from the largest int64 downwards', ({ pets }) => ({ newId: () => 2n ** 63n - 1n - BigInt(pets.length) })],
  ['negative ids', ({ pets }) => ({ newId: () => -BigInt(pets.length) - 1n })],
  ['odd names refused', refusing(/"name":"[^"]*[^\w "-]/), { 'create-name': /refused, 400/ }],
  ['other categories refused', refusing(/"categoryId":(?!1[,}])/), { 'int64-largest': /refused, 400/ }],
  [
    'answers of its own at open points',
    together(
      replies(({ query }, { status }) => status === 400 && query.has('limit'), error(422, 'limit')),
      replies(({ path }, { status }) => status === 404 && path.endsWith('rex'), error(400, 'id')),
      replies(({ path }) => path.endsWith('orders'), json(200, '[]')),
      replies(({ method }) => method === 'HEAD', { status: 405 }),
    ),
    { 'limit-0': /422/, 'get-word': /400/, orders: /200, 0 animals/, head: /405/ },
  ],
  ['a window that slides', together(slidingLog)],
  [
    'a bucket that refills',
    together(
      bucket,
      retryAfter(() => 12),
    ),
  ],
  ['a Retry-After as a date', retryAfter((resetS) => new Date(resetS * 1000).toUTCString())],
  ['a longer Retry-After', retryAfter((resetS, nowMs) => Math.ceil(resetS - nowMs / 1000) + 30)],
  ['an empty 429', replies(withStatus(429), { body: '', headers: { 'Content-Type': undefined } })],
  ['a long ban', bans(5, 200), { 'over-limit-ban': /a ban/ }],
  ['a ban that ends a little after the window', bans(9, 70), { 'over-limit-ban': /a ban/ }],
  ['bytes that are not HTTP left without an answer', replies(({ method }) => method === '', { status: 0 })],
]
