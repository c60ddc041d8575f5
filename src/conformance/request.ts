/**
 * What the kit sends, as data. A request never holds a secret: where a key belongs stands a placeholder, which is
 * replaced as the bytes leave. So whatever is printed of a request is safe to print, and runs in a shell as it stands.
 */
import { OPERATIONS } from '../contract/operations.ts'

export const KEY = '$KEY'
export const LIMITED_KEY = '$LIMITED_KEY'
/** The key without its last character, the way a shell says it. */
export const CUT_KEY = '$' + '{KEY%?}'

export interface HttpRequest {
  readonly method: string
  /** Relative to the base address, with the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** A whole request as text that no HTTP client would send. */
export interface RawRequest {
  readonly raw: string
}

export type Request = HttpRequest | RawRequest

/** An allowance that a request draws on: a key's, or that of the address it comes from. */
export type Pool = 'key' | 'limited key' | 'address'

/** Either pool, where only the implementation knows which: a key that stands in the wrong place, or in malformed HTTP. */
export function poolsOf(request: Request): readonly [Pool, ...Pool[]] {
  if (!('raw' in request)) {
    if (request.headers.Authorization === `Bearer ${KEY}`) return ['key']
    if (request.headers.Authorization === `Bearer ${LIMITED_KEY}`) return ['limited key']
  }
  const text = 'raw' in request ? request.raw : JSON.stringify([request.path, request.headers])
  return text.includes(KEY) ? ['key', 'address'] : ['address']
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
  return { ...OPERATIONS.createPet, headers: { ...credentials, ...contentHeaders }, body }
}

/** `petId` is put into the path as it is, because some cases send what is no id. */
export function getPet(petId: bigint | string, credentials = WITH_KEY): HttpRequest {
  const { method, path } = OPERATIONS.getPet
  return { method, path: path.replace('{petId}', String(petId)), headers: credentials }
}
