/** Servers whose limit headers are missing, malformed or untrue (R15). */

import {
  aFetch,
  aList,
  always,
  both,
  LIMIT_HEADERS,
  method,
  type Picks,
  path,
  replies,
  status,
  type Wrong,
  withHeader,
  without,
  withoutLimitHeaders,
  wrong,
} from '../mutate.ts'
import { type Behaviour, CORRECT, type Limit, PER_MINUTE } from '../reference.ts'

const MISSING_ON: readonly (readonly [kind: string, when: Picks, foundBy: string])[] = [
  ['a list', aList, 'headers-200-list'],
  ['a fetched animal', aFetch, 'headers-200-get'],
  ['a 201', status(201), 'headers-201'],
  ['a 400', status(400), 'headers-400'],
  ['a 401', status(401), 'headers-401'],
  ['a 404', status(404), 'headers-404'],
  ['a 405', status(405), 'delete-list'],
  ['a 429', status(429), 'over-limit-headers'],
  ['HEAD', method('HEAD'), 'head'],
  ['DELETE', method('DELETE'), 'delete-pet'],
  ['PUT', method('PUT'), 'put-list'],
  ['PATCH', method('PATCH'), 'status-change'],
  ['OPTIONS', method('OPTIONS'), 'options'],
  ['TRACE', method('TRACE'), 'method-trace'],
  ['a method of WebDAV', method('PROPFIND'), 'method-unknown'],
  ['malformed HTTP', (_reply, incoming) => incoming === undefined, 'method-invented'],
  ['an unknown path', path(/no-such-path/), 'path-unknown'],
  ['the list of orders', path(/orders/), 'store-orders'],
  ['a path that is no valid percent-encoding', path(/%zz/), 'path-bad-escape'],
  ['a path that is not UTF-8', path(/%ff/), 'path-bad-utf8'],
  ['a long path', path(/9{6000}/), 'path-long'],
  ['a whole URL as target', path(/^http:/), 'target-absolute'],
  ['OPTIONS *', path(/^\*$/), 'options-asterisk'],
  ['an unknown expectation', (_reply, incoming) => incoming?.headers.expect !== undefined, 'expect-unknown'],
  ['an upgrade', (_reply, incoming) => incoming?.headers.upgrade !== undefined, 'upgrade'],
  ['a preflight', (_reply, incoming) => incoming?.headers.origin !== undefined, 'preflight'],
  ['a creation as XML', (_reply, incoming) => incoming?.headers['content-type'] === 'application/xml', 'type-not-json'],
  [
    'a limit that is a word',
    (_reply, incoming) => incoming?.query.get('limit') === 'many',
    'every-answer-limit-headers',
  ],
  ['an id that is no number', path(/pets\/rex/), 'every-answer-limit-headers'],
]

const missing = MISSING_ON.map(([kind, when, foundBy]) =>
  wrong(
    `no limit headers on ${kind}`,
    replies(when, withoutLimitHeaders),
    foundBy.replace('every-answer-limit-headers', 'every-answer-limit-headers'),
  ),
)

const oneMissing = LIMIT_HEADERS.map((name) =>
  wrong(`no ${name} at all`, replies(always, without(name)), 'headers-200-list'),
)

const MALFORMED: readonly (readonly [
  what: string,
  header: (typeof LIMIT_HEADERS)[number],
  value: (value: string) => string,
])[] = [
  ['Limit with a policy after it', 'X-RateLimit-Limit', (value) => `${value};w=60`],
  ['Limit in words', 'X-RateLimit-Limit', () => 'sixty'],
  ['Limit with a unit', 'X-RateLimit-Limit', (value) => `${value}/min`],
  ['Limit empty', 'X-RateLimit-Limit', () => ''],
  ['Limit as undefined', 'X-RateLimit-Limit', () => 'undefined'],
  ['Remaining above Limit', 'X-RateLimit-Remaining', () => '61'],
  ['Remaining as a fraction', 'X-RateLimit-Remaining', (value) => `${value}.0`],
  ['Remaining with a sign', 'X-RateLimit-Remaining', (value) => `+${value}`],
  ['Remaining as NaN', 'X-RateLimit-Remaining', () => 'NaN'],
  ['Remaining of what', 'X-RateLimit-Remaining', (value) => `${value} of 60`],
  ['Reset in milliseconds', 'X-RateLimit-Reset', (value) => `${value}000`],
  ['Reset as the seconds to go', 'X-RateLimit-Reset', (value) => String(Number(value) % 60)],
  ['Reset as a minute to go', 'X-RateLimit-Reset', () => '60'],
  ['Reset as a fraction', 'X-RateLimit-Reset', (value) => `${value}.5`],
  ['Reset as a date of HTTP', 'X-RateLimit-Reset', (value) => new Date(Number(value) * 1000).toUTCString()],
  ['Reset as a date of ISO 8601', 'X-RateLimit-Reset', (value) => new Date(Number(value) * 1000).toISOString()],
  ['Reset an hour ago', 'X-RateLimit-Reset', (value) => String(Number(value) - 3600)],
  ['Reset at the window’s start', 'X-RateLimit-Reset', (value) => String(Number(value) - 60)],
  ['Reset in the local time of elsewhere', 'X-RateLimit-Reset', (value) => String(Number(value) - 7200)],
  ['Reset in the year 2100', 'X-RateLimit-Reset', () => '4102444800'],
  ['Reset as 0', 'X-RateLimit-Reset', () => '0'],
]

const malformed = MALFORMED.map(([what, name, value]) =>
  wrong(
    what,
    replies(
      always,
      withHeader(name, ({ headers }) => value(headers[name] ?? '')),
    ),
    'headers-200-list',
  ),
)

const RENAMED: readonly (readonly [what: string, name: (name: string) => string])[] = [
  ['the names of the IETF draft', (name) => name.replace('X-', '')],
  ['names with another hyphen', (name) => name.replace('RateLimit', 'Rate-Limit')],
]

const renamed = RENAMED.map(([what, rename]) =>
  wrong(
    what,
    replies(always, (reply) => ({
      ...reply,
      headers: Object.fromEntries(
        Object.entries(reply.headers).map(([name, value]) => [
          name.startsWith('X-RateLimit') ? rename(name) : name,
          value,
        ]),
      ),
    })),
    'headers-200-list',
  ),
)

const says = (change: (limit: Limit) => Partial<Limit>): Partial<Behaviour> => ({
  limitHeaders: (limit, incoming) => CORRECT.limitHeaders({ ...limit, ...change(limit) }, incoming),
})

/** The server holds 5, or 60, and says something else. */
const untrue: readonly Wrong[] = [
  wrong(
    'Remaining that never falls',
    says(({ limit }) => ({ remaining: limit })),
    'remaining-falls',
  ),
  wrong(
    'Remaining that is always 1',
    says(() => ({ remaining: 1 })),
    'remaining-falls',
  ),
  wrong(
    'Remaining that is always 0',
    says(() => ({ remaining: 0 })),
    'remaining-falls',
    'over-limit-429',
  ),
  wrong(
    'Remaining that rises',
    says(({ limit, remaining }) => ({ remaining: limit - remaining })),
    'remaining-falls',
  ),
  wrong(
    'Remaining one too high',
    says(({ limit, remaining, isOver }) => ({ remaining: isOver ? 0 : Math.min(limit, remaining + 1) })),
    'remaining-is-served',
  ),
  wrong(
    'Remaining one too low',
    says(({ remaining }) => ({ remaining: Math.max(0, remaining - 1) })),
    'over-limit-429',
  ),
  wrong(
    'Remaining that falls by two for each request',
    says(({ limit, remaining }) => ({ remaining: Math.max(0, limit - 2 * (limit - remaining)) })),
    'over-limit-429',
  ),
  wrong(
    'Remaining that counts in steps of two',
    says(({ remaining, isOver }) => ({ remaining: isOver ? 0 : remaining + (remaining % 2) })),
    'remaining-is-served',
  ),
  wrong(
    'Limit ten times what is served',
    says(({ limit }) => ({ limit: limit * 10 })),
    'limit-is-served',
  ),
  wrong(
    'Limit that is that of another plan',
    says(() => ({ limit: 300 })),
    'limit-is-served',
  ),
  wrong(
    'Limit and Remaining twice what is served',
    says(({ limit, remaining, isOver }) => ({ limit: limit * 2, remaining: isOver ? 0 : remaining + limit })),
    'remaining-is-served',
  ),
  wrong(
    'twice the cost that Remaining tells',
    {
      count: (used, who) => {
        const before = used.get(who) ?? 0
        if (before >= PER_MINUTE[who]) return { used: before, isOver: true }
        used.set(who, before + (who === 'limited' ? 2 : 1))
        return { used: Math.ceil((before + 1) / 2), isOver: false }
      },
    },
    'remaining-is-served',
  ),
  wrong(
    'a 429 that says one remains',
    replies(status(429), withHeader('X-RateLimit-Remaining', '1')),
    'over-limit-remaining-0',
  ),
  wrong(
    'a 429 that says all remain',
    replies(status(429), withHeader('X-RateLimit-Remaining', '5')),
    'over-limit-remaining-0',
  ),
  wrong(
    'a 429 with a negative Remaining',
    replies(status(429), withHeader('X-RateLimit-Remaining', '-1')),
    'over-limit-headers',
  ),
  wrong('no Reset on a 429', replies(status(429), without('X-RateLimit-Reset')), 'over-limit-headers'),
  wrong(
    'Reset in milliseconds on a 429',
    replies(
      status(429),
      withHeader('X-RateLimit-Reset', ({ headers }) => `${headers['X-RateLimit-Reset']}000`),
    ),
    'over-limit-headers',
  ),
  wrong(
    'Reset in milliseconds on a 401',
    replies(
      status(401),
      withHeader('X-RateLimit-Reset', ({ headers }) => `${headers['X-RateLimit-Reset']}000`),
    ),
    'headers-401',
  ),
  wrong(
    'Remaining above Limit on a 404',
    replies(both(status(404), always), withHeader('X-RateLimit-Remaining', '999')),
    'headers-404',
  ),
]

export const LIMIT_HEADER_DEFECTS: readonly Wrong[] = [...missing, ...oneMissing, ...malformed, ...renamed, ...untrue]
