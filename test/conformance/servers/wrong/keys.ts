/** Servers that take what is no valid key for one, or answer otherwise where there is none (R13). */

import {
  accepts,
  both,
  instead,
  path,
  replies,
  status,
  storesRefused,
  type Wrong,
  withStatus,
  wrong,
} from '../mutate.ts'
import { error, KEY } from '../reference.ts'

const bearer = /^Bearer /
const inQuery = ['api_key', 'apiKey', 'key', 'token', 'access_token']

export const KEY_DEFECTS: readonly Wrong[] = [
  wrong(
    'no check of the key',
    accepts(() => true),
    'auth-list-without-key',
  ),
  wrong(
    'any key accepted',
    accepts((sent) => bearer.test(sent) && sent.length > 8),
    'auth-unknown-key',
  ),
  wrong(
    'lists without a key',
    accepts((_sent, { method, path }) => method === 'GET' && path === '/v1/pets'),
    'auth-list-without-key',
  ),
  wrong(
    'creations without a key',
    accepts((_sent, { method }) => method === 'POST'),
    'auth-create-without-key',
  ),
  wrong(
    'fetches without a key',
    accepts((_sent, { path }) => path.startsWith('/v1/pets/')),
    'auth-get-without-key',
  ),
  wrong(
    'creations with any key',
    accepts((sent, { method }) => method === 'POST' && bearer.test(sent)),
    'auth-create-unknown-key',
  ),
  wrong(
    'fetches with any key',
    accepts((sent, { path }) => path.startsWith('/v1/pets/') && bearer.test(sent)),
    'auth-get-unknown-key',
  ),
  wrong(
    'any scheme',
    accepts((sent) => sent.endsWith(` ${KEY}`) && !sent.includes('x')),
    'auth-scheme-basic',
  ),
  wrong(
    'the scheme Token too',
    accepts((sent) => sent === `Token ${KEY}`),
    'auth-scheme-token',
  ),
  wrong(
    'the scheme Basic with the bare key too',
    accepts((sent) => sent === `Basic ${KEY}`),
    'auth-scheme-basic',
  ),
  wrong(
    'the key as the user name of Basic',
    accepts((sent) => sent === `Basic ${Buffer.from(`${KEY}:`).toString('base64')}`),
    'auth-basic-user',
  ),
  wrong(
    'no scheme needed',
    accepts((sent) => sent === KEY),
    'auth-no-scheme',
  ),
  wrong(
    'keys compared by their beginning',
    accepts((sent) => sent.length > 'Bearer '.length && `Bearer ${KEY}`.startsWith(sent)),
    'auth-key-cut',
  ),
  wrong(
    'keys that may go on',
    accepts((sent) => sent === `Bearer ${KEY}x`),
    'auth-key-after',
  ),
  wrong(
    'keys compared by their end',
    accepts((sent) => bearer.test(sent) && sent.endsWith(KEY)),
    'auth-key-before',
  ),
  wrong(
    'the first of two words',
    accepts((sent) => sent.startsWith(`Bearer ${KEY} `)),
    'auth-key-two-words',
  ),
  wrong(
    'keys compared without regard to case',
    accepts((sent) => sent.toLowerCase() === `bearer ${KEY.toLowerCase()}` && bearer.test(sent)),
    'auth-key-other-case',
  ),
  wrong(
    'the key taken from X-API-Key',
    accepts((_sent, { headers }) => headers['x-api-key'] === KEY),
    'auth-key-in-header',
  ),
  wrong(
    'the key taken from a cookie',
    accepts((_sent, { headers }) => headers.cookie === `api_key=${KEY}`),
    'auth-key-in-cookie',
  ),
  ...inQuery.map((name) =>
    wrong(
      `the key taken from the query as ${name}`,
      accepts((_sent, { query }) => query.get(name) === KEY),
      `auth-key-in-query-${name}`,
    ),
  ),
  wrong(
    'an empty credential accepted',
    accepts((sent, { authorization }) => authorization !== undefined && sent.trim() === ''),
    'auth-empty',
  ),
  wrong(
    'Bearer alone accepted',
    accepts((sent) => sent.trim() === 'Bearer'),
    'auth-bearer-alone',
  ),
  ...[400, 403, 404, 500, 407].map((code) =>
    wrong(`${code} instead of 401`, replies(status(401), instead(error(code, 'no'))), 'auth-list-without-key'),
  ),
  wrong(
    '302 to a login page',
    replies(status(401), (reply) => ({ ...reply, status: 302, headers: { ...reply.headers, Location: '/login' } })),
    'auth-list-without-key',
  ),
  wrong(
    '403 for a key that is unknown',
    replies(
      (reply, incoming) => reply.status === 401 && incoming?.authorization?.includes('never') === true,
      withStatus(403),
    ),
    'auth-unknown-key',
  ),
  wrong(
    '404 before 401',
    replies(both(status(401), path(/\d{10}$/)), instead(error(404, 'no'))),
    'auth-get-missing-without-key',
  ),
  wrong('an animal stored after a 401', storesRefused(401), 'auth-nothing-stored'),
]
