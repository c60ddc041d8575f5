/**
 * The wrong servers: mutants of the reference, each with mistakes that do not meet, by the cases that find them, no more
 * and no fewer; behind a colon what it is, where the mutation does not say it (R3-R16). Of those that hold 5 requests, or
 * 60, some say or do something else; one request kills others, or is left without an answer.
 */
import { CASES } from '../../../conformance/src/index.ts'
import { EACH_OPERATION, FILTERS } from '../../../conformance/src/interface.ts'
import { matches } from '../../../src/contract/pet-filter.ts'
import {
  A_FETCH,
  A_LIST,
  accepts,
  banning,
  bodies,
  counts,
  creates,
  fate,
  keeps,
  members,
  NO_LIMIT_HEADERS,
  overloaded,
  ownIds,
  pages,
  query,
  quiet,
  reads,
  readsBody,
  refusing,
  renames,
  replies,
  resembles,
  retryAfter,
  rounded,
  sees,
  selects,
  shows,
  showsText,
  statuses,
  storesRefused,
  TRIMMED,
  takes,
  unlimited,
  type When,
} from './mutate.ts'
import { byTheMinute, type Change, error, type Incoming, KEY, type Reply, together } from './reference.ts'

const missing = (id: string): When => ({ status: 404, path: new RegExp(`/pets/${id}$`) })
const agent = (pattern: RegExp): When => ({ method: 'GET', headers: { 'user-agent': pattern } })
const posts = (body: RegExp): When => ({ method: 'POST', body })
const having = (name: string, pattern = /./): When => ({ headers: { [name]: pattern } })

/** Answers with a status that nothing allows, by the case that meets each. */
const ODD_STATUS: Readonly<Record<string, When>> = {
  ...Object.fromEntries(
    [2, 11, 21, 33, 50, 64, 99].map((n) => [`limit-${n}`, { target: new RegExp(`/pets\\?limit=${n}$`) }]),
  ),
  'get-largest': missing('9223372036854775806'),
  'get-smallest': missing('-9223372036854775808'),
  'get-zero': missing('0'),
  'get-negative': missing('-1'),
  'get-beyond-double': missing('9007199254740993'),
  'create-name-controls': posts(/\\t/),
  'create-escapes': posts(/na\\u006de/),
  'int64-largest': posts(/9223372036854775807/),
  'auth-get-missing-without-key': { status: 401, path: /\d{10}$/ },
  // Clients that a firewall keeps out.
  'client-curl': agent(/^curl/),
  'client-wget': agent(/^Wget/),
  'client-ab': agent(/^ApacheBench/),
  'client-go': agent(/^Go-/),
  'client-python': agent(/^Python-/),
  'client-requests': agent(/^python-requests/),
  'client-java': agent(/^Java-/),
  'client-fetch': agent(/^node$/),
  'client-browser': having('accept', /^text\/html/),
  // Where a framework takes the other side for a browser, or reads a request in its own way.
  'accept-any-400': { ...posts(/^\{\}$/), ...having('accept', /^\*\/\*$/) },
  'accept-any-401': ({ authorization, headers }) => authorization === undefined && headers.accept === '*/*',
  'query-encoded': { target: /%6F/ },
  'query-order': { target: /\?&/ },
  range: having('range'),
  'type-upper-case': having('content-type', /^APPLICATION\/JSON$/),
  'method-override': having('x-http-method-override'),
  'body-apart': ({ isBodyApart }) => isBodyApart,
}

const NO_STATUS = /(?<!"status":"\w+")\}$/
/** Whether a body is JSON but for little. */
const isNearly = (text: string): boolean => /-j\b|^\[{20}/.test(text)
/** The cases of invalid bodies that rest on the first of them, and those that rest on simpler ones. */
const refusing400 = (isSimple: boolean): string =>
  CASES.filter(
    ({ id, restsOn = [] }) =>
      /^refuse-(?!without-fields|nesting-open)/.test(id) && restsOn.includes('refuse-without-fields') === isSimple,
  )
    .map(({ id }) => id)
    .join(' ')
const RESEMBLING = CASES.filter(
  ({ id, restsOn = [] }) => /^auth-(?!create|get)/.test(id) && restsOn.join() === 'auth-unknown-key',
).map(({ id }) => id)
const HEADERS = CASES.filter(
  ({ id, title }) => / carries the limit headers$/.test(title) && !/^(?:headers-200-list|over-limit-headers)$/.test(id),
)
/** The first case of a filter, whose title begins with it: what it finds is the finding of the others too. */
const filtering = (name: string): string =>
  CASES.find(({ title }) => title.startsWith(`${name}=`))?.id ?? `no-case-with-the-title-${name}=…`
const isBearer = (sent: string): boolean => sent.startsWith('Bearer ')
const isFiller = (name: string): boolean => /-n\d/.test(name)

const KINDS: Readonly<Record<number, string>> = { 201: 'new', 400: 'bad', 401: 'no', 404: 'none' }
/** A word for the status of an answer, or for what is served: that of its path. */
const kindOf = ({ status }: Reply, { path }: Incoming): string =>
  KINDS[status] ?? path.replace('/v1/', '').replace(/\/.*/, '-one')
const LACKS: Readonly<Record<number, string>> = { 400: 'code', 401: 'message', 404: 'status' }

/** Each operation of the kit, and whether a request calls it. */
const CALLS = EACH_OPERATION.map(({ method, path, ...operation }) => {
  const pattern = new RegExp(`^/v1${path.replace(/\{\w+\}/, '-?\\d{1,20}')}$`)
  return { ...operation, isCall: (incoming: Incoming) => incoming.method === method && pattern.test(incoming.path) }
})
type IsCall = (typeof CALLS)[number]['isCall']
const served =
  (isCall: IsCall): When =>
  (incoming, { status }) =>
    status < 300 && isCall(incoming)

/** A mistake of each operation but the list, by the case that `caseOf` names. */
const inEach = (caseOf: (id: string, judgedBy: string) => string, mistake: (isCall: IsCall) => Change) =>
  Object.fromEntries(
    CALLS.flatMap(({ name, id, judgedBy, isCall }) =>
      name === 'listPets' ? [] : [[caseOf(id, judgedBy), mistake(isCall)]],
    ),
  )

/** Answers that no operation lists, and requests that no ordinary client sends. */
function isOdd(incoming: Incoming, { status }: Reply): boolean {
  const { method, headers, rawHeaders } = incoming
  const isListed =
    CALLS.some(({ isCall }) => isCall(incoming)) &&
    !(method === 'GET' && status === 400) &&
    headers['content-type'] !== 'application/xml'
  const isBare = headers['user-agent'] === undefined && headers.accept === undefined
  const hasTwoHosts = rawHeaders.filter((name) => name === 'Host').length > 1
  return !isListed || isBare || hasTwoHosts || headers.expect === '200-maybe'
}

/** A limit that is no number: one for each kind of answer but lists, and one for each that is odd. */
const numberedLimits: Change = (before) => {
  let odd = 'odd'
  return replies(
    (incoming, reply) =>
      reply.status !== 429 && (isOdd(incoming, reply) || reply.status !== 200 || incoming.path !== '/v1/pets'),
    (reply, _nowMs, incoming) => {
      if (isOdd(incoming, reply)) odd += 'y'
      const isUnknownKey = reply.status === 401 && incoming.authorization?.includes('never') === true
      const kind = isUnknownKey ? 'unknown' : kindOf(reply, incoming)
      return { headers: { 'X-RateLimit-Limit': isOdd(incoming, reply) ? odd : kind } }
    },
  )(before)
}

/** Mistakes that meet others: each is of a server of its own. */
const ALONE: Readonly<Record<string, Change>> = {
  'retry-after-suffices: a second too short': retryAfter((resetS, nowMs) => Math.ceil(resetS - nowMs / 1000) - 1),
  'retry-after-suffices: the date of now': retryAfter((_resetS, nowMs) => new Date(nowMs).toUTCString()),
  'retry-after-suffices: refusals for twice as long': banning(1, 150_000, false),
  'retry-after-suffices: a reset before it happens': counts((_limit, nowMs) => ({
    resetS: Math.floor(nowMs / 1000) + 1,
  })),
  'list create-pending: a version header needed': replies(
    (_, { status }) => status < 300,
    error(400, 'which version?'),
  ),
  'refuse-body-null: death': fate('deadly', ({ body }) => body === 'null'),
  'get-word: death': fate('deadly', ({ path }) => path.endsWith('/rex')),
  'cost-head: death': fate('deadly', ({ method }) => method === 'HEAD'),
  'path-long: death': fate('deadly', ({ path }) => path.length > 6_000),
  'refuse-nesting-open: death': fate('deadly', ({ body }) => body.endsWith('[[')),
  'create-name-long: closed': fate('reset', ({ body }) => body.length > 9_000 && !body.startsWith('[')),
  'refuse-status-unknown: no answer': fate('hung', ({ body }) => body.includes('"lost"')),
  'framing-missing: no answer': fate('hung', ({ method, headers }) => {
    const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
    return method === 'POST' && !isFramed
  }),
  ...inEach(
    (_id, judgedBy) => `${judgedBy}: an error`,
    (isCall) => replies(served(isCall), error(500, 'oops')),
  ),
  ...inEach(
    (_id, judgedBy) => `${judgedBy}: an empty object`,
    (isCall) => replies(served(isCall), { body: '{}' }),
  ),
  'list: an empty object': replies(A_LIST, { body: '{}' }),
  [`${Object.keys(ODD_STATUS).join(' ')}: odd statuses`]: statuses(Object.values(ODD_STATUS)),
  ...Object.fromEntries(
    FILTERS.map((name) => [`${filtering(name)}: ${name} ignored`, query((params) => params.delete(name))]),
  ),
  [`${refusing400(true)}: taken`]: takes((text) => text !== '{}' && !isNearly(text)),
  [`${refusing400(false)}: taken`]: takes((text) => isNearly(text) && !text.endsWith('[')),
  [`${HEADERS.map(({ id }) => id).join(' ')}: no numbers`]: numberedLimits,
  [`${RESEMBLING.join(' ')}: whatever resembles the key`]: accepts(resembles),
  [`${CASES.flatMap(({ id }) => (id.startsWith('json-') ? [id] : [])).join(' ')}: a media type for each`]: replies(
    (_, { status }) => status !== 429,
    (reply, _nowMs, incoming) => ({ headers: { 'Content-Type': `text/${kindOf(reply, incoming)}` } }),
  ),
}

export const WRONG: readonly Readonly<Record<string, Change>>[] = [
  ...Object.entries(ALONE).map(([name, change]) => ({ [name]: change })),
  {
    list: replies(({ path }, { body }) => path === '/v1/pets' && body === '[]', error(404, 'none')),
    'refuse-without-fields': takes((text) => text === '{}'),
    'get-missing': replies(missing('-?\\d+'), { status: 400 }),
    'over-limit-at-once: for each connection': () => ({ take: byTheMinute(({ port }) => port) }),
    'every-answer-limit-headers': replies({ path: /pets\/rex/ }, NO_LIMIT_HEADERS),
    'over-limit-remaining-0': replies({ status: 429 }, { headers: { 'X-RateLimit-Remaining': '1' } }),
  },
  {
    'list-shows-created: null between animals': bodies(A_LIST, (body) => body.replace('},{', '},null,{')),
    'create-without-status': refusing(/^(?!.*"status")/s),
    'create-as-sent: another category': showsText((text) => text.replace('"categoryId":1,', '"categoryId":2,')),
    'ids-unique-at-once': () => ({ commit: quiet }),
    'int64-below-double': refusing(/"categoryId":-/),
    'int64-zero': showsText((text) => text.replace(',"categoryId":0', '')),
    'refuse-status-unknown: 422': replies({ status: 400, ...posts(/"status"/) }, { status: 422 }),
    'get-beyond-double: rounded': reads(({ path }) => ({ path: path.replace('9007199254740993', '1') })),
  },
  {
    'list-shows-created: accepted and never stored': together(
      ownIds,
      keeps(() => undefined),
    ),
    'create-chunked': reads(({ headers }) => (headers['transfer-encoding'] === undefined ? {} : { body: '' })),
    'create-name-unicode create-name-quotes create-name-markup create-name-spaces create-name-long: spoiled': renames(
      (name) => {
        const text = name.replace(/ +/g, ' ').replace(/[^ -~\t\n]/g, '?')
        return text.replaceAll('<', '&lt;').replaceAll('\\', '').slice(0, 255)
      },
    ),
    'create-name-digits': showsText((text) => text.replace(/"name":"(\d+)"/, '"name":$1')),
    'create-name-null': renames((name) => (name === 'null' ? '' : name)),
    'int64-above-double': creates((pet) => ({ ...pet, categoryId: rounded(pet.categoryId) })),
    'refuse-body-empty': replies({ status: 400, ...posts(/^$/) }, { status: 415 }),
  },
  {
    'list-shows-as-created: names trimmed on reading': TRIMMED,
    'ids-unique-listed': sees((pets) => [...pets, ...pets.slice(-1)]),
    'limit-default': query((params) => params.has('limit') || params.set('limit', '25')),
    'filter-available: nothing found': selects((select, pets, asked) =>
      asked.status === 'available' ? [] : select(pets, asked),
    ),
    'filter-sold': query((params) => params.get('status') === 'sold' && params.set('status', 'none')),
    'create-name-letters': refusing(/[^ -~]|\\u/),
    'create-name-percent': renames((name) => name.replace(/%41/g, 'A')),
    'int64-smallest': refusing(/-9223372036854775808/),
  },
  {
    'pet-fields-listed': showsText((text, { method }) =>
      method === 'POST' ? text : text.replace(NO_STATUS, ',"status":null}'),
    ),
    'limit-1': pages((limit) => limit + 1),
    'limit-100: of 50 once there are 150': pages((limit, held) => (held < 150 ? limit : Math.min(limit, 50))),
    'id-not-adopted': ({ newId }) => {
      let own: string | undefined
      const read = (body: string) => {
        own = /"id":(\d+)/.exec(body)?.[1]
        return body.replace(/"id":\d+,/, '')
      }
      return {
        understand: (incoming) => ({ ...incoming, body: read(incoming.body) }),
        newId: () => (own === undefined ? newId() : BigInt(own)),
      }
    },
    'create-escapes create-spaces create-order create-exponent: read with regular expressions': readsBody((body) =>
      body
        .replace(/s\\u006fl\\u0064/, 'lost')
        .replace(/1e2/, '1')
        .replace(/^(\r\n.*"name" : ")[^"]*/s, '$1spaced')
        .replace(/^\{"status":"sold"/, '{"status":"pending"'),
    ),
    'get: a list of one': bodies(A_FETCH, (body) => `[${body}]`),
    'client-upper-case': reads(({ rawHeaders }) =>
      rawHeaders.includes('AUTHORIZATION') ? { authorization: undefined } : {},
    ),
    'client-creates-curl': replies({ method: 'POST', headers: { 'user-agent': /^curl/ } }, error(403, 'no')),
  },
  {
    'limit-5': pages((limit) => (limit < 5 ? limit : limit - 1)),
    'create-equal: the list is one behind': sees((pets) => pets.slice(0, -1)),
    'get: gone before its time': replies(A_FETCH, error(404, 'gone')),
    'client-creates-java: no body read of who offers HTTP/2': reads(({ headers }) =>
      headers.upgrade === undefined ? {} : { body: '' },
    ),
    'client-creates-expect': replies({ method: 'POST', ...having('expect') }, { status: 500 }),
    'over-limit-spelling: for each spelling of the header': together(
      () => ({ take: byTheMinute(({ headers }) => headers.authorization) }),
      reads(({ authorization = '' }) => ({ authorization: authorization.trim().replace(/^bearer +/i, 'Bearer ') })),
    ),
  },
  {
    'limit-20': pages((limit) => Math.min(limit, 10)),
    'create-equal: merged': together(
      ownIds,
      keeps((pet, pets) =>
        pets.some(({ name, status }) => name === pet.name && status === pet.status) ? undefined : pet,
      ),
    ),
    'int64-fetched': shows((pet, { path }) =>
      path === '/v1/pets' ? pet : { ...pet, categoryId: rounded(pet.categoryId) },
    ),
    'refused-not-stored': storesRefused(400),
    'over-limit-at-once: checked and then counted': () => {
      let arrivals = 0
      const understand = (incoming: Incoming) => {
        arrivals += 1
        return incoming
      }
      return {
        understand,
        take: byTheMinute(undefined, () => quiet(() => arrivals)),
      }
    },
    'listed-answers-limit-headers': replies(posts(/"categoryId":null/), NO_LIMIT_HEADERS),
    ...inEach((id) => `over-limit-${id}`, unlimited),
    'over-limit-body: a web page': replies(
      { status: 429 },
      { headers: { 'Content-Type': 'text/html' }, body: '<h1>429</h1>' },
    ),
  },
  {
    'limit-100: of 99': pages((limit) => Math.min(limit, 99)),
    'get-as-created: the newest': ({ find }) => ({
      find: (pets, id) => (find(pets, id) === undefined ? undefined : pets.at(-1)),
    }),
    'at-once-headers: none': overloaded(NO_LIMIT_HEADERS),
    'create-at-once-as-sent: a variable of the module': (before) => {
      let latest = ''
      const change = together(
        ownIds,
        creates((pet) => {
          latest = pet.name
          return pet
        }),
        keeps((pet) => (isFiller(pet.name) ? { ...pet, name: latest } : pet)),
        shows((pet, { method }) => (method === 'POST' && isFiller(pet.name) ? { ...pet, name: latest } : pet)),
      )
      return { ...change(before), commit: quiet }
    },
    'auth-scheme-token': accepts((sent) => sent === `Token ${KEY}`),
    ...inEach(
      (id) => `auth-${id}-without-key`,
      (isCall) => accepts((_sent, incoming) => isCall(incoming)),
    ),
    'every-answer-json': replies(missing('0'), { headers: { 'Content-Type': 'text/plain' } }),
  },
  {
    'limit-1 limit-100: the limit ignored': pages(() => 20),
    'at-once-headers: 503': overloaded({ status: 503 }),
    ...inEach(
      (id) => `auth-${id}-unknown-key`,
      (isCall) => accepts((sent, incoming) => isBearer(sent) && isCall(incoming)),
    ),
    'error-400 error-401 error-404: something else missing in each': members(
      (_, { status }) => status in LACKS,
      ({ status }) => ({ [LACKS[status] ?? '']: undefined }),
    ),
    'every-error-body': replies({ status: 400, method: 'POST', body: /^$/ }, { body: '{}' }),
  },
  {
    'filter-available: among the newest 100': selects((select, pets, asked) =>
      select(asked.status === undefined ? pets : pets.slice(-100), asked),
    ),
    'headers-200-list': replies(A_LIST, NO_LIMIT_HEADERS),
    'over-limit-429: 503': replies({ status: 429 }, { status: 503 }),
    'auth-list-without-key': accepts(() => true),
  },
  {
    'filter-pending: those without a status too': selects((_select, pets, { limit, ...filter }) =>
      pets
        .filter((pet) => pet.status === undefined || matches(filter, pet))
        .slice(-limit)
        .reverse(),
    ),
    'remaining-falls': counts(({ limit }) => ({ remaining: limit })),
    'over-limit-429: never enforced': counts(() => ({ isOver: false })),
    'auth-unknown-key': accepts((sent) => isBearer(sent) && sent.length > 8),
  },
  {
    'remaining-is-served: one too high': counts(({ limit, remaining, isOver }) => ({
      remaining: isOver ? 0 : Math.min(limit, remaining + 1),
    })),
    'retry-after': replies({ status: 429 }, { headers: { 'Retry-After': undefined } }),
    'auth-nothing-stored': storesRefused(401),
    'error-401-unknown-key': members(
      ({ authorization }, { status }) => status === 401 && authorization?.includes('never') === true,
      () => ({ message: undefined }),
    ),
  },
  {
    'filter-with-limit: the limit applied before the filter': selects((_select, pets, { limit, ...filter }) =>
      pets.slice(0, limit).filter((pet) => matches(filter, pet)),
    ),
    'remaining-is-served: in steps of two': counts(({ remaining, isOver }) => ({
      remaining: isOver ? 0 : remaining + (remaining % 2),
    })),
    'retry-after-is-a-wait: a Unix time': retryAfter((resetS) => resetS),
  },
  {
    'filter-with-limit: the limit of another parameter': query(
      (params) => params.has('status') && params.get('limit') === '2' && params.set('limit', '1'),
    ),
    'over-limit-429: Remaining one too low': counts(({ remaining }) => ({ remaining: Math.max(0, remaining - 1) })),
  },
  {
    'filter-default': selects((select, pets, asked) => {
      const isBare = asked.status === 'available' && asked.limit === 20
      return select(pets, isBare ? { ...asked, limit: 1_000 } : asked)
    }),
    'int64-listed': keeps((pet) => ({ ...pet, categoryId: rounded(pet.categoryId) })),
    'limit-is-served': counts(({ limit }) => ({ limit: limit * 10 })),
    'over-limit-not-stored': storesRefused(429),
  },
  {
    'create-pending': creates((pet) => ({ ...pet, status: 'available' })),
    'ids-unique-created create-as-sent': shows((pet) => ({ ...pet, id: pet.categoryId, categoryId: pet.id })),
    'over-limit-headers': replies({ status: 429 }, { headers: { 'X-RateLimit-Reset': undefined } }),
    'retry-after-is-a-wait: a date of last year': retryAfter((_resetS, nowMs) =>
      new Date(nowMs - 365 * 86_400_000).toUTCString(),
    ),
  },
  {
    'create-sold': creates((pet) => (pet.status === 'sold' ? { ...pet, status: 'pending' } : pet)),
    'ids-unique-created': () => ({ newId: () => 1n }),
    'retry-after-is-a-wait: milliseconds': retryAfter((resetS, nowMs) => resetS * 1000 - nowMs),
  },
]

/** The cases that find the mistakes of a server. */
export const casesOf = (mistakes: Readonly<Record<string, Change>>): string[] =>
  Object.keys(mistakes).flatMap((name) => name.replace(/:.*/s, '').split(' '))
