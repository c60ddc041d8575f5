/**
 * Requests with the headers that common clients send, which are less tidy than the kit's own. The program, its HTTP
 * server and any proxy must serve them.
 */
import { type CaseInSection, inSection } from '../case.ts'
import { expectJsonType, expectPet, expectPets, expectStatus } from '../expect.ts'
import { FULL, newPetJson } from '../fixtures.ts'
import {
  BEARER,
  createPet,
  type Headers,
  type HttpRequest,
  KEY,
  listPets,
  type Request,
  rawRequest,
} from '../http/request.ts'
import type { Kit } from '../kit.ts'

interface Call {
  readonly id: string
  readonly what: string
  readonly status: 200 | 201 | 400 | 401
  readonly restsOn: readonly string[]
  readonly request: (kit: Kit) => Request
}

const changed = (request: HttpRequest, headers: Headers): HttpRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
})

const LISTED = { status: 200, restsOn: ['list', 'list-shows-created'] } as const
const list = (id: string, what: string, request: Call['request']): Call => ({ id, what, ...LISTED, request })
const listing = (id: string, client: string, headers: Headers): Call =>
  list(`client-${id}`, `A list as ${client} asks for it`, () => changed(listPets('?limit=3'), headers))

const newPet = (kit: Kit, label: string): HttpRequest =>
  createPet(newPetJson(kit.namePrefix + label, kit.category, 'sold'))
const creation = (id: string, what: string, request: Call['request'], ...restsOn: readonly string[]): Call => {
  return { id, what, status: 201, restsOn: ['create-available', ...restsOn], request }
}
const creating = (id: string, client: string, headers: Headers, ...restsOn: readonly string[]): Call => {
  const request = (kit: Kit) => changed(newPet(kit, `by ${id}`), headers)
  return creation(`client-creates-${id}`, `A creation as ${client} sends it`, request, ...restsOn)
}

/** Most clients accept any media type. Some frameworks then answer as if to a browser. */
const acceptsAnything = (status: 400 | 401, what: string, request: HttpRequest): Call => ({
  id: `accept-any-${status}`,
  what: `${what} that accepts anything`,
  status,
  restsOn: [`json-${status}`],
  request: () => changed(request, { Accept: '*/*' }),
})

const CURL = { 'User-Agent': 'curl/8.14.1', Accept: '*/*' }
const JAVA = {
  Connection: 'Upgrade, HTTP2-Settings',
  'HTTP2-Settings': 'AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA',
  Upgrade: 'h2c',
  'User-Agent': 'Java-http-client/24',
}
const BROWSER = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Mode': 'navigate',
  'Accept-Language': 'de,en;q=0.5',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  Cookie: 'theme=dark',
}
const JAVA_NAME = 'the HttpClient of Java, which offers HTTP/2,'

const CALLS: readonly Call[] = [
  listing('curl', 'curl', CURL),
  listing('wget', 'wget', { 'User-Agent': 'Wget/1.25.0', Accept: '*/*', 'Accept-Encoding': 'identity' }),
  list('client-ab', 'A list as ab, in HTTP/1.0, asks for it', ({ base }) =>
    rawRequest([
      ...[`GET ${base.pathname}/pets?limit=3 HTTP/1.0`, `Host: ${base.host}`, BEARER],
      ...['Connection: Keep-Alive', 'User-Agent: ApacheBench/2.3', 'Accept: */*'],
    ]),
  ),
  listing('go', 'the standard library of Go', { 'User-Agent': 'Go-http-client/1.1', 'Accept-Encoding': 'gzip' }),
  listing('python', 'the standard library of Python', { 'User-Agent': 'Python-urllib/3.13', Connection: 'close' }),
  listing('requests', 'requests for Python', { 'User-Agent': 'python-requests/2.32.5', Accept: '*/*' }),
  listing('java', JAVA_NAME, { ...JAVA, 'Content-Length': '0' }),
  listing('fetch', 'fetch of Node', { 'User-Agent': 'node', 'Accept-Language': '*', 'Sec-Fetch-Mode': 'cors' }),
  listing('browser', 'a browser', BROWSER),
  list('client-upper-case', 'A list as a client asks for it that writes header names in capitals', () =>
    listPets('?limit=3', { AUTHORIZATION: `Bearer ${KEY}`, CONNECTION: 'close' }),
  ),
  creating('curl', 'curl', CURL, 'client-curl'),
  creating('java', JAVA_NAME, JAVA, 'client-java'),
  creating('expect', 'a client that expects 100', { Expect: '100-continue' }, 'client-curl', 'client-creates-curl'),
  acceptsAnything(400, 'An invalid creation', createPet('{}')),
  acceptsAnything(401, 'A list without a key', listPets('', {})),
  list('query-encoded', 'A query in percent-encoding (status=s%6Fld)', () => listPets('?sta%74us=s%6Fld&limit=%33')),
  list('query-order', 'A query with an empty part and limit first', () => listPets('?&limit=3&status=sold&')),
  list('range', 'A list of a range of bytes', () => changed(listPets('?limit=3'), { Range: 'bytes=0-9' })),
  creation('type-upper-case', 'A creation as APPLICATION/JSON', (kit) =>
    changed(newPet(kit, 'type'), { 'Content-Type': 'APPLICATION/JSON' }),
  ),
  creation('method-override', 'A creation with X-HTTP-Method-Override', (kit) =>
    changed(newPet(kit, 'override'), { 'X-HTTP-Method-Override': 'DELETE' }),
  ),
  creation('body-apart', 'A creation whose body comes in a packet of its own', (kit) => ({
    ...newPet(kit, 'apart'),
    isBodyApart: true,
  })),
]

const STATEMENTS = { 200: 'R7', 201: 'R9', 400: 'R10', 401: 'R13' } as const

const askedCases = CALLS.map(
  ({ id, what, status, restsOn, request }): CaseInSection => ({
    id,
    title: `${what} is answered with ${status}`,
    cites: [STATEMENTS[status], 'R1', 'R13'],
    needs: status === 201 ? ['thorough'] : [],
    restsOn,
    run: async (kit) => {
      const exchange = await kit.send(request(kit))
      // 417 is HTTP's own answer to an expectation that is not met (RFC 9110 10.1.1).
      if (id === 'client-creates-expect' && exchange.answer.status === 417)
        return 'A creation that expects 100: refused, 417.'
      expectStatus(exchange, STATEMENTS[status], status)
      expectJsonType(exchange)
      if (status === 200) expectPets(exchange, FULL)
      if (status === 201) expectPet(exchange)
      return
    },
  }),
)

export const clientCases = inSection('HTTP itself', askedCases)
