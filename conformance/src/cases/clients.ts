/**
 * The requests of ordinary clients, byte for byte as they send them: the kit's own are tidier than those. What a
 * program, its server and what stands before it make of them is what their users see.
 */
import { type CaseInSection, inSection } from '../case.ts'
import { expectJsonType, expectPet, expectPets, expectStatus } from '../expect.ts'
import { FULL } from '../fixtures.ts'
import { BEARER, createPet, type HttpRequest, listPets, type Request, rawRequest, WITH_KEY } from '../http/request.ts'
import type { Kit } from '../kit.ts'

const SINCE = '1.3'

/** The lines of a list, without its request line and Host. */
const CLIENTS: readonly (readonly [id: string, what: string, version: '1.0' | '1.1', ...lines: readonly string[]])[] = [
  ['curl', 'curl', '1.1', 'User-Agent: curl/8.14.1', 'Accept: */*', BEARER],
  [
    'wget',
    'wget',
    '1.1',
    'User-Agent: Wget/1.25.0',
    'Accept: */*',
    'Accept-Encoding: identity',
    BEARER,
    'Connection: Keep-Alive',
  ],
  ['ab', 'ab, in HTTP/1.0,', '1.0', BEARER, 'Connection: Keep-Alive', 'User-Agent: ApacheBench/2.3', 'Accept: */*'],
  ['go', 'the standard library of Go', '1.1', 'User-Agent: Go-http-client/1.1', BEARER, 'Accept-Encoding: gzip'],
  [
    'python',
    'the standard library of Python',
    '1.1',
    'Accept-Encoding: identity',
    'User-Agent: Python-urllib/3.13',
    BEARER,
    'Connection: close',
  ],
  [
    'requests',
    'requests for Python',
    '1.1',
    'User-Agent: python-requests/2.32.5',
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Accept: */*',
    'Connection: keep-alive',
    BEARER,
  ],
  [
    'java',
    'the HttpClient of Java, which offers HTTP/2,',
    '1.1',
    'Connection: Upgrade, HTTP2-Settings',
    'Content-Length: 0',
    'HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA',
    'Upgrade: h2c',
    'User-Agent: Java-http-client/24',
    BEARER,
  ],
  [
    'fetch',
    'fetch of Node',
    '1.1',
    'connection: keep-alive',
    BEARER.replace('Authorization', 'authorization'),
    'accept: */*',
    'accept-language: *',
    'sec-fetch-mode: cors',
    'user-agent: node',
    'accept-encoding: gzip, deflate',
  ],
  [
    'browser',
    'a browser',
    '1.1',
    'Connection: keep-alive',
    BEARER,
    'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Sec-Fetch-Dest: document',
    'Sec-Fetch-Mode: navigate',
    'Accept-Language: de,en;q=0.5',
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Cookie: theme=dark',
  ],
  [
    'upper-case',
    'a client that writes header names in capitals',
    '1.1',
    BEARER.replace('Authorization', 'AUTHORIZATION'),
    'ACCEPT: */*',
    'CONNECTION: close',
  ],
]

function clientCase([id, what, version, ...lines]: (typeof CLIENTS)[number]): CaseInSection {
  return {
    id: `client-${id}`,
    title: `A list as ${what} asks for it is answered with 200`,
    cites: ['R7', 'R13'],
    since: SINCE,
    restsOn: ['list', 'list-shows-created'],
    run: async (kit) => {
      const head = [`GET ${kit.base.pathname}/pets?limit=3 HTTP/${version}`, `Host: ${kit.base.host}`, ...lines]
      const exchange = await kit.send({ raw: `${head.join('\r\n')}\r\n\r\n` })
      expectPets(exchange, 3)
    },
  }
}

const newPet = (kit: Kit, label: string): string =>
  `{"name":"${kit.namePrefix}${label}","categoryId":${kit.category},"status":"sold"}`

const TYPED = ['Content-Type: application/json', BEARER]

/** The lines of a creation, without its request line, Host and Content-Length. */
const CREATING_CLIENTS: readonly (readonly [id: string, what: string, ...lines: readonly string[]])[] = [
  ['curl', 'curl', 'User-Agent: curl/8.14.1', 'Accept: */*', ...TYPED],
  [
    'java',
    'the HttpClient of Java, which offers HTTP/2,',
    'Connection: Upgrade, HTTP2-Settings',
    'HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA',
    'Upgrade: h2c',
    'User-Agent: Java-http-client/24',
    ...TYPED,
  ],
  // curl asks so before a large body, and many clients that are told to.
  ['expect', 'a client that expects 100', 'User-Agent: curl/7.88.1', 'Accept: */*', ...TYPED, 'Expect: 100-continue'],
]

function creatingClientCase([id, what, ...lines]: (typeof CREATING_CLIENTS)[number]): CaseInSection {
  return {
    id: `client-creates-${id}`,
    title: `A creation as ${what} sends it is answered with 201`,
    cites: ['R9', 'R13'],
    since: SINCE,
    needs: ['thorough'],
    restsOn: ['create-available', ...(id === 'expect' ? ['client-curl', 'client-creates-curl'] : [`client-${id}`])],
    run: async (kit) => {
      const body = newPet(kit, `by ${id}`)
      const head = [`POST ${kit.base.pathname}/pets HTTP/1.1`, `Host: ${kit.base.host}`, ...lines]
      const exchange = await kit.send(rawRequest([...head, `Content-Length: ${Buffer.byteLength(body)}`], body))
      // Not to wait for what is expected is HTTP's own answer (RFC 9110 10.1.1).
      if (id === 'expect' && exchange.answer.status === 417) return 'A creation that expects 100: refused, 417.'
      expectStatus(exchange, 'R9', 201)
      expectPet(exchange)
      return
    },
  }
}

/** `Accept` as most clients send it; some frameworks then take the other side for a browser. */
const anything = (request: HttpRequest): HttpRequest => ({ ...request, headers: { ...request.headers, Accept: '*/*' } })

interface Asked {
  readonly id: string
  readonly what: string
  readonly status: 200 | 201 | 400 | 401
  readonly restsOn: string
  readonly request: (kit: Kit) => Request
}

const ASKED: readonly Asked[] = [
  {
    id: 'accept-any-400',
    what: 'An invalid creation that accepts anything',
    status: 400,
    restsOn: 'json-400',
    request: () => anything(createPet('{}')),
  },
  {
    id: 'accept-any-401',
    what: 'A list without a key that accepts anything',
    status: 401,
    restsOn: 'json-401',
    request: () => anything(listPets('', {})),
  },
  {
    id: 'query-encoded',
    what: 'A query in percent-encoding (status=s%6Fld)',
    status: 200,
    restsOn: 'list',
    request: () => listPets('?sta%74us=s%6Fld&limit=%33'),
  },
  {
    id: 'query-order',
    what: 'A query with an empty part and limit first',
    status: 200,
    restsOn: 'list',
    request: () => listPets('?&limit=3&status=sold&'),
  },
  {
    id: 'range',
    what: 'A list of which a range of bytes is asked for',
    status: 200,
    restsOn: 'list',
    request: () => ({ ...listPets('?limit=3'), headers: { ...WITH_KEY, Range: 'bytes=0-9' } }),
  },
  {
    id: 'type-upper-case',
    what: 'A creation as APPLICATION/JSON',
    status: 201,
    restsOn: 'create-available',
    request: (kit) => createPet(newPet(kit, 'type'), WITH_KEY, { 'Content-Type': 'APPLICATION/JSON' }),
  },
  {
    id: 'method-override',
    what: 'A creation with X-HTTP-Method-Override',
    status: 201,
    restsOn: 'create-available',
    request: (kit) => {
      const request = createPet(newPet(kit, 'override'))
      return { ...request, headers: { ...request.headers, 'X-HTTP-Method-Override': 'DELETE' } }
    },
  },
  {
    id: 'body-apart',
    what: 'A creation whose body comes in a packet of its own',
    status: 201,
    restsOn: 'create-available',
    request: (kit) => ({ ...createPet(newPet(kit, 'apart')), isBodyApart: true }),
  },
]

function askedCase({ id, what, status, restsOn, request }: Asked): CaseInSection {
  const statement = ({ 200: 'R7', 201: 'R9', 400: 'R10', 401: 'R13' } as const)[status]
  return {
    id,
    title: `${what} is answered with ${status}`,
    cites: [statement, 'R1'],
    since: SINCE,
    needs: status === 201 ? ['thorough'] : [],
    restsOn: [restsOn],
    run: async (kit) => {
      const exchange = await kit.send(request(kit))
      expectStatus(exchange, statement, status)
      expectJsonType(exchange)
      if (status === 200) expectPets(exchange, FULL)
      if (status === 201) expectPet(exchange)
    },
  }
}

export const clientCases = inSection('HTTP itself', [
  ...CLIENTS.map(clientCase),
  ...CREATING_CLIENTS.map(creatingClientCase),
  ...ASKED.map(askedCase),
])
