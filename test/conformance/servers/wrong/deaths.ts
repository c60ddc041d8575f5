/** Servers that one request kills, or that leave one without an answer: the failure is that request's. */
import { fate, type Wrong, wrong } from '../mutate.ts'
import type { Incoming } from '../reference.ts'

const REQUESTS: readonly (readonly [
  what: string,
  when: (incoming: Incoming) => boolean,
  foundBy: string,
  isMalformed?: boolean,
])[] = [
  ['/pets/%zz', ({ path }) => path.endsWith('%zz'), 'path-bad-escape'],
  ['/pets/%ff', ({ path }) => path.endsWith('%ff'), 'path-bad-utf8'],
  ['limit=%zz', ({ query }) => query.get('limit') === '%zz', 'query-bad-escape'],
  ['a method of WebDAV', ({ method }) => method === 'PROPFIND', 'method-unknown'],
  ['a path of 6,000 characters', ({ path }) => path.length > 6_000, 'path-long'],
  [
    'JSON that breaks off',
    ({ method, body }) => method === 'POST' && body.endsWith('"categoryId":1'),
    'refuse-body-cut',
  ],
  ['null for a body', ({ body }) => body === 'null', 'refuse-body-null'],
  ['an id that is no number', ({ path }) => path.endsWith('/rex'), 'get-word'],
  ['an unknown path', ({ path }) => path.includes('no-such-path'), 'auth-before-path'],
  ['HEAD', ({ method }) => method === 'HEAD', 'cost-head'],
  ['limit=0', ({ query }) => query.get('limit') === '0', 'auth-list-invalid-without-key'],
  ['a name of 10,000 letters', ({ body }) => body.length > 9_000 && !body.startsWith('['), 'create-name-long'],
  ['the largest int64', ({ body }) => body.includes('9223372036854775807'), 'int64-largest'],
]

export const DEATHS: readonly Wrong[] = [
  ...REQUESTS.map(([what, when, foundBy]) => wrong(`death by ${what}`, fate('deadly', when), foundBy)),
  ...REQUESTS.filter(([, , foundBy]) => /^(?:refuse|int64|create)/.test(foundBy)).map(([what, when, foundBy]) =>
    wrong(`the connection closed by ${what}`, fate('reset', when), foundBy),
  ),
  wrong(
    'no answer ever to an invalid status',
    fate('hung', ({ body }) => body.includes('"lost"')),
    'refuse-status-unknown',
  ),
  wrong(
    'no answer ever to a creation without framing',
    fate(
      'hung',
      ({ method, headers }) =>
        method === 'POST' && headers['content-length'] === undefined && headers['transfer-encoding'] === undefined,
    ),
    'framing-missing',
  ),
]
