/**
 * The requests of ordinary clients, byte for byte as they send them: the kit's own are tidier than those. What a
 * program, its server and what stands before it make of them is what their users see.
 */
import { type CaseInSection, inSection } from '../case.ts'
import { expectJsonType, expectPet, expectPets, expectStatus } from '../expect.ts'
import { FULL } from '../fixtures.ts'
import { createPet, type HttpRequest, listPets, rawRequest, WITH_KEY } from '../http/request.ts'
import type { Kit } from '../kit.ts'

const KEY_HEADER = 'Authorization: Bearer $KEY'
const HTTP2 = 'HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA | Upgrade: h2c'

/** The headers of a list, one after the other, without Host. */
const CLIENTS: Readonly<Record<string, readonly [what: string, headers: string]>> = {
  curl: ['curl', `User-Agent: curl/8.14.1 | Accept: */* | ${KEY_HEADER}`],
  wget: [
    'wget',
    `User-Agent: Wget/1.25.0 | Accept: */* | Accept-Encoding: identity | ${KEY_HEADER} | Connection: Keep-Alive`,
  ],
  ab: ['ab, in HTTP/1.0,', `${KEY_HEADER} | Connection: Keep-Alive | User-Agent: ApacheBench/2.3 | Accept: */*`],
  go: ['the standard library of Go', `User-Agent: Go-http-client/1.1 | ${KEY_HEADER} | Accept-Encoding: gzip`],
  python: [
    'the standard library of Python',
    `Accept-Encoding: identity | User-Agent: Python-urllib/3.13 | ${KEY_HEADER} | Connection: close`,
  ],
  requests: [
    'requests for Python',
    'User-Agent: python-requests/2.32.5 | Accept-Encoding: gzip, deflate, br, zstd | Accept: */* | ' +
      `Connection: keep-alive | ${KEY_HEADER}`,
  ],
  java: [
    'the HttpClient of Java, which offers HTTP/2,',
    `Connection: Upgrade, HTTP2-Settings | Content-Length: 0 | ${HTTP2} | User-Agent: Java-http-client/24 | ${KEY_HEADER}`,
  ],
  fetch: [
    'fetch of Node',
    'connection: keep-alive | authorization: Bearer $KEY | accept: */* | accept-language: * | ' +
      'sec-fetch-mode: cors | user-agent: node | accept-encoding: gzip, deflate',
  ],
  browser: [
    'a browser',
    `Connection: keep-alive | ${KEY_HEADER} | Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 | ` +
      'Sec-Fetch-Dest: document | Sec-Fetch-Mode: navigate | Accept-Language: de,en;q=0.5 | ' +
      'Accept-Encoding: gzip, deflate, br, zstd | Cookie: theme=dark',
  ],
  'upper-case': [
    'a client that writes header names in capitals',
    'AUTHORIZATION: Bearer $KEY | ACCEPT: */* | CONNECTION: close',
  ],
}

const listingCases = Object.entries(CLIENTS).map(
  ([id, [what, headers]]): CaseInSection => ({
    id: `client-${id}`,
    title: `A list as ${what} asks for it is answered with 200`,
    cites: ['R7', 'R13'],
    restsOn: ['list', 'list-shows-created'],
    run: async (kit) => {
      const line = `GET ${kit.base.pathname}/pets?limit=3 HTTP/${id === 'ab' ? '1.0' : '1.1'}`
      expectPets(await kit.send(rawRequest([line, `Host: ${kit.base.host}`, ...headers.split(' | ')])), 3)
    },
  }),
)

const newPet = (kit: Kit, label: string): string =>
  `{"name":"${kit.namePrefix}${label}","categoryId":${kit.category},"status":"sold"}`

const TYPED = `Content-Type: application/json | ${KEY_HEADER}`

/** The headers of a creation, without Host and Content-Length. curl expects 100 before a large body. */
const CREATING_CLIENTS: typeof CLIENTS = {
  curl: ['curl', `User-Agent: curl/8.14.1 | Accept: */* | ${TYPED}`],
  java: [
    'the HttpClient of Java, which offers HTTP/2,',
    `Connection: Upgrade, HTTP2-Settings | ${HTTP2} | User-Agent: Java-http-client/24 | ${TYPED}`,
  ],
  expect: ['a client that expects 100', `User-Agent: curl/7.88.1 | Accept: */* | ${TYPED} | Expect: 100-continue`],
}

const creatingCases = Object.entries(CREATING_CLIENTS).map(
  ([id, [what, headers]]): CaseInSection => ({
    id: `client-creates-${id}`,
    title: `A creation as ${what} sends it is answered with 201`,
    cites: ['R9', 'R13'],
    needs: ['thorough'],
    restsOn: ['create-available', ...(id === 'expect' ? ['client-curl', 'client-creates-curl'] : [`client-${id}`])],
    run: async (kit) => {
      const body = newPet(kit, `by ${id}`)
      const head = [`POST ${kit.base.pathname}/pets HTTP/1.1`, `Host: ${kit.base.host}`, ...headers.split(' | ')]
      const exchange = await kit.send(rawRequest([...head, `Content-Length: ${Buffer.byteLength(body)}`], body))
      // Not to wait for what is expected is HTTP's own answer (RFC 9110 10.1.1).
      if (id === 'expect' && exchange.answer.status === 417) return 'A creation that expects 100: refused, 417.'
      expectStatus(exchange, 'R9', 201)
      expectPet(exchange)
      return
    },
  }),
)

const changed = (request: HttpRequest, headers: HttpRequest['headers']): HttpRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
})

interface Asked {
  readonly id: string
  readonly what: string
  readonly status: 200 | 201 | 400 | 401
  readonly restsOn: string
  readonly request: (kit: Kit) => HttpRequest
}

const list = (id: string, what: string, request: HttpRequest): Asked => ({
  id,
  what,
  status: 200,
  restsOn: 'list',
  request: () => request,
})
const creation = (id: string, what: string, request: Asked['request']): Asked => ({
  id,
  what,
  status: 201,
  restsOn: 'create-available',
  request,
})
/** As most clients send it; some frameworks then take the other side for a browser. */
const acceptsAnything = (status: 400 | 401, what: string, request: HttpRequest): Asked => ({
  id: `accept-any-${status}`,
  what: `${what} that accepts anything`,
  status,
  restsOn: `json-${status}`,
  request: () => changed(request, { Accept: '*/*' }),
})

const ASKED: readonly Asked[] = [
  acceptsAnything(400, 'An invalid creation', createPet('{}')),
  acceptsAnything(401, 'A list without a key', listPets('', {})),
  list('query-encoded', 'A query in percent-encoding (status=s%6Fld)', listPets('?sta%74us=s%6Fld&limit=%33')),
  list('query-order', 'A query with an empty part and limit first', listPets('?&limit=3&status=sold&')),
  list('range', 'A list of a range of bytes', changed(listPets('?limit=3'), { Range: 'bytes=0-9' })),
  creation('type-upper-case', 'A creation as APPLICATION/JSON', (kit) =>
    createPet(newPet(kit, 'type'), WITH_KEY, { 'Content-Type': 'APPLICATION/JSON' }),
  ),
  creation('method-override', 'A creation with X-HTTP-Method-Override', (kit) =>
    changed(createPet(newPet(kit, 'override')), { 'X-HTTP-Method-Override': 'DELETE' }),
  ),
  creation('body-apart', 'A creation whose body comes in a packet of its own', (kit) => ({
    ...createPet(newPet(kit, 'apart')),
    isBodyApart: true,
  })),
]

const STATEMENTS = { 200: 'R7', 201: 'R9', 400: 'R10', 401: 'R13' } as const

const askedCases = ASKED.map(
  ({ id, what, status, restsOn, request }): CaseInSection => ({
    id,
    title: `${what} is answered with ${status}`,
    cites: [STATEMENTS[status], 'R1'],
    needs: status === 201 ? ['thorough'] : [],
    restsOn: [restsOn],
    run: async (kit) => {
      const exchange = await kit.send(request(kit))
      expectStatus(exchange, STATEMENTS[status], status)
      expectJsonType(exchange)
      if (status === 200) expectPets(exchange, FULL)
      if (status === 201) expectPet(exchange)
    },
  }),
)

export const clientCases = inSection('HTTP itself', [...listingCases, ...creatingCases, ...askedCases])
