/**
 * What the kit sends, as data. A request never holds a secret: where a key belongs stands a placeholder, which is
 * replaced as the bytes leave. So whatever is printed of a request is safe to print, and runs in a shell as it stands.
 */
import { OPERATIONS } from '../interface.ts'
import { USER_AGENT } from '../statements.ts'

export const KEY = '$KEY'
export const LIMITED_KEY = '$LIMITED_KEY'
/** The key without its last character, the way a shell says it. */
export const CUT_KEY = '$' + '{KEY%?}'
/** The key with each letter in the other case. */
export const OTHER_CASE_KEY = "$(printf %s $KEY | tr 'a-zA-Z' 'A-Za-z')"
/** The key as the user name of the scheme Basic. */
export const KEY_BASE64 = '$(printf %s: $KEY | base64 -w 0)'
/** All of them, the longer before those that they contain. */
export const PLACEHOLDERS = [OTHER_CASE_KEY, KEY_BASE64, CUT_KEY, LIMITED_KEY, KEY] as const

export interface HttpRequest {
  readonly method: string
  /** Relative to the base address, with the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** The body is sent a moment after the head, in packets of its own. */
  readonly isBodyApart?: boolean
}

/** A whole request as text that no HTTP client would send. */
interface RawRequest {
  readonly raw: string
}

export type Request = HttpRequest | RawRequest

/** The request line and the headers of a request as they go over the wire, with the blank line after them. */
export function wireText(base: URL, { method, path, headers, body }: HttpRequest): string {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const all = { Host: base.host, 'User-Agent': USER_AGENT, Accept: ACCEPT, ...headers, ...length }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${base.pathname}${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

export const ACCEPT = 'application/json'

/** An allowance that a request draws on: a key's, or that of the address it comes from. */
export type Pool = 'key' | 'limited key' | 'address'

/** Both where only the implementation knows which: a key in the wrong place, or in malformed HTTP. */
export function poolsOf(request: Request): readonly [Pool, ...Pool[]] {
  if (!('raw' in request)) {
    if (request.headers.Authorization === `Bearer ${KEY}`) return ['key']
    if (request.headers.Authorization === `Bearer ${LIMITED_KEY}`) return ['limited key']
  }
  const text = 'raw' in request ? request.raw : JSON.stringify([request.path, request.headers])
  if (text.includes(LIMITED_KEY)) return ['limited key']
  return text.includes('KEY') ? ['key', 'address'] : ['address']
}

export type Headers = HttpRequest['headers']

export const WITH_KEY: Headers = { Authorization: `Bearer ${KEY}` }
export const WITH_LIMITED_KEY: Headers = { Authorization: `Bearer ${LIMITED_KEY}` }
const JSON_BODY: Headers = { 'Content-Type': 'application/json' }

export function listPets(query = '', credentials = WITH_KEY): HttpRequest {
  const { method, path } = OPERATIONS.listPets
  return { method, path: path + query, headers: credentials }
}

export function createPet(body: string | Buffer, credentials = WITH_KEY, contentHeaders = JSON_BODY): HttpRequest {
  const { method, path } = OPERATIONS.createPet
  return { method, path, headers: { ...credentials, ...contentHeaders }, body }
}

/** `petId` is put into the path as it is, because some cases send what is no id. */
export function getPet(petId: bigint | string, credentials = WITH_KEY): HttpRequest {
  const { method, path } = OPERATIONS.getPet
  return { method, path: path.replace('{petId}', String(petId)), headers: credentials }
}

/** A whole request by its lines, with the blank line that ends the headers and what comes after it. */
export function rawRequest(lines: readonly string[], rest = ''): RawRequest {
  return { raw: `${lines.join('\r\n')}\r\n\r\n${rest}` }
}

export const BEARER = `Authorization: Bearer ${KEY}`
/** What every well-behaved client says, and that the answer is the last on its connection. */
const COMMON = [`User-Agent: ${USER_AGENT}`, `Accept: ${ACCEPT}`, 'Connection: close']

export function requestLines(
  base: URL,
  method: string,
  path: string,
  ...headers: readonly string[]
): readonly string[] {
  return [`${method} ${base.pathname}${path} HTTP/1.1`, `Host: ${base.host}`, BEARER, ...COMMON, ...headers]
}

/** A creation, whose body is to follow. */
export function jsonRequestLines(base: URL, ...headers: readonly string[]): readonly string[] {
  return requestLines(base, 'POST', '/pets', 'Content-Type: application/json', ...headers)
}
