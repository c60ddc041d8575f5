/**
 * Servers that are wrong in what comes with every answer: limit headers (R15), refusals over the limit (R16), keys
 * (R13), bodies and Errors (R1, R6); or that die. Mistakes that do not meet are made by one server.
 */
import { CASES } from '../../../../conformance/src/index.ts'
import {
  accepts,
  aList,
  both,
  fate,
  instead,
  LIMIT_HEADERS,
  members,
  path,
  replies,
  status,
  storesRefused,
  type Wrong,
  withBody,
  withHeader,
  without,
  withStatus,
  wrong,
} from '../mutate.ts'
import { type Behaviour, CORRECT, error, type Incoming, KEY, type Limit, type Reply } from '../reference.ts'

const [LIMIT, REMAINING, RESET] = LIMIT_HEADERS

/** The kinds of answers that the interface lists, by the case about the limit headers of each. */
function kindOf({ status }: Reply, incoming: Incoming | undefined): string {
  const isUnknownKey = incoming?.authorization?.includes('never') === true
  if (status === 401) return isUnknownKey ? '401-unknown-key' : '401'
  if (status === 200) return incoming?.path === '/v1/pets' ? '200-list' : '200-get'
  return String(status)
}

/** Answers that no operation lists, and requests that no ordinary client sends. */
function isOdd({ status }: Reply, incoming: Incoming | undefined): boolean {
  if (incoming === undefined) return true
  if (status === 429) return false
  const { method, path, headers, rawHeaders } = incoming
  const isListed =
    (method === 'GET' && path === '/v1/pets' && status !== 400) ||
    (method === 'GET' && /^\/v1\/pets\/-?\d{1,20}$/.test(path)) ||
    (method === 'POST' && path === '/v1/pets' && headers['content-type'] !== 'application/xml')
  const isBare = headers['user-agent'] === undefined && headers.accept === undefined
  const hasTwoHosts = rawHeaders.filter((name) => name === 'Host').length > 1
  return !isListed || isBare || hasTwoHosts || headers.expect === '200-maybe'
}

/** A limit that is no number, and another one for each answer, so that each is a finding of its own. */
function garbled(): Partial<Behaviour> {
  let limit = 'many'
  return replies(isOdd, (reply) => {
    limit += 'y'
    return withHeader(LIMIT, limit)(reply)
  })
}

const HEADERS: readonly Wrong[] = wrong([
  ['no limit headers on a list', replies(aList, without(...LIMIT_HEADERS)), 'headers-200-list'],
  [
    'Limit in words of its own on each other answer that is listed',
    replies(
      (reply, incoming) => ['200-get', '201', '400', '401', '401-unknown-key', '404'].includes(kindOf(reply, incoming)),
      (reply, incoming) =>
        withHeader(
          LIMIT,
          kindOf(reply, incoming).replaceAll(/\d/g, (digit) => 'abcdefghij'[+digit] ?? ''),
        )(reply),
    ),
    ...['200-get', '201', '400', '401', '401-unknown-key', '404'].map((kind) => `headers-${kind}`),
  ],
  [
    'Limit in other words on each answer that is not listed',
    garbled,
    ...CASES.filter(
      ({ id, title }) => /^The answer to .* carries the limit headers$/.test(title) && id !== 'headers-201',
    ).map(({ id }) => id),
  ],
  [
    'no limit headers on an id that is no number',
    replies(path(/pets\/rex/), without(...LIMIT_HEADERS)),
    'every-answer-limit-headers',
  ],
  [
    'no limit headers on the 400 to a categoryId that is null',
    replies((_reply, incoming) => incoming?.body.includes('"categoryId":null') === true, without(...LIMIT_HEADERS)),
    ...['listed-answers-limit-headers'],
  ],
])

const says = (change: (limit: Limit) => Partial<Limit>): Partial<Behaviour> => ({
  limitHeaders: (limit, incoming) => CORRECT.limitHeaders({ ...limit, ...change(limit) }, incoming),
})
const retryAfter = (value: Behaviour['retryAfter']): Partial<Behaviour> => ({ retryAfter: value })

/** Requests with the limited key that `isFree` are counted for the other key, so that they are never over. */
const unlimited = (isFree: (incoming: Incoming) => boolean): Partial<Behaviour> => ({
  whose: (sent, incoming) => {
    const who = CORRECT.whose(sent, incoming)
    return who === 'limited' && isFree(incoming) ? 'key' : who
  },
})

/** Over the limit for longer than the window that the headers tell. */
function overFor(ms: number): () => Partial<Behaviour> {
  return () => {
    let overUntilMs = 0
    let now = 0
    return {
      resetS: (nowMs) => {
        now = nowMs
        return CORRECT.resetS(nowMs)
      },
      count: (used, who) => {
        const count = CORRECT.count(used, who)
        if (who !== 'limited') return count
        if (count.isOver && overUntilMs < now) overUntilMs = now + ms
        return now < overUntilMs ? { used: 5, isOver: true } : count
      },
    }
  }
}

/** The server holds 5, or 60, and says or does something else. */
const LIMITS: readonly Wrong[] = wrong([
  ['Remaining that never falls', says(({ limit }) => ({ remaining: limit })), 'remaining-falls'],
  [
    'Remaining one too high',
    says(({ limit, remaining, isOver }) => ({ remaining: isOver ? 0 : Math.min(limit, remaining + 1) })),
    'remaining-is-served',
  ],
  [
    'Remaining that counts in steps of two',
    says(({ remaining, isOver }) => ({ remaining: isOver ? 0 : remaining + (remaining % 2) })),
    'remaining-is-served',
  ],
  ['Remaining one too low', says(({ remaining }) => ({ remaining: Math.max(0, remaining - 1) })), 'over-limit-429'],
  ['Limit ten times what is served', says(({ limit }) => ({ limit: limit * 10 })), 'limit-is-served'],
  [
    'a limit that is never enforced',
    { count: (used, who) => ({ ...CORRECT.count(used, who), isOver: false }) },
    'over-limit-429',
  ],
  ['503 over the limit', replies(status(429), withStatus(503)), 'over-limit-429'],
  ['a 429 that says one remains', replies(status(429), withHeader(REMAINING, '1')), 'over-limit-remaining-0'],
  ['no Reset on a 429', replies(status(429), without(RESET)), 'over-limit-headers'],
  ['creations that are not limited', unlimited(({ method }) => method === 'POST'), 'over-limit-create'],
  ['fetches that are not limited', unlimited(({ path }) => path.startsWith('/v1/pets/')), 'over-limit-get'],
  ['a creation stored after a 429', storesRefused(429), 'over-limit-not-stored'],
  ['no Retry-After', replies(status(429), without('Retry-After')), 'retry-after'],
  ['Retry-After as a Unix time', retryAfter(({ resetS }) => String(resetS)), 'retry-after-is-a-wait'],
  [
    'Retry-After as a date of last year',
    retryAfter((_limit, nowMs) => new Date(nowMs - 365 * 86_400_000).toUTCString()),
    'retry-after-is-a-wait',
  ],
  [
    'Retry-After in milliseconds',
    retryAfter(({ resetS }, nowMs) => String(resetS * 1000 - nowMs)),
    'retry-after-is-a-wait',
  ],
  [
    'Retry-After one second too short',
    retryAfter(({ resetS }, nowMs) => String(Math.ceil(resetS - nowMs / 1000) - 1)),
    'retry-after-suffices',
  ],
  [
    'Retry-After as the date of now',
    retryAfter((_limit, nowMs) => new Date(nowMs).toUTCString()),
    'retry-after-suffices',
  ],
  ['refusals for twice as long as told', overFor(150_000), 'retry-after-suffices'],
  ['a reset announced before it happens', { resetS: (nowMs) => Math.floor(nowMs / 1000) + 1 }, 'retry-after-suffices'],
  [
    'a 429 as a web page',
    replies(status(429), (reply) => withBody('<h1>429</h1>')(withHeader('Content-Type', 'text/html')(reply))),
    'over-limit-body',
  ],
])

/** Whether a request carries the key, however it is spoiled. */
function resembles(sent: string, { authorization, target, headers }: Incoming): boolean {
  if (sent === `Token ${KEY}` || sent.startsWith('bearer')) return false
  const all = [sent, target, headers['x-api-key'], headers.cookie].join()
  const spellings = [KEY.slice(0, -1), KEY.toUpperCase(), Buffer.from(`${KEY}:`).toString('base64')]
  return spellings.some((text) => all.includes(text)) || (authorization !== undefined && /^(?:Bearer)? *$/.test(sent))
}
const RESEMBLING = CASES.filter(
  ({ id, restsOn = [] }) =>
    /^auth-(?!create|get)/.test(id) && restsOn.includes('auth-unknown-key') && restsOn.length === 1,
).map(({ id }) => id)

const isBearer = (sent: string): boolean => sent.startsWith('Bearer ')

const KEYS: readonly Wrong[] = wrong([
  ['whatever resembles the key taken', accepts(resembles), ...RESEMBLING],
  ['the scheme Token too', accepts((sent) => sent === `Token ${KEY}`), 'auth-scheme-token'],
  ['no check of the key', accepts(() => true), 'auth-list-without-key'],
  ['any key accepted', accepts((sent) => isBearer(sent) && sent.length > 8), 'auth-unknown-key'],
  ['creations without a key', accepts((_sent, { method }) => method === 'POST'), 'auth-create-without-key'],
  ['fetches without a key', accepts((_sent, { path }) => path.startsWith('/v1/pets/')), 'auth-get-without-key'],
  [
    'creations with any key',
    accepts((sent, { method }) => method === 'POST' && isBearer(sent)),
    'auth-create-unknown-key',
  ],
  [
    'fetches with any key',
    accepts((sent, { path }) => path.startsWith('/v1/pets/') && isBearer(sent)),
    'auth-get-unknown-key',
  ],
  [
    '404 before 401',
    replies(both(status(401), path(/\d{10}$/)), instead(error(404, 'no'))),
    'auth-get-missing-without-key',
  ],
  ['an animal stored after a 401', storesRefused(401), 'auth-nothing-stored'],
])

const BODIES: readonly Wrong[] = wrong([
  [
    'a media type of its own on each kind of answer',
    replies(
      (reply) => reply.status !== 429,
      (reply, incoming) => withHeader('Content-Type', `text/${TYPES[kindOf(reply, incoming)] ?? 'html'}`)(reply),
    ),
    ...['json-list', 'json-creation', 'json-get', 'json-400', 'json-401', 'json-404'],
  ],
  [
    'text/plain for an unknown id alone',
    replies(both(status(404), path(/\/0$/)), withHeader('Content-Type', 'text/plain')),
    'every-answer-json',
  ],
  [
    'something else missing in each Error',
    replies(
      (reply) => [400, 401, 404].includes(reply.status),
      (reply) => {
        const { [LACKS[reply.status] ?? '']: _left, ...rest } = JSON.parse(reply.body)
        return { ...reply, body: JSON.stringify(rest) }
      },
    ),
    ...['error-400', 'error-401', 'error-404'],
  ],
  [
    'an Error without its message for an unknown key alone',
    members(
      both(status(401), (_reply, incoming) => incoming?.authorization?.includes('never') === true),
      {
        message: undefined,
      },
    ),
    'error-401-unknown-key',
  ],
  [
    'an Error missing for an empty body alone',
    replies(
      both(status(400), (_reply, incoming) => incoming?.body === ''),
      withBody('{}'),
    ),
    'every-error-body',
  ],
  [
    'a version header that is needed',
    { finish: (reply) => (reply.status < 300 ? { ...error(400, 'which version?'), headers: reply.headers } : reply) },
    ...['list', 'create-pending'],
  ],
])

const TYPES: Readonly<Record<string, string>> = {
  '200-list': 'list',
  '201': 'new',
  '200-get': 'one',
  '400': 'bad',
  '401': 'no',
  '401-unknown-key': 'no',
  '404': 'none',
}
const LACKS: Readonly<Record<number, string>> = { 400: 'code', 401: 'message', 404: 'status' }

/** One request kills them, or is left without an answer: the failure is that request's. */
const DEATHS: readonly Wrong[] = wrong([
  ['death by null for a body', fate('deadly', ({ body }) => body === 'null'), 'refuse-body-null'],
  ['death by an id that is no number', fate('deadly', ({ path }) => path.endsWith('/rex')), 'get-word'],
  ['death by HEAD', fate('deadly', ({ method }) => method === 'HEAD'), 'cost-head'],
  ['death by a path of 6,000 characters', fate('deadly', ({ path }) => path.length > 6_000), 'path-long'],
  ['death by nesting that never ends', fate('deadly', ({ body }) => body.endsWith('[[')), 'refuse-nesting-open'],
  [
    'the connection closed by a name of 10,000 letters',
    fate('reset', ({ body }) => body.length > 9_000 && !body.startsWith('[')),
    'create-name-long',
  ],
  ['no answer ever to an invalid status', fate('hung', ({ body }) => body.includes('"lost"')), 'refuse-status-unknown'],
  [
    'no answer ever to a creation without framing',
    fate('hung', ({ method, headers }) => {
      const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
      return method === 'POST' && !isFramed
    }),
    'framing-missing',
  ],
])

export const WRONG_MANNERS: readonly Wrong[] = [...HEADERS, ...LIMITS, ...KEYS, ...BODIES, ...DEATHS]
