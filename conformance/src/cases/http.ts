/**
 * What HTTP brings along beyond the three operations: other paths and methods, and requests that are not even HTTP. The
 * interface leaves the answers to HTTP, so they are reported; but it says of every response that it carries the limit
 * headers (R15), and that holds for these too. What a program is asked is `core`; what a server's parser answers by
 * itself, or a proxy before it, is `strict`.
 */
import { type CaseInSection, inSection } from '../case.ts'
import { expectLimitHeaders, expectStatus, outcome, withHeaders } from '../expect.ts'
import { ANIMALS, animal, UNUSED_ID } from '../fixtures.ts'
import {
  BEARER,
  createPet,
  type HttpRequest,
  jsonRequestLines,
  listPets,
  type Request,
  rawRequest,
  requestLines,
  WITH_KEY,
} from '../http/request.ts'
import type { Kit } from '../kit.ts'
import type { Statement } from '../statements.ts'

type Kind = readonly [id: string, what: string, alsoCites: Statement, request: (kit: Kit) => Request | Promise<Request>]

function kindCase([id, what, alsoCites, request]: Kind): CaseInSection {
  return {
    id,
    title: `The answer to ${what} carries the limit headers`,
    cites: ['R15', alsoCites],
    run: async (kit) => {
      const exchange = await kit.trySend(await request(kit))
      const sentence = `${what.slice(0, 1).toUpperCase()}${what.slice(1)}`
      // No answer is no response, and to leave bytes that are not HTTP without one is allowed.
      if (typeof exchange === 'string') return `${sentence}: no answer came that could carry headers (${exchange}).`
      expectLimitHeaders(exchange)
      return `${sentence}: ${outcome(exchange)}${withHeaders(exchange, 'Allow', 'Location', 'Access-Control-Allow-Origin')}.`
    },
  }
}

const other = (method: string, path: string): HttpRequest => ({ method, path, headers: WITH_KEY })

const getRaw = (kit: Kit, ...headers: readonly string[]): Request =>
  rawRequest(requestLines(kit.base, 'GET', '/pets', ...headers))

const postRaw = (kit: Kit, headers: readonly string[], rest: string): Request =>
  rawRequest(jsonRequestLines(kit.base, ...headers), rest)

const OF_PROGRAMS: readonly Kind[] = [
  ['head', 'HEAD /pets', 'O23', () => other('HEAD', '/pets')],
  ['delete-list', 'DELETE /pets', 'O23', () => other('DELETE', '/pets')],
  ['put-list', 'PUT /pets', 'O23', () => other('PUT', '/pets')],
  ['options', 'OPTIONS /pets with a key', 'O23', () => other('OPTIONS', '/pets')],
  [
    'preflight',
    'the question of a browser whether another origin may ask',
    'O24',
    () => ({
      method: 'OPTIONS',
      path: '/pets',
      headers: {
        Origin: 'https://example.org',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization',
      },
    }),
  ],
  ['path-unknown', 'an unknown path', 'O23', () => other('GET', '/no-such-path')],
  [
    'path-unknown-without-key',
    'an unknown path without a key',
    'O22',
    () => ({ ...listPets('', {}), path: '/no-such-path' }),
  ],
  [
    'type-not-json',
    'a creation as XML',
    'O23',
    () => createPet('<pet/>', WITH_KEY, { 'Content-Type': 'application/xml' }),
  ],
]

const OF_PARSERS: readonly Kind[] = [
  ['method-unknown', 'an unknown method', 'O23', () => other('PROPFIND', '/pets')],
  [
    'method-invented',
    'a method that nobody knows',
    'O23',
    (kit) => rawRequest(requestLines(kit.base, 'ADOPT', '/pets')),
  ],
  ['method-trace', 'TRACE /pets', 'O23', () => other('TRACE', '/pets')],
  ['path-bad-escape', 'a path that is no valid percent-encoding', 'O18', () => other('GET', '/pets/%zz')],
  ['path-bad-utf8', 'a path whose percent-encoding is no UTF-8', 'O18', () => other('GET', '/pets/%ff')],
  ['query-bad-escape', 'a query that is no valid percent-encoding', 'O16', () => other('GET', '/pets?limit=%zz')],
  ['path-long', 'a path of 6,000 characters', 'O23', () => other('GET', `/pets/${'9'.repeat(6000)}`)],
  [
    'expect-unknown',
    'an expectation that no server knows',
    'O23',
    () => ({ ...listPets(), headers: { ...WITH_KEY, Expect: '200-maybe' } }),
  ],
  ['not-http', 'bytes that are not HTTP', 'O23', () => rawRequest(['HELLO'])],
  [
    'options-asterisk',
    'OPTIONS *',
    'O23',
    (kit) => rawRequest(['OPTIONS * HTTP/1.1', `Host: ${kit.base.host}`, BEARER, 'Connection: close']),
  ],
  [
    'connect',
    'CONNECT',
    'O23',
    (kit) => rawRequest([`CONNECT ${kit.base.host} HTTP/1.1`, `Host: ${kit.base.host}`, BEARER, 'Connection: close']),
  ],
  [
    'target-absolute',
    'a request whose target is a whole URL',
    'O23',
    (kit) => rawRequest([`GET ${kit.base.href}/pets HTTP/1.1`, `Host: ${kit.base.host}`, BEARER, 'Connection: close']),
  ],
  ['http-1-0', 'a request in HTTP/1.0', 'O23', (kit) => rawRequest([`GET ${kit.base.pathname}/pets HTTP/1.0`, BEARER])],
  [
    'upgrade',
    'a request to go on in another protocol',
    'O23',
    (kit) =>
      rawRequest([
        `GET ${kit.base.pathname}/pets HTTP/1.1`,
        ...[`Host: ${kit.base.host}`, BEARER, 'Connection: Upgrade', 'Upgrade: chat'],
      ]),
  ],
  [
    'host-missing',
    'a request without Host',
    'O23',
    (kit) => rawRequest([`GET ${kit.base.pathname}/pets HTTP/1.1`, BEARER]),
  ],
  ['host-twice', 'a request with two Hosts', 'O23', (kit) => getRaw(kit, 'Host: example.org')],
  [
    'version-unknown',
    'a request in HTTP/9.9',
    'O23',
    (kit) => rawRequest([`GET ${kit.base.pathname}/pets HTTP/9.9`, BEARER]),
  ],
  ['header-bad-name', 'a header whose name holds a space', 'O23', (kit) => getRaw(kit, 'Bad Name: 1')],
  ['header-oversized', 'a header of 80,000 characters', 'O23', (kit) => getRaw(kit, `X-Filler: ${'a'.repeat(80_000)}`)],
  [
    'target-oversized',
    'a path of 80,000 characters',
    'O23',
    (kit) => rawRequest(requestLines(kit.base, 'GET', `/pets/${'9'.repeat(80_000)}`)),
  ],
  [
    'length-and-chunked',
    'a request with Content-Length and Transfer-Encoding',
    'O23',
    (kit) => postRaw(kit, ['Content-Length: 2', 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'),
  ],
  ['length-negative', 'a negative Content-Length', 'O23', (kit) => postRaw(kit, ['Content-Length: -1'], '{}')],
  [
    'lengths-differ',
    'two Content-Lengths that differ',
    'O23',
    (kit) => postRaw(kit, ['Content-Length: 2', 'Content-Length: 3'], '{} '),
  ],
  [
    'chunk-broken',
    'a chunked body whose chunk has no length',
    'O23',
    (kit) => postRaw(kit, ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'),
  ],
]

/** Cases of the second version of the suite. */
const NEWER = ['method-invented', 'method-trace', 'connect']

export const httpCases = inSection('HTTP itself', OF_PROGRAMS.map(kindCase))

/** RFC 9112 6.3. A server may ask for a length (411), but must not wait for a body that nothing announces. */
const withoutFraming: CaseInSection = {
  id: 'framing-missing',
  title:
    'A creation with neither Content-Length nor Transfer-Encoding has no body, and is refused without waiting for one',
  cites: ['R10', 'O23'],
  since: '1.2',
  // Who takes an empty body for an animal takes none for one as well.
  restsOn: ['refuse-body-empty'],
  run: async (kit) => {
    expectStatus(await kit.send(postRaw(kit, [], '')), 'R10', 400, 411)
  },
}

export const parserCases = inSection(
  'HTTP itself',
  [
    ...OF_PARSERS.map((kind) => ({ ...kindCase(kind), since: NEWER.includes(kind[0]) ? '1.1' : '1.0' })),
    withoutFraming,
  ],
  { level: 'strict' },
)

export const otherEndpointCases = inSection('4.4 Other endpoints', [
  kindCase(['store-orders', 'GET /store/orders', 'O2', () => other('GET', '/store/orders')]),
  kindCase(['categories', 'GET /categories', 'O1', () => other('GET', '/categories')]),
  kindCase(['events', 'GET /events', 'O25', () => other('GET', '/events')]),
  kindCase([
    'status-change',
    'an attempt to change a status by PATCH',
    'O3',
    async (kit) => ({
      ...createPet('{"status":"sold"}'),
      method: 'PATCH',
      // After the removal no animal has a path; the id then only makes the path complete.
      path: `/pets/${kit.getPetExists ? (await animal(kit, ANIMALS.sold)).id : UNUSED_ID}`,
    }),
  ]),
  kindCase([
    'delete-pet',
    'DELETE /pets/{petId} for an animal that is not there',
    'O23',
    () => other('DELETE', `/pets/${UNUSED_ID}`),
  ]),
])
