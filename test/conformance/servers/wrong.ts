/**
 * The wrong servers: mutants of the reference, by the cases that find them, no more and no fewer; behind a colon what
 * it is, where the mutation does not say it. Mistakes that do not meet are made by one server, and each is a finding
 * of its own (R3-R16).
 */
import { CASES } from '../../../conformance/src/index.ts'
import { FILTERS } from '../../../conformance/src/interface.ts'
import { matches } from '../../../src/contract/pet-filter.ts'
import {
  accepts,
  aFetch,
  aList,
  bodies,
  both,
  type Change,
  counting,
  creates,
  fate,
  header,
  ids,
  instead,
  keeps,
  LIMIT_HEADERS,
  members,
  method,
  numberedLimits,
  overFor,
  overloaded,
  type Picks,
  pages,
  path,
  query,
  quiet,
  refusing,
  renames,
  replies,
  resembles,
  rounded,
  says,
  sees,
  selects,
  sends,
  shows,
  showsText,
  status,
  statuses,
  storesRefused,
  takes,
  trimmedWhenRead,
  unlimited,
  withBody,
  withHeader,
  without,
  withoutLimitHeaders,
  withStatus,
} from './mutate.ts'
import { CORRECT, error, type Incoming, KEY } from './reference.ts'

const [, REMAINING, RESET] = LIMIT_HEADERS
const post = method('POST')
const get = method('GET')
const limited = (limit: number): Picks =>
  both(aList, (_, incoming) => !incoming?.query.has('status') && incoming?.query.get('limit') === String(limit))
const missing = (id: string): Picks => both(status(404), path(new RegExp(`/pets/${id}$`)))
const from = (userAgent: RegExp): Picks => both(get, header('user-agent', userAgent))
const asks = (test: (incoming: Incoming) => boolean): Picks => {
  return (_reply, incoming) => incoming !== undefined && test(incoming)
}

/** Answers with a status that nothing allows, by the case that meets it. */
const ODD_STATUS: Readonly<Record<string, Picks>> = {
  ...Object.fromEntries([2, 11, 21, 33, 50, 64, 99].map((limit) => [`limit-${limit}`, limited(limit)])),
  'get-largest': missing('9223372036854775806'),
  'get-smallest': missing('-9223372036854775808'),
  'get-zero': missing('0'),
  'get-negative': missing('-1'),
  'get-beyond-double': missing('9007199254740993'),
  'create-name-controls': sends(/\\t/),
  'create-escapes': sends(/na\\u006de/),
  'int64-largest': sends(/9223372036854775807/),
  'auth-get-missing-without-key': both(status(401), path(/\d{10}$/)),
  // Clients that a firewall keeps out.
  'client-curl': from(/^curl/),
  'client-wget': from(/^Wget/),
  'client-ab': from(/^ApacheBench/),
  'client-go': from(/^Go-/),
  'client-python': from(/^Python-/),
  'client-requests': from(/^python-requests/),
  'client-java': from(/^Java-/),
  'client-fetch': from(/^node$/),
  'client-browser': header('accept', /^text\/html/),
  // Where a framework takes the other side for a browser, or reads a request in its own way.
  'accept-any-400': both(sends(/^\{\}$/), header('accept', /^\*\/\*$/)),
  'accept-any-401': both(
    header('accept', /^\*\/\*$/),
    asks(({ authorization }) => authorization === undefined),
  ),
  'query-encoded': asks(({ target }) => target.includes('%6F')),
  'query-order': asks(({ target }) => target.includes('?&')),
  range: header('range', /./),
  'type-upper-case': header('content-type', /^APPLICATION\/JSON$/),
  'method-override': header('x-http-method-override', /./),
  'body-apart': asks(({ isBodyApart }) => isBodyApart),
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
const isUnknownKey = asks(({ authorization }) => authorization?.includes('never') === true)

const TYPES: Readonly<Record<number, string>> = { 201: 'new', 400: 'bad', 401: 'no', 404: 'none' }
const LACKS: Readonly<Record<number, string>> = { 400: 'code', 401: 'message', 404: 'status' }

export const WRONG: Readonly<Record<string, Change>> = {
  [`${Object.keys(ODD_STATUS).join(' ')}: odd statuses`]: statuses(ODD_STATUS),

  list: replies(
    both(aList, ({ body }) => body === '[]'),
    instead(error(404, 'none')),
  ),
  'list-shows-created: null between animals': bodies(aList, (body) => body.replace('},{', '},null,{')),
  'list-shows-created: accepted and never stored': () => ({ newId: ids(), keep: () => undefined }),
  'list-shows-as-created: names trimmed on reading': trimmedWhenRead,
  'ids-unique-listed': sees((pets) => [...pets, ...pets.slice(-1)]),
  'pet-fields-listed': showsText((text, { method }) =>
    method === 'POST' ? text : text.replace(NO_STATUS, ',"status":null}'),
  ),
  'limit-1': pages((limit) => limit + 1),
  'limit-5': pages((limit) => (limit < 5 ? limit : limit - 1)),
  'limit-20': pages((limit) => Math.min(limit, 10)),
  'limit-100: of 99': pages((limit) => Math.min(limit, 99)),
  'limit-100: of 50 once there are 150': pages((limit, held) => (held < 150 ? limit : Math.min(limit, 50))),
  'limit-1 limit-100: the limit ignored': pages(() => 20),
  'limit-default': query((params) => params.has('limit') || params.set('limit', '25')),
  'filter-available: nothing found': selects((pets, asked, nowMs) =>
    asked.status === 'available' ? [] : CORRECT.select(pets, asked, nowMs),
  ),
  'filter-available: among the newest 100': selects((pets, asked, nowMs) =>
    CORRECT.select(asked.status === undefined ? pets : pets.slice(-100), asked, nowMs),
  ),
  'filter-pending: those without a status too': selects((pets, { limit, ...filter }) =>
    pets
      .filter((pet) => pet.status === undefined || matches(filter, pet))
      .reverse()
      .slice(0, limit),
  ),
  'filter-sold': query((params) => params.get('status') === 'sold' && params.set('status', 'none')),
  ...Object.fromEntries(
    FILTERS.map((name) => [`${filtering(name)}: ${name} ignored`, query((params) => params.delete(name))]),
  ),
  'filter-with-limit: the limit applied before the filter': selects((pets, { limit, ...filter }) =>
    pets.slice(0, limit).filter((pet) => matches(filter, pet)),
  ),
  'filter-with-limit: the limit of another parameter': query(
    (params) => params.has('status') && params.get('limit') === '2' && params.set('limit', '1'),
  ),
  'filter-default': selects((pets, asked, nowMs) => {
    const isBare = asked.status === 'available' && asked.limit === 20
    return CORRECT.select(pets, isBare ? { ...asked, limit: 1_000 } : asked, nowMs)
  }),

  'create-available': replies(status(201), instead(error(500, 'oops'))),
  'create-pending': creates((pet) => ({ ...pet, status: 'available' })),
  'create-sold': creates((pet) => (pet.status === 'sold' ? { ...pet, status: 'pending' } : pet)),
  'create-without-status': refusing(/^(?!.*"status")/s),
  'create-as-sent: another category': shows((pet) => ({
    ...pet,
    categoryId: pet.categoryId === 1n ? 2n : pet.categoryId,
  })),
  'ids-unique-created create-as-sent': shows((pet) => ({ ...pet, id: pet.categoryId, categoryId: pet.id })),
  'create-equal: the list is one behind': sees((pets) => pets.slice(0, -1)),
  'create-equal: merged': () => ({
    newId: ids(),
    keep: (pet, pets) =>
      pets.some(({ name, status }) => name === pet.name && status === pet.status) ? undefined : pet,
  }),
  'create-chunked': {
    readNewPet: (text, incoming) =>
      CORRECT.readNewPet(incoming.headers['transfer-encoding'] === undefined ? text : '', incoming),
  },
  'ids-unique-created': { newId: () => 1n },
  'id-not-adopted': {
    readNewPet: (text, incoming) => CORRECT.readNewPet(text.replace(/"id":\d+,/, ''), incoming),
    newId: (pets, { body }) => BigInt(/"id":(\d+)/.exec(body)?.[1] ?? pets.length + 1),
  },
  'ids-unique-at-once': { commit: () => quiet(() => 0) },
  'create-name-unicode create-name-quotes create-name-markup create-name-spaces create-name-long: spoiled': renames(
    (name) => {
      const text = name.replace(/ +/g, ' ').replace(/[^ -~\t\n]/g, '?')
      return text.replaceAll('<', '&lt;').replaceAll('\\', '').slice(0, 255)
    },
  ),
  'create-name-letters': refusing(/[^ -~]|\\u/),
  'create-name-percent': renames((name) => name.replace(/%41/g, 'A')),
  'create-name-digits': showsText((text) => text.replace(/"name":"(\d+)"/, '"name":$1')),
  'create-name-null': renames((name) => (name === 'null' ? '' : name)),
  'create-escapes create-spaces create-order create-exponent: read with regular expressions': {
    readNewPet: (text, incoming) => {
      const read = CORRECT.readNewPet(text.replace(/s\\u006fl\\u0064/, 'lost').replace(/1e2/, '1'), incoming)
      if (!('value' in read)) return read
      if (/^\r\n/.test(text)) return { value: { ...read.value, name: 'spaced' } }
      return /^\{"status"/.test(text) ? { value: { ...read.value, status: 'pending' } } : read
    },
  },

  'int64-above-double': creates((pet) => ({ ...pet, categoryId: rounded(pet.categoryId) })),
  'int64-below-double': refusing(/"categoryId":-/),
  'int64-smallest': refusing(/-9223372036854775808/),
  'int64-zero': showsText((text) => text.replace(',"categoryId":0', '')),
  'int64-listed': keeps((pet) => ({ ...pet, categoryId: rounded(pet.categoryId) })),
  'int64-fetched': shows((pet, { path }) =>
    path === '/v1/pets' ? pet : { ...pet, categoryId: rounded(pet.categoryId) },
  ),

  [`${refusing400(true)}: taken`]: takes((text) => text !== '{}' && !isNearly(text)),
  [`${refusing400(false)}: taken`]: takes((text) => isNearly(text) && !text.endsWith('[')),
  'refuse-without-fields': takes((text) => text === '{}'),
  'refuse-status-unknown: 422': replies(both(status(400), sends(/"status"/)), withStatus(422)),
  'refuse-body-empty': replies(both(status(400), sends(/^$/)), withStatus(415)),
  'refused-not-stored': storesRefused(400),

  'get-missing': replies(both(status(404), path(/\/pets\/-?\d+$/)), withStatus(400)),
  'get-beyond-double: rounded': { find: (pets, id) => CORRECT.find(pets, id.replace('9007199254740993', '1')) },
  'get-as-created: the newest': {
    find: (pets, id) => (CORRECT.find(pets, id) === undefined ? undefined : pets.at(-1)),
  },
  'get: a list of one': bodies(aFetch, (body) => `[${body}]`),
  'get: gone before its time': replies(aFetch, instead(error(404, 'gone'))),

  'client-upper-case': {
    whose: (sent, incoming) =>
      incoming.rawHeaders.includes('AUTHORIZATION') ? 'address' : CORRECT.whose(sent, incoming),
  },
  'client-creates-curl': replies(both(post, header('user-agent', /^curl/)), instead(error(403, 'no'))),
  'client-creates-java: no body read of who offers HTTP/2': {
    readNewPet: (text, incoming) => CORRECT.readNewPet(incoming.headers.upgrade === undefined ? text : '', incoming),
  },
  'client-creates-expect': replies(both(post, header('expect', /./)), withStatus(500)),

  'over-limit-at-once: checked and then counted': counting(() => '', true),
  'over-limit-at-once: for each connection': counting((incoming) => String(incoming?.connection)),
  'over-limit-spelling: for each spelling of the header': () => ({
    ...counting((incoming) => incoming?.authorization ?? '')(),
    whose: (sent = '', incoming) => CORRECT.whose(sent.trim().replace(/^bearer +/i, 'Bearer '), incoming),
  }),
  'at-once-headers: none': overloaded(withoutLimitHeaders),
  'at-once-headers: 503': overloaded(withStatus(503)),
  'create-at-once-as-sent: a variable of the module': () => {
    let latest = ''
    return {
      readNewPet: (text, incoming) => {
        const checked = CORRECT.readNewPet(text, incoming)
        if ('value' in checked) latest = checked.value.name
        return checked
      },
      commit: () => quiet(() => 0),
      keep: (pet) => (isFiller(pet.name) ? { ...pet, name: latest } : pet),
      show: (pet, incoming) =>
        CORRECT.show(incoming.method === 'POST' && isFiller(pet.name) ? { ...pet, name: latest } : pet, incoming),
      newId: ids(),
    }
  },

  'headers-200-list': replies(aList, withoutLimitHeaders),
  [`${HEADERS.map(({ id }) => id).join(' ')}: no numbers`]: numberedLimits,
  'every-answer-limit-headers': replies(path(/pets\/rex/), withoutLimitHeaders),
  'listed-answers-limit-headers': replies(sends(/"categoryId":null/), withoutLimitHeaders),

  // The server holds 5, or 60, and says or does something else.
  'remaining-falls': says(({ limit }) => ({ remaining: limit })),
  'remaining-is-served: one too high': says(({ limit, remaining, isOver }) => ({
    remaining: isOver ? 0 : Math.min(limit, remaining + 1),
  })),
  'remaining-is-served: in steps of two': says(({ remaining, isOver }) => ({
    remaining: isOver ? 0 : remaining + (remaining % 2),
  })),
  'over-limit-429: Remaining one too low': says(({ remaining }) => ({ remaining: Math.max(0, remaining - 1) })),
  'over-limit-429: never enforced': { count: (used, who) => ({ ...CORRECT.count(used, who), isOver: false }) },
  'over-limit-429: 503': replies(status(429), withStatus(503)),
  'limit-is-served': says(({ limit }) => ({ limit: limit * 10 })),
  'over-limit-remaining-0': replies(status(429), withHeader(REMAINING, '1')),
  'over-limit-headers': replies(status(429), without(RESET)),
  'over-limit-create': unlimited(({ method }) => method === 'POST'),
  'over-limit-get': unlimited(({ path }) => path.startsWith('/v1/pets/')),
  'over-limit-not-stored': storesRefused(429),
  'over-limit-body: a web page': replies(status(429), (reply) =>
    withBody('<h1>429</h1>')(withHeader('Content-Type', 'text/html')(reply)),
  ),
  'retry-after': replies(status(429), without('Retry-After')),
  'retry-after-is-a-wait: a Unix time': { retryAfter: ({ resetS }) => String(resetS) },
  'retry-after-is-a-wait: milliseconds': { retryAfter: ({ resetS }, nowMs) => String(resetS * 1000 - nowMs) },
  'retry-after-is-a-wait: a date of last year': {
    retryAfter: (_limit, nowMs) => new Date(nowMs - 365 * 86_400_000).toUTCString(),
  },
  'retry-after-suffices: a second too short': {
    retryAfter: ({ resetS }, nowMs) => String(Math.ceil(resetS - nowMs / 1000) - 1),
  },
  'retry-after-suffices: the date of now': { retryAfter: (_limit, nowMs) => new Date(nowMs).toUTCString() },
  'retry-after-suffices: refusals for twice as long': overFor(150_000),
  'retry-after-suffices: a reset before it happens': { resetS: (nowMs) => Math.floor(nowMs / 1000) + 1 },

  [`${RESEMBLING.join(' ')}: whatever resembles the key`]: accepts(resembles),
  'auth-scheme-token': accepts((sent) => sent === `Token ${KEY}`),
  'auth-list-without-key': accepts(() => true),
  'auth-unknown-key': accepts((sent) => isBearer(sent) && sent.length > 8),
  'auth-create-without-key': accepts((_sent, { method }) => method === 'POST'),
  'auth-get-without-key': accepts((_sent, { path }) => path.startsWith('/v1/pets/')),
  'auth-create-unknown-key': accepts((sent, { method }) => method === 'POST' && isBearer(sent)),
  'auth-get-unknown-key': accepts((sent, { path }) => path.startsWith('/v1/pets/') && isBearer(sent)),
  'auth-nothing-stored': storesRefused(401),

  [`${CASES.flatMap(({ id }) => (id.startsWith('json-') ? [id] : [])).join(' ')}: a media type for each`]: replies(
    ({ status }) => status !== 429,
    (reply, incoming) => {
      const path = incoming?.path.replace('/v1/', '').replace(/\/.*/, '-one')
      return withHeader('Content-Type', `text/${TYPES[reply.status] ?? path}`)(reply)
    },
  ),
  'every-answer-json': replies(missing('0'), withHeader('Content-Type', 'text/plain')),
  'error-400 error-401 error-404: something else missing in each': replies(
    ({ status }) => status in LACKS,
    (reply) => withBody(JSON.stringify({ ...JSON.parse(reply.body), [LACKS[reply.status] ?? '']: undefined }))(reply),
  ),
  'error-401-unknown-key': members(both(status(401), isUnknownKey), { message: undefined }),
  'every-error-body': replies(
    both(
      status(400),
      asks(({ body }) => body === ''),
    ),
    withBody('{}'),
  ),
  'list create-pending: a version header needed': replies(
    ({ status }) => status < 300,
    instead(error(400, 'which version?')),
  ),

  // One request kills them, or is left without an answer: the failure is that request's.
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
}
