/**
 * What the fuzzer sends to the public port: requests made part by part, so that what the interface says of each is
 * known without parsing it: where it ends, which statuses its one answer may have, and whether it may store an animal.
 * This is the fuzzer's own reading of the register; it shares no code with the service.
 */
import fc from 'fast-check'

/** A placeholder for a name of the same length that no other request has; filled in when the request is sent. */
export const NAME = '{NAME#}'
/** Placeholders for a key without practical limits, and for one of the Free plan. */
const KEYS = { large: '{LARGE}', free: '{FREE}' }
/** The options of the service, in bytes. */
export const BODY_LIMIT = 65_536

export interface Planned {
  /** One character a byte. */
  readonly bytes: string
  readonly method: string
  /** The allowed statuses of the response. */
  readonly statuses: readonly number[]
  /** Whether the connection must, may or must not end with the answer; `breaks`: it may end even without saying so. */
  readonly closes: 'must' | 'may' | 'no' | 'breaks'
  /** Whether an animal with its name may be stored. */
  readonly creates: boolean
  /** Whether the response is the whole list, newest first, which shows what is stored at that time. */
  readonly lists: boolean
  /** The response is an endless stream. */
  readonly endless?: boolean
}

/** A request before its key and the framing of its body are chosen. */
interface Shape {
  readonly method: string
  readonly target: string
  readonly statuses: readonly number[]
  readonly headers?: readonly string[]
  readonly body?: string
  /** The HTTP itself is malformed: answered so whatever the key, and the connection may end. */
  readonly malformed?: boolean
  /** The parser or a check of the key may come first. */
  readonly either?: boolean
  readonly mayClose?: boolean
  /** `Host: x` unless this says otherwise. */
  readonly host?: readonly string[]
}

const TARGETS: readonly (readonly [target: string, status: number])[] = [
  ['/v1/pets', 200],
  ['/v1/pets?limit=100', 200],
  ['/v1/pets?limit=1&status=sold', 200],
  ['/v1/pets?other=%20', 200],
  ['http://x/v1/pets', 200],
  ['/v1/%70ets', 200],
  ['/v1/pets?limit=0', 400],
  ['/v1/pets?limit=5&limit=5', 400],
  ['/v1/pets?status=gone', 400],
  ['/v1/pets/-1', 404],
  ['/v1/pets/%2D1', 404],
  ['/v1/pets/9223372036854775808', 404],
  ['/v1/pets/%FF', 404],
  ['/v1/nothing', 404],
  ['/', 404],
  ['/v1/store/orders', 501],
]

const reads = fc
  .tuple(fc.constantFrom('GET', 'GET', 'HEAD'), fc.constantFrom(...TARGETS), fc.constantFrom('', '', 'hello'))
  .map(
    ([method, [target, status], body]): Shape => ({ method, target, statuses: [status], ...(body !== '' && { body }) }),
  )

const brokenTargets = fc
  .constantFrom('/v1/pets/%zz', '/v1/%', '/v1/pets?x=%4')
  .map((target): Shape => ({ method: 'GET', target, statuses: [400], malformed: true }))

const otherMethods = fc.constantFrom<Shape>(
  { method: 'DELETE', target: '/v1/pets', statuses: [405] },
  { method: 'PUT', target: '/v1/pets/1', statuses: [405], body: '{"name":"{NAME#}","categoryId":1}' },
  { method: 'OPTIONS', target: '/v1/pets', statuses: [405] },
  { method: 'PATCH', target: '/v1/nothing', statuses: [404] },
  { method: 'FOO', target: '/v1/pets', statuses: [501], malformed: true },
  { method: 'get', target: '/v1/pets', statuses: [501], malformed: true },
  { method: 'CONNECT', target: 'x:1', statuses: [400, 404, 405, 501], malformed: true },
  { method: 'OPTIONS', target: '*', statuses: [400, 404, 405] },
)

const JSON_TYPES = ['application/json', 'application/json; charset=utf-8', 'Application/JSON']

const validBodies = fc.constantFrom(
  '{"name":"{NAME#}","categoryId":7}',
  '{"categoryId":-9223372036854775808,"name":"{NAME#}","status":"sold"}',
  ' { "name" : "{NAME#}" , "categoryId" : 7.0 , "x" : [ { } ] } ',
  '{"name":"x","name":"{NAME#}","categoryId":7e0,"status":"available"}',
)

const invalidBodies = fc.constantFrom(
  '',
  '{"name":"{NAME#}"}',
  '{"categoryId":1}',
  '{"name":"{NAME#}","categoryId":"1"}',
  '{"name":"{NAME#}","categoryId":1.5}',
  '{"name":"{NAME#}","categoryId":9223372036854775808}',
  '{"name":"{NAME#}","categoryId":1,"id":1}',
  '{"name":"{NAME#}","categoryId":1,"status":null}',
  '{"name":"{NAME#}","categoryId":1,"status":"gone"}',
  '{"name":"{NAME#}\\u0000","categoryId":1}',
  '{"name":"{NAME#}\\ud800","categoryId":1}',
  '{"name":"{NAME#}\xff","categoryId":1}',
  '\xef\xbb\xbf{"name":"{NAME#}","categoryId":1}',
  '{"name":"{NAME#}","categoryId":1}}',
  '[{"name":"{NAME#}","categoryId":1}]',
  '{"name":"{NAME#}","categoryId":1',
)

const post = (more: Pick<Shape, 'statuses' | 'headers' | 'body' | 'mayClose'>): Shape => ({
  method: 'POST',
  target: '/v1/pets',
  ...more,
})

const creates = fc
  .tuple(validBodies, fc.constantFrom(...JSON_TYPES), fc.constantFrom('', '', '', 'Expect: 100-continue'))
  .map(([body, type, expect]) => post({ statuses: [201], headers: [`Content-Type: ${type}`, expect], body }))

const refusedCreates = fc.oneof(
  invalidBodies.map((body) => post({ statuses: [400], headers: ['Content-Type: application/json'], body })),
  fc
    .constantFrom(
      ['Content-Type: text/plain'],
      ['Content-Type: application/json', 'Content-Encoding: gzip'],
      ['Content-Type: application/jsonx'],
      [],
    )
    .map((headers) => post({ statuses: [415], headers, body: '{"name":"{NAME#}","categoryId":1}' })),
  fc.constant(
    post({
      statuses: [413],
      headers: ['Content-Type: application/json'],
      body: `{"name":"{NAME#}","categoryId":1,"x":"${'x'.repeat(BODY_LIMIT)}"}`,
      mayClose: true,
    }),
  ),
  fc.constant(
    post({
      statuses: [417],
      headers: ['Content-Type: application/json', 'Expect: the-best'],
      body: '{"name":"{NAME#}","categoryId":1}',
      mayClose: true,
    }),
  ),
)

/** No framing: no body (RFC 9112 6.3). */
const bare = fc.constantFrom<Shape>(
  { ...post({ statuses: [400], headers: ['Content-Type: application/json'] }), mayClose: true },
  post({ statuses: [400] }),
  { method: 'PUT', target: '/v1/pets', statuses: [405] },
  { method: 'SOURCE', target: '/v1/pets', statuses: [405] },
)

const TWO_KEYS = [`Authorization: Bearer ${KEYS.large}`, 'Authorization: Bearer nobody']
const FRAMING = { ...post({ statuses: [400] }), malformed: true }
const brokenHeaders = fc.constantFrom<Shape>(
  { method: 'GET', target: '/v1/pets', statuses: [400], malformed: true, host: [] },
  { method: 'GET', target: '/v1/pets', statuses: [400], malformed: true, host: ['Host: x', 'Host: y'] },
  { method: 'GET', target: '/v1/pets', statuses: [400], malformed: true, host: ['Host : x'] },
  { method: 'GET', target: '/v1/pets', statuses: [400], malformed: true, headers: ['X: a\0b'] },
  { method: 'GET', target: '/v1/pets', statuses: [431], malformed: true, headers: [`X: ${'x'.repeat(70_000)}`] },
  { method: 'GET', target: `/v1/pets?${'x'.repeat(9_000)}`, statuses: [414], either: true, mayClose: true },
  { method: 'GET', target: `/v1/pets?${'x'.repeat(70_000)}`, statuses: [414, 431], malformed: true },
  { ...FRAMING, headers: ['Content-Length: 2', 'Transfer-Encoding: chunked'] },
  { ...FRAMING, headers: ['Content-Length: 2', 'Content-Length: 3'] },
  { ...FRAMING, headers: ['Content-Length: x'] },
  ...['gzip', 'chunked, chunked'].map((coding) => ({
    ...FRAMING,
    statuses: [501],
    headers: [`Transfer-Encoding: ${coding}`],
  })),
  { method: 'GET', target: '/v1/pets', statuses: [401], either: true, headers: TWO_KEYS },
)

const shapes = fc.oneof(
  { weight: 8, arbitrary: creates },
  { weight: 8, arbitrary: reads },
  { weight: 2, arbitrary: refusedCreates },
  { weight: 2, arbitrary: otherMethods },
  { weight: 2, arbitrary: bare },
  { weight: 1, arbitrary: brokenTargets },
  { weight: 1, arbitrary: brokenHeaders },
)

/** Whether the key is valid, and the header that gives it. */
const credentials = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ key: 'large', header: `Authorization: Bearer ${KEYS.large}` }) },
  { weight: 2, arbitrary: fc.constant({ key: 'free', header: `authorization: bearer ${KEYS.free}` }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('', 'Authorization: Bearer nobody', 'Authorization: Basic eDp5', 'Authorization:')
      .map((header) => ({ key: 'none', header })),
  },
)

const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']

/** How the request is written: its version, its connection header, and the framing of its body. */
const manners = fc.record({
  version: fc.oneof({ weight: 9, arbitrary: fc.constant('1.1') }, { weight: 1, arbitrary: fc.constant('1.0') }),
  connection: fc.oneof(
    { weight: 8, arbitrary: fc.constant<readonly string[]>([]) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<readonly string[]>(['Connection: close'], ['Connection: keep-alive'], UPGRADE),
    },
  ),
  chunk: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 2, nil: undefined }),
  trailer: fc.boolean(),
  emptyLine: fc.boolean(),
})

/**
 * A body in chunks of this many bytes, one of them with an extension; a large one in few chunks. A name stays in one
 * piece.
 */
function inChunks(body: string, chunk: number, trailer: boolean): string {
  const size = Math.max(chunk, Math.ceil(body.length / 50))
  const parts = body.match(new RegExp(`\\{NAME#\\}|(?:(?!\\{NAME#\\})[^]){1,${size}}`, 'g')) ?? []
  const chunks = parts.map((part, index) => `${part.length.toString(16)}${index === 1 ? ';a=b' : ''}\r\n${part}\r\n`)
  return `${chunks.join('')}0\r\n${trailer ? 'X-Trailer: x\r\n' : ''}\r\n`
}

/** One request whose end HTTP can determine. */
const framed = fc.tuple(shapes, credentials, manners).map(([shape, { key, header }, manner]): Planned => {
  const { method, target, body } = shape
  const isOld = manner.version === '1.0' && shape.malformed !== true
  const isChunked = body !== undefined && manner.chunk !== undefined && !isOld
  const framing =
    body === undefined ? [] : [isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`]
  const host = shape.host ?? ['Host: x']
  const lines = [...host, header, ...(shape.headers ?? []), ...framing, ...manner.connection].filter(
    (line) => line !== '',
  )
  const sent = isChunked ? inChunks(body, manner.chunk ?? 1, manner.trailer) : (body ?? '')
  const statuses =
    shape.malformed === true
      ? shape.statuses
      : key === 'none'
        ? [401, ...(shape.either === true ? shape.statuses : [])]
        : key === 'free'
          ? [429, ...shape.statuses]
          : shape.statuses
  const wantsClose = isOld
    ? !manner.connection.includes('Connection: keep-alive')
    : manner.connection.includes('Connection: close')
  const isEarly = body !== undefined && statuses.some((status) => status >= 400) // answered before its body is read
  return {
    bytes: `${manner.emptyLine ? '\r\n' : ''}${method} ${target} HTTP/${isOld ? '1.0' : '1.1'}\r\n${lines.join('\r\n')}\r\n\r\n${sent}`,
    method,
    statuses,
    closes: wantsClose
      ? 'must'
      : shape.malformed === true || shape.mayClose === true || isEarly || isOld || manner.connection === UPGRADE
        ? 'may'
        : 'no',
    creates: shape.statuses.includes(201) && key !== 'none',
    lists: target === '/v1/pets?limit=100' && method === 'GET',
  }
})

/** Not HTTP, or HTTP after which nothing can be parsed. */
const broken = fc
  .oneof(
    fc.constantFrom(
      'POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {LARGE}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"na\r\nme":\r\n',
      'GET /v1/pets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n',
      'POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {LARGE}\r\nTransfer-Encoding: gzip\r\n\r\n',
      'POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {LARGE}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'GET /v1/pets HTTP/9.9\r\nHost: x\r\n\r\n',
      'GET /v1/pets\r\n\r\n',
      'GET  /v1/pets  HTTP/1.1\r\nHost: x\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
    ),
    fc
      .string({
        unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)),
        minLength: 1,
        maxLength: 40,
      })
      .map((text) => `!${text}\r\n\r\n`),
  )
  .map(
    (bytes): Planned => ({
      bytes,
      method: 'broken',
      statuses: [400, 401, 415, 501, 505],
      closes: 'breaks',
      creates: false,
      lists: false,
    }),
  )

export const publicRequest = fc.oneof({ weight: 15, arbitrary: framed }, { weight: 1, arbitrary: broken })
