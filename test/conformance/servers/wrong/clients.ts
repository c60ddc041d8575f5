/** Servers that are wrong about some of their ordinary clients: how these write their requests (R7, R9, R10, R13). */
import {
  aList,
  both,
  fate,
  header,
  instead,
  method,
  replies,
  status,
  type Wrong,
  withBody,
  withHeader,
  withStatus,
  wrong,
} from '../mutate.ts'
import { CORRECT, error } from '../reference.ts'

const post = method('POST')

export const CLIENT_DEFECTS: readonly Wrong[] = [
  wrong(
    'header names taken case-sensitively',
    {
      whose: (sent, incoming) =>
        incoming.rawHeaders.some((name) => /^(?:authorization|AUTHORIZATION)$/.test(name))
          ? 'address'
          : CORRECT.whose(sent, incoming),
    },
    'client-fetch',
  ),
  wrong(
    'header names in capitals not known',
    {
      whose: (sent, incoming) =>
        incoming.rawHeaders.includes('AUTHORIZATION') ? 'address' : CORRECT.whose(sent, incoming),
    },
    'client-upper-case',
  ),
  wrong(
    'a page for browsers (Laravel, Spring)',
    replies(both(aList, header('accept', /^text\/html/)), (reply) =>
      withBody('<ul></ul>')(withHeader('Content-Type', 'text/html')(reply)),
    ),
    'client-browser',
  ),
  wrong('406 to browsers', replies(header('accept', /^text\/html/), withStatus(406)), 'client-browser'),
  wrong(
    'a redirect for who accepts anything and sends what is invalid (Laravel)',
    replies(both(both(status(400), post), header('accept', /^\*\/\*$/)), (reply) =>
      withHeader('Location', '/')(withStatus(302)(reply)),
    ),
    'accept-any-400',
  ),
  wrong(
    'a redirect to sign in for who accepts anything (Laravel)',
    replies(both(status(401), header('accept', /^\*\/\*$/)), (reply) =>
      withHeader('Location', '/login')(withStatus(302)(reply)),
    ),
    'accept-any-401',
  ),
  wrong(
    'an error page for who accepts anything (Spring)',
    replies(both(status(401), header('accept', /^\*\/\*$/)), withHeader('Content-Type', 'text/html')),
    'accept-any-401',
  ),
  wrong('curl kept out (a firewall)', replies(header('user-agent', /^curl/), instead(error(403, 'no'))), 'client-curl'),
  wrong('wget kept out (a firewall)', replies(header('user-agent', /^Wget/), instead(error(403, 'no'))), 'client-wget'),
  wrong(
    'scripts in Python kept out (a firewall)',
    replies(header('user-agent', /^Python-/), instead(error(403, 'no'))),
    'client-python',
  ),
  wrong(
    'requests for Python kept out (a firewall)',
    replies(header('user-agent', /requests/), instead(error(403, 'no'))),
    'client-requests',
  ),
  wrong('Go kept out (a firewall)', replies(header('user-agent', /^Go-/), instead(error(403, 'no'))), 'client-go'),
  wrong(
    'creations by curl kept out (a firewall)',
    replies(both(post, header('user-agent', /^curl/)), instead(error(403, 'no'))),
    'client-creates-curl',
  ),
  wrong(
    'no body read of who offers HTTP/2',
    {
      readNewPet: (text, incoming) => CORRECT.readNewPet(incoming.headers.upgrade === undefined ? text : '', incoming),
    },
    'client-creates-java',
  ),
  wrong('500 to who expects 100', replies(both(post, header('expect', /./)), withStatus(500)), 'client-creates-expect'),
  wrong('426 to who offers HTTP/2', replies(header('upgrade', /h2c/), withStatus(426)), 'client-java'),
  wrong(
    'no answer ever to who offers HTTP/2',
    fate('hung', ({ headers }) => headers.upgrade === 'h2c'),
    'client-java',
  ),
  wrong(
    'no answer ever in HTTP/1.0',
    fate('hung', ({ headers }) => /^ApacheBench/.test(headers['user-agent'] as string)),
    'client-ab',
  ),
  wrong('requests with cookies redirected', replies(header('cookie', /theme/), withStatus(302)), 'client-browser'),
]
