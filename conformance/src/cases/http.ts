/**
 * HTTP beyond the operations: other paths and methods, and malformed requests. The interface leaves these answers
 * to HTTP, so they are only reported. But every response carries the limit headers (R15), and so must these. The
 * answers of the program are `core`; those of an HTTP parser or a proxy are `strict`.
 */
import { type CaseInSection, inSection } from '../case.ts'
import { expectLimitHeaders, expectStatus, outcome, withHeaders } from '../expect.ts'
import {
  BEARER,
  createPet,
  type HttpRequest,
  jsonRequestLines,
  type Request,
  rawRequest,
  requestLines,
  WITH_KEY,
} from '../http/request.ts'
import { EACH_OPERATION, type Statement } from '../interface.ts'
import type { Kit } from '../kit.ts'

export type Kind = readonly [
  id: string,
  what: string,
  request: (kit: Kit) => Request | Promise<Request>,
  alsoCites?: Statement,
]

export function kindCase([id, what, request, alsoCites = 'O23']: Kind): CaseInSection {
  return {
    id,
    title: `The answer to ${what} carries the limit headers`,
    cites: ['R15', alsoCites],
    run: async (kit) => {
      const exchange = await kit.trySend(await request(kit))
      const sentence = `${what.slice(0, 1).toUpperCase()}${what.slice(1)}`
      // R15 is about responses, and a server may leave bytes that are not HTTP without one.
      if (typeof exchange === 'string') return `${sentence}: no answer came that could carry headers (${exchange}).`
      expectLimitHeaders(exchange)
      return `${sentence}: ${outcome(exchange)}${withHeaders(exchange, 'Allow', 'Location', 'Access-Control-Allow-Origin')}.`
    },
  }
}

export const other =
  (method: string, path: string, headers = WITH_KEY) =>
  (): HttpRequest => ({ method, path, headers })

/** A list request with additional headers. */
const list =
  (...headers: readonly string[]) =>
  (kit: Kit) =>
    rawRequest(requestLines(kit.base, 'GET', '/pets', ...headers))

/** A creation with these headers, followed by `rest`. */
const create = (headers: readonly string[], rest: string) => (kit: Kit) =>
  rawRequest(jsonRequestLines(kit.base, ...headers), rest)

/** A request of these lines and a key only; `/v1` stands for the path of the base address. */
const bare =
  (...lines: readonly string[]) =>
  (kit: Kit) => {
    const head = lines.map((line) => line.replace('/v1', kit.base.pathname).replace('HOST', kit.base.host))
    return rawRequest([...head, BEARER])
  }

const PREFLIGHT: HttpRequest = {
  method: 'OPTIONS',
  path: '/pets',
  headers: {
    Origin: 'https://example.org',
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'authorization',
  },
}

/** Of what is a list, which cannot be deleted. */
const OF_LISTS = EACH_OPERATION.filter(({ method, path }) => method === 'GET' && !path.includes('{')).flatMap(
  ({ id, path }): readonly Kind[] => [
    [id === 'list' ? 'head' : `head-${id}`, `HEAD ${path}`, other('HEAD', path)],
    [`delete-${id}`, `DELETE ${path}`, other('DELETE', path)],
  ],
)

const OF_PROGRAMS: readonly Kind[] = [
  ...OF_LISTS,
  ['put-list', 'PUT /pets', other('PUT', '/pets')],
  ['options', 'OPTIONS /pets with a key', other('OPTIONS', '/pets')],
  ['preflight', 'the question of a browser whether another origin may ask', () => PREFLIGHT, 'O24'],
  ['path-unknown', 'an unknown path', other('GET', '/no-such-path')],
  ['path-unknown-without-key', 'an unknown path without a key', other('GET', '/no-such-path', {}), 'O22'],
  ['type-not-json', 'a creation as XML', () => createPet('<pet/>', WITH_KEY, { 'Content-Type': 'application/xml' })],
]

const CHUNKED = 'Transfer-Encoding: chunked'
const ONE_CHUNK = '2\r\n{}\r\n0\r\n\r\n'

const OF_PARSERS: readonly Kind[] = [
  ['method-unknown', 'an unknown method', other('PROPFIND', '/pets')],
  ['method-invented', 'a method that nobody knows', (kit) => rawRequest(requestLines(kit.base, 'ADOPT', '/pets'))],
  ['method-trace', 'TRACE /pets', other('TRACE', '/pets')],
  ['path-bad-escape', 'a path that is no valid percent-encoding', other('GET', '/pets/%zz'), 'O18'],
  ['path-bad-utf8', 'a path whose percent-encoding is no UTF-8', other('GET', '/pets/%ff'), 'O18'],
  ['query-bad-escape', 'a query that is no valid percent-encoding', other('GET', '/pets?limit=%zz'), 'O16'],
  ['path-long', 'a path of 6,000 characters', other('GET', `/pets/${'9'.repeat(6000)}`)],
  ['expect-unknown', 'an unknown expectation', other('GET', '/pets', { ...WITH_KEY, Expect: '200-maybe' })],
  ['not-http', 'bytes that are not HTTP', () => rawRequest(['HELLO'])],
  ['options-asterisk', 'OPTIONS *', bare('OPTIONS * HTTP/1.1', 'Host: HOST', 'Connection: close')],
  ['connect', 'CONNECT', bare('CONNECT HOST HTTP/1.1', 'Host: HOST', 'Connection: close')],
  [
    'target-absolute',
    'a request whose target is a whole URL',
    (kit) => bare(`GET ${kit.base.origin}/v1/pets HTTP/1.1`, 'Host: HOST', 'Connection: close')(kit),
  ],
  ['http-1-0', 'a request in HTTP/1.0', bare('GET /v1/pets HTTP/1.0')],
  [
    'upgrade',
    'a request to go on in another protocol',
    bare('GET /v1/pets HTTP/1.1', 'Host: HOST', 'Connection: Upgrade', 'Upgrade: chat'),
  ],
  ['host-missing', 'a request without Host', bare('GET /v1/pets HTTP/1.1')],
  ['host-twice', 'a request with two Hosts', list('Host: example.org')],
  ['version-unknown', 'a request in HTTP/9.9', bare('GET /v1/pets HTTP/9.9')],
  ['header-bad-name', 'a header whose name holds a space', list('Bad Name: 1')],
  ['header-oversized', 'a header of 80,000 characters', list(`X-Filler: ${'a'.repeat(80_000)}`)],
  ['target-oversized', 'a path of 80,000 characters', other('GET', `/pets/${'9'.repeat(80_000)}`)],
  ['length-and-chunked', 'a request in chunks with Content-Length', create(['Content-Length: 2', CHUNKED], ONE_CHUNK)],
  ['length-negative', 'a negative Content-Length', create(['Content-Length: -1'], '{}')],
  ['lengths-differ', 'two Content-Lengths that differ', create(['Content-Length: 2', 'Content-Length: 3'], '{} ')],
  ['chunk-broken', 'a chunked body whose chunk has no length', create([CHUNKED], `zz${ONE_CHUNK.slice(1)}`)],
]

export const httpCases = inSection('HTTP itself', OF_PROGRAMS.map(kindCase))

/** RFC 9112 6.3. A server may ask for a length (411), but must not wait for a body that nothing announces. */
const withoutFraming: CaseInSection = {
  id: 'framing-missing',
  title:
    'A creation with neither Content-Length nor Transfer-Encoding has no body, and is refused without waiting for one',
  cites: ['R10', 'O23'],
  // A service that accepts an empty body accepts a missing one too.
  restsOn: ['refuse-body-empty'],
  run: async (kit) => expectStatus(await kit.send(create([], '')(kit)), 'R10', 400, 411),
}

export const parserCases = inSection('HTTP itself', [...OF_PARSERS.map(kindCase), withoutFraming], { level: 'strict' })
