/**
 * The requests of the kit, as data. A request never holds a secret: it has placeholders for keys, which are replaced
 * when the bytes are sent. So a request is safe to print, and runs in a shell unchanged.
 */
import { OPERATIONS, USER_AGENT } from '../interface.ts'

export const KEY = '$KEY'
export const LIMITED_KEY = '$LIMITED_KEY'
/** The key without its last character, as a shell expression. */
export const CUT_KEY = '$' + '{KEY%?}'
/** The key with each letter in the other case. */
export const OTHER_CASE_KEY = "$(printf %s $KEY | tr 'a-zA-Z' 'A-Za-z')"
/** The key as the user name of Basic authentication. */
export const KEY_BASE64 = '$(printf %s: $KEY | base64 -w 0)'
/** All placeholders; one that contains another comes before it. */
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

/** The quota that a request counts against: that of a key, or that of the client's address. */
export type Pool = 'key' | 'limited key' | 'address'

/** Several pools if only the implementation knows which one counts: a misplaced key, or malformed HTTP. */
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

/** `petId` is put into the path as it is, because some cases send an invalid id. */
export function getPet(petId: bigint | string, credentials = WITH_KEY): HttpRequest {
  const { method, path } = OPERATIONS.getPet
  return { method, path: path.replace('{petId}', String(petId)), headers: credentials }
}

/** A raw request: its lines, the blank line that ends the headers, and `rest`. */
export function rawRequest(lines: readonly string[], rest = ''): RawRequest {
  return { raw: `${lines.join('\r\n')}\r\n\r\n${rest}` }
}

export const BEARER = `Authorization: Bearer ${KEY}`
/** The usual headers of a client, and `Connection: close`. */
const COMMON = [`User-Agent: ${USER_AGENT}`, `Accept: ${ACCEPT}`, 'Connection: close']

export function requestLines(
  base: URL,
  method: string,
  path: string,
  ...headers: readonly string[]
): readonly string[] {
  return [`${method} ${base.pathname}${path} HTTP/1.1`, `Host: ${base.host}`, BEARER, ...COMMON, ...headers]
}

/** The lines of a creation, without its body. */
export function jsonRequestLines(base: URL, ...headers: readonly string[]): readonly string[] {
  return requestLines(base, 'POST', '/pets', 'Content-Type: application/json', ...headers)
}
