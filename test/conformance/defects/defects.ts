/**
 * Servers that are wrong in one way each, told as what they do otherwise than the correct one, with the case that has to
 * catch them and the requirement it names. After them, servers that answer an open point in their own way: no failure.
 */

import type { Statement } from '../../../src/conformance/statements.ts'
import { petJson } from '../../../src/contract/json.ts'
import type { NewPet, Pet } from '../../../src/contract/schemas.ts'
import { type Behaviour, CORRECT, error, type Incoming, json, KEY, type Reply } from './server.ts'

export interface Defect {
  readonly what: string
  readonly change: Partial<Behaviour>
  /** The id of the case. */
  readonly caughtBy: string
  readonly statement: Statement
}

/** A last hand on the replies that `when` picks out. */
function replies(
  when: (reply: Reply, incoming: Incoming | undefined) => boolean,
  alter: (reply: Reply) => Reply,
): Partial<Behaviour> {
  return { finish: (reply, incoming) => (when(reply, incoming) ? alter(reply) : reply) }
}

const status = (code: number) => (reply: Reply) => reply.status === code

function without(header: string): (reply: Reply) => Reply {
  return (reply) => ({
    ...reply,
    headers: Object.fromEntries(Object.entries(reply.headers).filter(([name]) => name !== header)),
  })
}

function withoutLimitHeaders(reply: Reply): Reply {
  return ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].reduce(
    (left, name) => without(name)(left),
    reply,
  )
}

function withHeader(name: string, value: (reply: Reply) => string): (reply: Reply) => Reply {
  return (reply) => ({ ...reply, headers: { ...reply.headers, [name]: value(reply) } })
}

const reset = (value: (resetS: number) => string) =>
  replies(
    () => true,
    withHeader('X-RateLimit-Reset', ({ headers }) => value(Number(headers['X-RateLimit-Reset']))),
  )

/** Changes members of the Error bodies of answers with `code`. */
function errorBodies(code: number, change: Record<string, unknown>): Partial<Behaviour> {
  return replies(status(code), (reply) => ({
    ...reply,
    body: JSON.stringify({ ...JSON.parse(reply.body), ...change }),
  }))
}

/** Reads a body as if it had been sent otherwise. */
function reading(pattern: RegExp, replacement: string): Partial<Behaviour> {
  return { readNewPet: (text) => CORRECT.readNewPet(text.replace(pattern, replacement)) }
}

function query(change: (params: URLSearchParams) => void): Partial<Behaviour> {
  return {
    readQuery: (params) => {
      const changed = new URLSearchParams(params)
      change(changed)
      return CORRECT.readQuery(changed)
    },
  }
}

const rounded = (value: bigint): string => String(Number(value))

/** Stores the animal of a creation that is refused with `code`. */
function storesRefused(code: number): Partial<Behaviour> {
  return {
    onRefusal: (refusedWith, { method, body }, pets) => {
      const name = /"name":("[^"]*")/.exec(body)?.[1]
      if (refusedWith !== code || method !== 'POST' || name === undefined) return
      pets.push({ id: BigInt(pets.length + 1), name: JSON.parse(name), categoryId: 1n, status: 'available' })
    },
  }
}

function accepts(isGood: (authorization: string, incoming: Incoming) => boolean): Partial<Behaviour> {
  return {
    whose: (authorization = '', incoming) =>
      isGood(authorization, incoming) ? 'key' : CORRECT.whose(authorization, incoming),
  }
}

const keeps = (change: (pet: Pet) => Pet): Partial<Behaviour> => ({ keep: (pet) => change(pet) })

function creates(change: (pet: NewPet) => NewPet): Partial<Behaviour> {
  return {
    readNewPet: (text) => {
      const checked = CORRECT.readNewPet(text)
      return 'value' in checked ? { value: change(checked.value) } : checked
    },
  }
}

const LIMIT_HEADERS: readonly Defect[] = [
  ...(
    [
      ['a list', (reply, incoming) => reply.status === 200 && incoming?.path === '/v1/pets', 'headers-200-list'],
      [
        'a fetched animal',
        (reply, incoming) => reply.status === 200 && incoming?.path !== '/v1/pets',
        'headers-200-get',
      ],
      ['a 201', status(201), 'headers-201'],
      ['a 400', status(400), 'headers-400'],
      ['a 401', status(401), 'headers-401'],
      ['a 404', status(404), 'headers-404'],
      ['a 405', status(405), 'delete-list'],
      ['a 429', status(429), 'over-limit-headers'],
      ['HEAD', (_reply, incoming) => incoming?.method === 'HEAD', 'head'],
      ['malformed HTTP', (_reply, incoming) => incoming === undefined, 'not-http'],
      ['an unknown path alone', (_reply, incoming) => incoming?.path === '/v1/no-such-path', 'path-unknown'],
    ] satisfies [string, Parameters<typeof replies>[0], string][]
  ).map(
    ([kind, when, caughtBy]): Defect => ({
      what: `no limit headers on ${kind}`,
      change: replies(when, withoutLimitHeaders),
      caughtBy,
      statement: 'R15',
    }),
  ),
  {
    what: 'no X-RateLimit-Reset on an answer that only the look back over the run sees',
    change: replies((_reply, incoming) => incoming?.query.get('limit') === 'many', without('X-RateLimit-Reset')),
    caughtBy: 'every-answer-limit-headers',
    statement: 'R15',
  },
  { what: 'Reset in milliseconds', change: reset((s) => `${s}000`), caughtBy: 'headers-200-list', statement: 'R15' },
  {
    what: 'Reset as the seconds to go',
    change: reset((s) => String(s % 60)),
    caughtBy: 'headers-200-list',
    statement: 'R15',
  },
  { what: 'Reset as a fraction', change: reset((s) => `${s}.5`), caughtBy: 'headers-200-list', statement: 'R15' },
  {
    what: 'Reset as a date',
    change: reset((s) => new Date(s * 1000).toUTCString()),
    caughtBy: 'headers-200-list',
    statement: 'R15',
  },
  { what: 'Reset an hour ago', change: reset((s) => String(s - 3600)), caughtBy: 'headers-200-list', statement: 'R15' },
  {
    what: 'Limit with a policy after it',
    change: replies(
      () => true,
      withHeader('X-RateLimit-Limit', () => '60;w=60'),
    ),
    caughtBy: 'headers-201',
    statement: 'R15',
  },
  {
    what: 'Remaining above Limit',
    change: replies(
      () => true,
      withHeader('X-RateLimit-Remaining', () => '61'),
    ),
    caughtBy: 'headers-200-list',
    statement: 'R15',
  },
  {
    what: 'Remaining that never falls',
    change: replies(
      () => true,
      withHeader('X-RateLimit-Remaining', ({ headers }) => headers['X-RateLimit-Limit'] ?? ''),
    ),
    caughtBy: 'remaining-falls',
    statement: 'R15',
  },
]

const OVER_THE_LIMIT: readonly Defect[] = [
  {
    what: 'a limit that is never enforced',
    change: { count: (used, who) => ({ ...CORRECT.count(used, who), isOver: false }) },
    caughtBy: 'over-limit-429',
    statement: 'R16',
  },
  {
    what: '503 over the limit',
    change: replies(status(429), (reply) => ({ ...reply, status: 503 })),
    caughtBy: 'over-limit-429',
    statement: 'R16',
  },
  {
    what: 'creations that are not limited',
    change: {
      whose: (sent, incoming) =>
        incoming.method === 'POST' && sent !== undefined ? 'key' : CORRECT.whose(sent, incoming),
    },
    caughtBy: 'over-limit-create',
    statement: 'R16',
  },
  {
    what: 'fetches that are not limited',
    change: {
      whose: (sent, incoming) =>
        incoming.path !== '/v1/pets' && sent !== undefined ? 'key' : CORRECT.whose(sent, incoming),
    },
    caughtBy: 'over-limit-get',
    statement: 'R16',
  },
  {
    what: 'a creation stored after a 429',
    change: storesRefused(429),
    caughtBy: 'over-limit-not-stored',
    statement: 'R16',
  },
  {
    what: 'no Retry-After',
    change: replies(status(429), without('Retry-After')),
    caughtBy: 'retry-after',
    statement: 'R16',
  },
  { what: 'Retry-After in words', change: { retryAfter: () => 'a minute' }, caughtBy: 'retry-after', statement: 'R16' },
  {
    what: 'Retry-After with a fraction',
    change: { retryAfter: () => '12.5' },
    caughtBy: 'retry-after',
    statement: 'R16',
  },
  {
    what: 'Retry-After as a Unix time',
    change: { retryAfter: ({ resetS }) => String(resetS) },
    caughtBy: 'retry-after-is-a-wait',
    statement: 'R16',
  },
  {
    what: 'Retry-After as a date of last year',
    change: { retryAfter: (_limit, nowMs) => new Date(nowMs - 365 * 86_400_000).toUTCString() },
    caughtBy: 'retry-after-is-a-wait',
    statement: 'R16',
  },
  {
    what: 'a 429 that says one remains',
    change: replies(
      status(429),
      withHeader('X-RateLimit-Remaining', () => '1'),
    ),
    caughtBy: 'over-limit-remaining-0',
    statement: 'R15',
  },
  {
    what: 'a 429 with a negative Remaining',
    change: replies(
      status(429),
      withHeader('X-RateLimit-Remaining', () => '-1'),
    ),
    caughtBy: 'over-limit-headers',
    statement: 'R15',
  },
  {
    what: 'a 429 as a web page',
    change: replies(status(429), (reply) => ({
      ...withHeader('Content-Type', () => 'text/html')(reply),
      body: '<h1>429</h1>',
    })),
    caughtBy: 'over-limit-body',
    statement: 'R1',
  },
  {
    what: 'a reset announced before it happens',
    change: { resetS: (nowMs) => Math.floor(nowMs / 1000) + 1 },
    caughtBy: 'over-limit-reset',
    statement: 'R15',
  },
]

const LIST: readonly Defect[] = [
  {
    what: 'the list inside an object',
    change: replies(
      (reply, incoming) => reply.status === 200 && incoming?.path === '/v1/pets',
      (reply) => ({ ...reply, body: `{"pets":${reply.body}}` }),
    ),
    caughtBy: 'list',
    statement: 'R7',
  },
  {
    what: 'one animal more than limit',
    change: { select: (pets, asked) => CORRECT.select(pets, { ...asked, limit: asked.limit + 1 }) },
    caughtBy: 'limit-5',
    statement: 'R7',
  },
  {
    what: 'a default limit of 10',
    change: query((params) => params.has('limit') || params.set('limit', '10')),
    caughtBy: 'limit-default-is-20',
    statement: 'R7',
  },
  {
    what: 'a default limit of 50',
    change: query((params) => params.has('limit') || params.set('limit', '50')),
    caughtBy: 'limit-default-at-most-20',
    statement: 'R7',
  },
  {
    what: 'limit=100 refused',
    change: query((params) => params.get('limit') === '100' && params.set('limit', '0')),
    caughtBy: 'limit-100',
    statement: 'R7',
  },
  {
    what: 'limit cut to 20',
    change: { select: (pets, asked) => CORRECT.select(pets, { ...asked, limit: Math.min(asked.limit, 20) }) },
    caughtBy: 'limit-100-is-not-cut',
    statement: 'R7',
  },
  {
    what: 'limit ignored with a filter',
    change: {
      select: (pets, asked) => CORRECT.select(pets, asked.status === undefined ? asked : { ...asked, limit: 100 }),
    },
    caughtBy: 'filter-with-limit',
    statement: 'R7',
  },
  {
    what: 'the filter ignored',
    change: query((params) => params.delete('status')),
    caughtBy: 'filter-sold',
    statement: 'R8',
  },
  {
    what: 'a filter that finds nothing',
    change: { select: (pets, asked) => (asked.status === 'pending' ? [] : CORRECT.select(pets, asked)) },
    caughtBy: 'filter-pending',
    statement: 'R8',
  },
  {
    what: 'a list that does not show what was just created',
    change: {
      select: (pets, asked) =>
        CORRECT.select(
          pets.filter(({ name }) => !name.endsWith('available')),
          asked,
        ),
    },
    caughtBy: 'list-shows-created',
    statement: 'R7',
  },
  {
    what: 'one animal twice in a list',
    change: { select: (pets, asked) => CORRECT.select([...pets, ...pets.slice(-1)], asked) },
    caughtBy: 'ids-unique-listed',
    statement: 'R4',
  },
]

const RECORDS: readonly Defect[] = [
  {
    what: 'int64s rounded on their way out',
    change: { show: (pet) => petJson(pet.id, pet.name, rounded(pet.categoryId), pet.status) },
    caughtBy: 'int64-above-double',
    statement: 'R5',
  },
  {
    what: 'int64s rounded where they are kept',
    change: keeps((pet) => ({ ...pet, categoryId: BigInt.asIntN(64, BigInt(Number(pet.categoryId))) })),
    caughtBy: 'int64-listed',
    statement: 'R5',
  },
  {
    what: 'int64s rounded where they are kept, seen by fetching',
    change: keeps((pet) => ({ ...pet, categoryId: BigInt.asIntN(64, BigInt(Number(pet.categoryId))) })),
    caughtBy: 'int64-fetched',
    statement: 'R5',
  },
  {
    what: 'int64s as strings',
    change: { show: (pet) => petJson(`"${pet.id}"`, pet.name, `"${pet.categoryId}"`, pet.status) },
    caughtBy: 'pet-fields',
    statement: 'R5',
  },
  {
    what: 'the largest int64 refused',
    change: reading(/9223372036854775807/, 'null'),
    caughtBy: 'int64-largest',
    statement: 'R5',
  },
  {
    what: 'categoryId 0 taken for none',
    change: reading(/"categoryId":0/, '"categoryId":null'),
    caughtBy: 'int64-zero',
    statement: 'R5',
  },
  {
    what: 'a created animal without its id',
    change: replies(status(201), (reply) => ({ ...reply, body: reply.body.replace(/"id":\d+,/, '') })),
    caughtBy: 'pet-fields',
    statement: 'R4',
  },
  { what: 'one id for all', change: { newId: () => 1n }, caughtBy: 'ids-unique-created', statement: 'R4' },
  {
    what: 'a listed animal with "status": null',
    change: { show: (pet) => CORRECT.show(pet).replace(/(?<!"status":"\w+")\}$/, ',"status":null}') },
    caughtBy: 'pet-fields-listed',
    statement: 'R2',
  },
]

const CREATION: readonly Defect[] = [
  {
    what: '200 to a creation',
    change: replies(status(201), (reply) => ({ ...reply, status: 200 })),
    caughtBy: 'create-available',
    statement: 'R9',
  },
  {
    what: 'names trimmed',
    change: creates((pet) => ({ ...pet, name: pet.name.replace(/ +/g, ' ').trim() })),
    caughtBy: 'create-name-spaces',
    statement: 'R9',
  },
  {
    what: 'names cut down to ASCII',
    change: creates((pet) => ({ ...pet, name: pet.name.replace(/[^ -~]/g, '?') })),
    caughtBy: 'create-name-unicode',
    statement: 'R9',
  },
  {
    what: 'every status made available',
    change: creates((pet) => ({ ...pet, status: 'available' })),
    caughtBy: 'create-sold',
    statement: 'R9',
  },
  {
    what: 'a missing name accepted',
    change: reading(/^\{"categoryId"/, '{"name":"","categoryId"'),
    caughtBy: 'refuse-without-name',
    statement: 'R10',
  },
  {
    what: 'a missing categoryId accepted',
    change: reading(/^(\{"name":"[^"]*")\}$/, '$1,"categoryId":0}'),
    caughtBy: 'refuse-without-category',
    statement: 'R10',
  },
  {
    what: 'a number for a name coerced',
    change: reading(/"name":7/, '"name":"7"'),
    caughtBy: 'refuse-name-number',
    statement: 'R10',
  },
  {
    what: 'a string for a categoryId coerced',
    change: reading(/"categoryId":"7"/, '"categoryId":7'),
    caughtBy: 'refuse-category-string',
    statement: 'R10',
  },
  {
    what: 'null for a categoryId taken as 0',
    change: reading(/"categoryId":null/, '"categoryId":0'),
    caughtBy: 'refuse-category-null',
    statement: 'R10',
  },
  {
    what: 'a fraction cut off',
    change: reading(/"categoryId":7\.5/, '"categoryId":7'),
    caughtBy: 'refuse-category-fraction',
    statement: 'R10',
  },
  {
    what: 'a categoryId that wraps round',
    change: reading(/9223372036854775808/, '-9223372036854775808'),
    caughtBy: 'refuse-category-too-large',
    statement: 'R10',
  },
  {
    what: 'null for a status accepted',
    change: reading(/,"status":null/, ''),
    caughtBy: 'refuse-status-null',
    statement: 'R10',
  },
  {
    what: 'an unknown status accepted',
    change: reading(/,"status":"lost"/, ''),
    caughtBy: 'refuse-status-unknown',
    statement: 'R10',
  },
  {
    what: 'a status in any case accepted',
    change: reading(/"Available"/, '"available"'),
    caughtBy: 'refuse-status-capital',
    statement: 'R10',
  },
  {
    what: 'an array of animals accepted',
    change: reading(/^\[(.*)\]$/, '$1'),
    caughtBy: 'refuse-body-array',
    statement: 'R10',
  },
  {
    what: '422 to an invalid creation',
    change: replies(status(400), (reply) => ({ ...reply, status: 422 })),
    caughtBy: 'refuse-without-fields',
    statement: 'R10',
  },
  {
    what: '500 to JSON that breaks off',
    change: replies(
      (_reply, incoming) => incoming?.method === 'POST' && incoming.body.endsWith('"categoryId":1'),
      (reply) => ({ ...reply, status: 500 }),
    ),
    caughtBy: 'refuse-body-cut',
    statement: 'R10',
  },
  {
    what: 'an animal stored after a 400',
    change: storesRefused(400),
    caughtBy: 'refused-not-stored',
    statement: 'R10',
  },
]

const FETCHING: readonly Defect[] = [
  {
    what: '200 and null for a missing animal',
    change: replies(status(404), (reply) => ({ ...reply, status: 200, body: 'null' })),
    caughtBy: 'get-missing',
    statement: 'R11',
  },
  {
    what: '400 for the smallest id',
    change: replies(
      (_reply, incoming) => incoming?.path.endsWith('/-9223372036854775808') === true,
      (reply) => ({ ...reply, status: 400 }),
    ),
    caughtBy: 'get-smallest',
    statement: 'R11',
  },
  {
    what: 'another name when fetched',
    change: replies(
      (reply, incoming) => reply.status === 200 && incoming?.path !== '/v1/pets',
      (reply) => ({ ...reply, body: reply.body.replace('"name":"', '"name":"Mr ') }),
    ),
    caughtBy: 'get-as-created',
    statement: 'R11',
  },
  {
    what: 'getPet gone before its time',
    change: replies(
      (_reply, incoming) => incoming?.path.startsWith('/v1/pets/') === true,
      () => json(404, error(404, 'gone').body),
    ),
    caughtBy: 'get-until-removal',
    statement: 'R12',
  },
]

const KEYS: readonly Defect[] = [
  { what: 'no check of the key', change: accepts(() => true), caughtBy: 'auth-list-without-key', statement: 'R13' },
  {
    what: 'any key accepted',
    change: accepts((sent) => sent.startsWith('Bearer ')),
    caughtBy: 'auth-unknown-key',
    statement: 'R13',
  },
  {
    what: 'creations without a key',
    change: accepts((_sent, { method }) => method === 'POST'),
    caughtBy: 'auth-create-without-key',
    statement: 'R13',
  },
  {
    what: 'fetches without a key',
    change: accepts((_sent, { path }) => path !== '/v1/pets'),
    caughtBy: 'auth-get-without-key',
    statement: 'R13',
  },
  {
    what: 'any scheme',
    change: accepts((sent) => sent.endsWith(` ${KEY}`)),
    caughtBy: 'auth-scheme-basic',
    statement: 'R13',
  },
  { what: 'no scheme needed', change: accepts((sent) => sent === KEY), caughtBy: 'auth-no-scheme', statement: 'R13' },
  {
    what: 'keys compared by their beginning',
    change: accepts((sent) => sent.length > 'Bearer '.length && `Bearer ${KEY}`.startsWith(sent)),
    caughtBy: 'auth-key-cut',
    statement: 'R13',
  },
  {
    what: 'keys compared by their end',
    change: accepts((sent) => sent.startsWith('Bearer') && sent.endsWith(KEY)),
    caughtBy: 'auth-key-longer',
    statement: 'R13',
  },
  {
    what: 'the key taken from the query',
    change: accepts((_sent, incoming) => incoming.query.get('api_key') === KEY),
    caughtBy: 'auth-key-in-query',
    statement: 'R13',
  },
  {
    what: 'an empty credential accepted',
    change: accepts((sent, incoming) => incoming.authorization !== undefined && sent.trim() === ''),
    caughtBy: 'auth-empty',
    statement: 'R13',
  },
  {
    what: '403 instead of 401',
    change: replies(status(401), (reply) => ({ ...reply, status: 403 })),
    caughtBy: 'auth-list-without-key',
    statement: 'R13',
  },
  {
    what: '404 before 401',
    change: replies(
      (reply, incoming) => reply.status === 401 && /\d{10}$/.test(incoming?.path ?? ''),
      (reply) => ({ ...reply, status: 404 }),
    ),
    caughtBy: 'auth-get-missing-without-key',
    statement: 'R13',
  },
  {
    what: 'an animal stored after a 401',
    change: storesRefused(401),
    caughtBy: 'auth-nothing-stored',
    statement: 'R13',
  },
]

const BODIES: readonly Defect[] = [
  {
    what: 'JSON called text/html',
    change: replies(
      status(200),
      withHeader('Content-Type', () => 'text/html'),
    ),
    caughtBy: 'json-list',
    statement: 'R1',
  },
  {
    what: 'a 201 without a Content-Type',
    change: replies(status(201), without('Content-Type')),
    caughtBy: 'json-creation',
    statement: 'R1',
  },
  {
    what: 'errors as text/plain',
    change: replies(
      status(400),
      withHeader('Content-Type', () => 'text/plain'),
    ),
    caughtBy: 'json-400',
    statement: 'R1',
  },
  {
    what: 'problem+json for a 404',
    change: replies(
      status(404),
      withHeader('Content-Type', () => 'application/problem+json'),
    ),
    caughtBy: 'json-404',
    statement: 'R1',
  },
  {
    what: 'a 401 without a body',
    change: replies(status(401), (reply) => ({ ...reply, body: '' })),
    caughtBy: 'error-401',
    statement: 'R6',
  },
  {
    what: 'an Error without code',
    change: errorBodies(400, { code: undefined }),
    caughtBy: 'error-400',
    statement: 'R6',
  },
  {
    what: 'an Error without message',
    change: errorBodies(401, { message: undefined }),
    caughtBy: 'error-401',
    statement: 'R6',
  },
  {
    what: 'an Error without status',
    change: errorBodies(404, { status: undefined }),
    caughtBy: 'error-404',
    statement: 'R6',
  },
  { what: 'a number for a code', change: errorBodies(400, { code: 17 }), caughtBy: 'error-400', statement: 'R6' },
  {
    what: 'an Error with another status than the HTTP status',
    change: errorBodies(404, { status: 400 }),
    caughtBy: 'error-404',
    statement: 'R6',
  },
  {
    what: 'a string for the status of an Error',
    change: errorBodies(401, { status: '401' }),
    caughtBy: 'error-401-unknown-key',
    statement: 'R6',
  },
  {
    what: 'an Error missing where only the look back over the run sees it',
    change: replies(
      (reply, incoming) => reply.status === 400 && incoming?.body === '',
      (reply) => ({ ...reply, body: '{}' }),
    ),
    caughtBy: 'every-error-body',
    statement: 'R6',
  },
  {
    what: 'a version header that is needed',
    change: {
      finish: (reply) => (reply.status === 200 ? { ...error(400, 'which version?'), headers: reply.headers } : reply),
    },
    caughtBy: 'version-path-alone',
    statement: 'R18',
  },
]

export const DEFECTS: readonly Defect[] = [
  ...LIMIT_HEADERS,
  ...OVER_THE_LIMIT,
  ...LIST,
  ...RECORDS,
  ...CREATION,
  ...FETCHING,
  ...KEYS,
  ...BODIES,
]

/** An open point answered otherwise than the correct server does: reported in the note of a case, never a failure. */
export interface Choice {
  readonly what: string
  readonly change: Partial<Behaviour>
  readonly reportedBy: string
  readonly note: RegExp
}

export const CHOICES: readonly Choice[] = [
  {
    what: 'a status given to animals created without one',
    change: creates((pet) => ({ status: 'available', ...pet })),
    reportedBy: 'create-without-status',
    note: /status available is returned/,
  },
  {
    what: 'an id taken from the client',
    change: {
      readNewPet: (text) => CORRECT.readNewPet(text.replace(/"id":\d+,/, '')),
      newId: (pets) => (pets.length === 21 ? 7086219077n : CORRECT.newId(pets)),
    },
    reportedBy: 'create-with-id',
    note: /accepted, id 7086219077/,
  },
  {
    what: 'an invalid limit brought into range',
    change: query((params) => params.get('limit') === '101' && params.set('limit', '100')),
    reportedBy: 'limit-101',
    note: /: 200, with \d+ animals/,
  },
  {
    what: 'an empty 429',
    change: replies(status(429), (reply) => ({ ...without('Content-Type')(reply), body: '' })),
    reportedBy: 'over-limit-body',
    note: /none/,
  },
  {
    what: 'Retry-After as an HTTP date',
    change: { retryAfter: ({ resetS }) => new Date(resetS * 1000).toUTCString() },
    reportedBy: 'retry-after',
    note: /GMT/,
  },
  {
    what: 'oldest first',
    change: { select: (pets, asked) => CORRECT.select([...pets].reverse(), asked) },
    reportedBy: 'order',
    note: /by rising id/,
  },
]
