/** The features of a request; the first value of each is the usual one. Only the model knows the responses. */
import { BASE_PATH, OPERATIONS } from '../../src/contract/operations.ts'
import { FILTER_VALUES } from '../support/store.ts'

export const KEYS = { large: '{LARGE}', small: '{SMALL}' }
export const SOME_ID = '{ID}'

export const PATHS = new Set(Object.values(OPERATIONS).map(({ path }) => BASE_PATH + path.replace(/\{\w+\}/, SOME_ID)))

const auth = (text: string) => `Authorization: ${text}`
const typed = (type: string) => `Content-Type: ${type}`
const long = (n: number) => 'x'.repeat(n)
/** Of more bytes than a body may have. */
const TOO_LONG = `{"name":"${long(66_000)}","categoryId":1}`

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

const LIMITS = words('0 1000 -1 %2B5 5.0 5e0 0x5 %205 5%20 NaN %D9%A5 20 %31')
/** Of a filter: those that it does not have. */
const NO_VALUES = ['', ...words('SOLD unknown available%20 available,sold null %ff 07 7.0 9223372036854775808')]
const IDS = words(`
  %37 %2D%37 07 +7 7.0 7e0 -0 0x7 seven -9223372036854775809 %20 7%20 %2537 7%2F %00 %EF%BC%91 x%20y %C3%A9 . ;
  %31 01 9223372036854775808 -9223372036854775808 %FF 1/2 %2F 1/ 7${'0'.repeat(300)}`)
const TARGETS = words(`
  /v1/pets?limit=1 /v1/pets?limit=100&status=sold /v1/pets?s%74atus=available&limit=%35 /v1/pets?limit=05
  /v1/pets?limit= /v1/pets?limit=101 /v1/pets?limit=2&limit=2 /v1/pets?status=Sold /v1/pets?status=sold&status=sold
  /v1/pets?limit=%zz /v1/pets?other=%20&&= /v1/pets?limit=+5 /v1/pets? /v1/pets/ /v1/pets?limit
  /v1/pets?limit=5&%6Cimit=5 /v1/pets?limit=2&page=3&offset=x&offset=y&cursor=nonsense
  /v1/pets?api_key=${KEYS.large}&access_token=${KEYS.large} /v1/pets?%aF /v1/pets?x=%25zz /v1/pets?x=${long(9_000)}

  / * /v1 /v1/ /pets /v2/pets /V1/pets /v1/PETS /v1/petsx v1/pets /v1/pets%3Fx /v1/%70ets /v1%2Fpets /v1/nothing
  /v1/categories /v1/events /v1/keys /docs /openapi.json /metrics /livez /favicon.ico /v1/store/orders
  /v1/store/orders/1 /v1/store/orders?x=1 /%761/pet%73 /none?%2 /% /%1 /%G1 /%20%

  http://x/v1/pets/${SOME_ID} http://x/v1/pets?limit=3 https://x/v1/pets?limit=4 ftp://x/v1/pets http://y:1/v1/pets
  //v1/pets HTTP://X/v1/pets http:///v1/pets http://user@x/v1/pets http://x/%zz http://:80/v1/pets
  http://x:80/v1/pets?limit=1 http://[::1]/v1/pets http://y/v1/pets#x /v1/pets# /v1/pets?limit=1#x
  http:/x/v1/pets http//x/v1/pets ://x/v1/pets 1http://x/v1/pets x/http://x/v1/pets http://x`)
/** Of a categoryId: those that are an int64 by their value, and those that are none. */
const NUMBERS = words(`
  0.7E+1 -0.0e5 -9223372036854775808.000 1${'0'.repeat(500)}e-500
  null true [7] {} -9223372036854775809 1e-1 1e999999999 1.5 "1" 9223372036854775808 1e2 -0 01 1e400
  0.000000000000000000000000000000000000001e39`)

export const FEATURES = {
  method: words("GET HEAD POST PUT DELETE PATCH OPTIONS TRACE get Get GETT FOO DESCRIBE X-1 !#$%&'*+.^_`|~"),
  target: [
    '/v1/pets',
    ...TARGETS,
    ...PATHS,
    ...LIMITS.map((limit) => `/v1/pets?limit=${limit}`),
    ...Object.entries(FILTER_VALUES).flatMap(([name, values]) =>
      [...values, ...NO_VALUES].map((value) => `/v1/pets?${name}=${value}`),
    ),
    ...IDS.map((id) => `/v1/pets/${id}`),
  ],
  version: ['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/1.2', 'HTTP/0.9', 'http/1.1', 'HTTP/3.7', ''],
  framing: [
    ...['none', 'exact', 'exact', 'zero', 'twice the same', 'twice', 'not a number', 'signed', 'chunked', 'chunked'],
    ...['extended', 'both', 'gzip, chunked', 'identity', 'Chunked', 'CHUNKED ', 'gzip', 'both the other way'],
    ...['gzip\r\nTransfer-Encoding: chunked', 'several numbers', 'too large'],
  ],
  host: [
    ...['Host: x', 'Host:', '', 'Host: x\r\nHost: x', 'hOST: x', 'Host : x', 'Host: a b/c@d', 'Host: a\tb'],
    ...words(`x:80 [::1]:8 x:y a/c a@b a:1:2 [::1 [x] a%2 ::1 \xe9 a.b-c_d~ a: 192.0.2.1:1 [2001:db8::1]:8080 a%2f
      !$&'()*+,;=`).map((host) => `Host: ${host}`),
  ],
  key: [
    auth(`Bearer ${KEYS.large}`),
    auth(`bEARER   ${KEYS.large} `),
    `AUTHORIZATION:Bearer ${KEYS.large}`,
    auth(`Bearer ${KEYS.small}`),
    '',
    ...['Bearer nobody', 'Basic eDp5', 'Bearer'].map(auth),
    ...[`Bearer ${KEYS.large}`, '', 'Basic eDp5'].map((first) => `${auth(first)}\r\n${auth(`Bearer ${KEYS.large}`)}`),
    ...['KEY', 'BearerKEY', 'Basic KEY', 'Bearer KEYx', 'x Bearer KEY', 'Bearer KEY KEY', 'Bearer "KEY"', 'Bearer KEY,']
      .concat('Bearer\tKEY', 'Bearer x KEY')
      .map((text) => auth(text.replaceAll('KEY', KEYS.large))),
    `X-API-Key: ${KEYS.large}`,
  ],
  type: [
    'Content-Type: application/json',
    'Content-Type: application/json',
    'content-type:Application/JSON; charset=utf-8',
    'Content-Type: text/plain',
    '',
    'Content-Type: application/json\r\nContent-Type: text/plain',
    'Content-Type: application/json\r\nContent-Encoding: gzip',
    'Content-Type: application/json\r\nContent-Encoding: Identity',
    'Content-Type: application/json\r\nContent-Encoding: identity, gzip',
    ...['application/jsonx', 'text/json', 'xapplication/json', 'application/json x', 'application/', ''].map(typed),
    ...['application/json \t; x', 'application/problem+json', 'application/json, text/plain'].map(typed),
  ],
  expect: ['', 'Expect: 100-continue', 'Expect: 100-CONTINUE', 'Expect: the-best'],
  connection: ['', 'Connection: keep-alive', 'Connection: close', 'Connection: CLOSE, x'],
  more: [
    ...['', '', '', 'Accept: */*\r\nAccept: text/html', 'X-A: a\r\n b', 'X A: b', 'X-A: \x01', `X-A: ${long(40_000)}`],
    ...['X-A: \xe9\xff', 'TE: trailers', 'X-HTTP-Method-Override: DELETE', 'Content-Location: /v1/pets'],
    ...['If-Match: "x"', 'Range: bytes=0-1', ': x', 'nonsense'],
  ],
  body: [
    '{"name":"Luna","categoryId":7}',
    '{"name":"","categoryId":-9223372036854775808,"status":"sold"}',
    ' { "categoryId" : 9223372036854775807 , "name" : "\\u00e9\\ud83d\\ude3a" , "x" : [ { "id" : 1 } ] } ',
    '{"name":"x","name":"y","categoryId":70e-1,"status":"available"}',
    '{"name":"\xc3\xa9","categoryId":7.0,"status":"pending"}',
    '{"n\\u0061me":"z","categoryId":"8","categoryId":8}',
    ...words('{} [] null {"name":"x"} {"categoryId":1} {\'name\':1} 7 "x" { NaN'),
    ...['', '['.repeat(60_000), TOO_LONG, '{"Name":"x","categoryId":1}', '{"name":1,"categoryId":1}'],
    ...NUMBERS.map((number) => `{"name":"x","categoryId":${number}}`),
    ...words('\\u0000 \\ud800 \xff x%00y x\\udc00').map((name) => `{"name":"${name}","categoryId":1}`),
    `{"name":"${long(65_000)}","categoryId":1}`,
    ...words('null "SOLD" "constructor"').map((status) => `{"name":"x","categoryId":1,"status":${status}}`),
    ...words('null "x"').map((id) => `{"id":${id},"name":"x","categoryId":1}`),
    '{"name":"x","categoryId":1,"id":1}',
    '\xef\xbb\xbf{"name":"x","categoryId":1}',
    '{"name":"x","categoryId":1,}',
    ...[' ', '{}', '}'].map((behind) => `{"name":"x","categoryId":1}${behind}`),
    '{"__proto__":{"name":"x"},"categoryId":1}',
    '{"name":"x","categoryId":1,"__proto__":{"status":"sold"},"tags":[{}]}',
    `{"name":"x","categoryId":1,"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    '{"name":"a","categoryId":2,"categoryId":"2"}',
  ],
  pieces: ['whole', 'head and body', 'thirds', 'one byte at a time'],
  place: ['alone', 'behind a GET', 'behind a POST', 'before a GET', 'behind an empty line', 'before a half'],
  end: ['open', 'finished'],
} as const satisfies Record<string, readonly string[]>

const typedWrong = { framing: 'exact', type: typed('text/plain') }

/** Besides pairs: what only three together make. */
export const TOGETHER: readonly Partial<Form>[] = [
  { method: 'POST', version: 'HTTP/1.0', framing: 'chunked', connection: 'Connection: keep-alive' },
  { method: 'POST', framing: 'exact', expect: 'Expect: 100-continue', pieces: 'head and body' },
  { method: 'POST', framing: 'none', expect: 'Expect: 100-continue' },
  { method: 'POST', framing: 'none', type: '' },
  { method: 'POST', framing: 'extended', pieces: 'one byte at a time', place: 'before a GET' },
  { method: 'POST', framing: 'exact', key: '', place: 'before a GET' },
  { version: '', place: 'behind a POST', end: 'finished' },
  { method: 'POST', framing: 'gzip, chunked', pieces: 'one byte at a time', place: 'behind a POST' },
  // The order of checks (O22): of several mistakes the first one is told.
  { method: 'DELETE', target: '/v1/nothing', ...typedWrong, body: TOO_LONG },
  { method: 'PUT', ...typedWrong, body: TOO_LONG },
  { method: 'POST', ...typedWrong, body: TOO_LONG },
  { method: 'POST', framing: 'exact', body: TOO_LONG },
]

export type Form = { readonly [F in keyof typeof FEATURES]: string }

const LARGE = `Authorization: Bearer ${KEYS.large}`
const OTHERS: Readonly<Record<string, readonly [before: string, behind: string]>> = {
  'behind a GET': [`GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\n${LARGE}\r\n\r\n`, ''],
  'behind a POST': [
    `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${LARGE}\r\nContent-Type: application/json\r\nContent-Length: 29\r\n\r\n{"name":"Rex","categoryId":3}`,
    '',
  ],
  'before a GET': ['', `GET /v1/pets?limit=2 HTTP/1.1\r\nHost: x\r\n${LARGE}\r\n\r\n`],
  'behind an empty line': ['\r\n', ''],
  'before a half': ['', 'GET /v1/pets HTTP/1.1\r\nHost'],
}

/** The bytes of a form, one character each, in the pieces in which they are sent. */
export function write(form: Form, fill: (text: string) => string): readonly string[] {
  const { fields, content } = framed(form.framing, form.body)
  const lines = [form.host, form.key, form.type, form.expect, form.connection, form.more, ...fields]
  const shown = lines.filter((line) => line !== '').map((line) => `${line}\r\n`)
  const [before, behind] = OTHERS[form.place] ?? ['', '']
  const head = fill(`${before}${`${form.method} ${form.target} ${form.version}`.trim()}\r\n${shown.join('')}\r\n`)
  const all = head + content + fill(behind)
  if (form.pieces === 'head and body') return [head, content + fill(behind)]
  const third = Math.ceil(all.length / 3)
  if (form.pieces === 'thirds') return [all.slice(0, third), all.slice(third, 2 * third), all.slice(2 * third)]
  if (form.pieces === 'one byte at a time')
    return [...all.slice(0, 400), all.slice(400, -20), ...all.slice(Math.max(400, all.length - 20))]
  return [all]
}

function framed(framing: string, body: string): { readonly fields: readonly string[]; readonly content: string } {
  const length = `Content-Length: ${body.length}`
  const half = Math.ceil(body.length / 2)
  const parts = [body.slice(0, half), body.slice(half)].filter((part) => part !== '')
  const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')
  if (framing === 'none') return { fields: [], content: '' }
  if (framing === 'zero') return { fields: ['Content-Length: 0'], content: '' }
  if (framing === 'extended') {
    const extended = chunks.replace('\r\n', ';a=b;c\r\n')
    return { fields: ['Transfer-Encoding: chunked', 'Trailer: X-T'], content: `${extended}0\r\nX-T: t\r\n\r\n` }
  }
  const lengths: Readonly<Record<string, readonly string[]>> = {
    exact: [length],
    'twice the same': [length, length],
    twice: [length, `${length}0`],
    'not a number': ['Content-Length: 0x5'],
    signed: [`Content-Length: +${body.length}`],
    'several numbers': ['Content-Length: 1, 2'],
    'too large': ['Content-Length: 99999999999999999999999'],
  }
  const fields = lengths[framing]
  if (fields !== undefined) return { fields, content: body }
  const codings: Readonly<Record<string, readonly string[]>> = {
    both: [length, 'Transfer-Encoding: chunked'],
    'both the other way': ['Transfer-Encoding: chunked', length],
  }
  return { fields: codings[framing] ?? [`Transfer-Encoding: ${framing}`], content: `${chunks}0\r\n\r\n` }
}
