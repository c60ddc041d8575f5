/**
 * The requests of the kit, as data. A request never contains a secret: it has placeholders for keys, which are replaced
 * when it is sent. So a request is safe to print, and runs in a shell unchanged.
 */
import { OPERATIONS, USER_AGENT } from '../interface.ts'

export const KEY = '$KEY'
export const LIMITED_KEY = '$LIMITED_KEY'
/** The key without its last character, as a shell expression. */
export const CUT_KEY = '$' + '{KEY%?}'

export type Headers = Readonly<Record<string, string>>
export interface Request {
  readonly method: string
  /** Relative to the base address, with the query. */
  readonly path: string
  readonly headers: Headers
  readonly body?: string
}

/** The quota that a request counts against: that of a key, or that of the client's address. */
export type Pool = 'key' | 'limited key' | 'address'

export function poolOf({ headers: { Authorization = '' } }: Request): Pool {
  return Authorization === `Bearer ${LIMITED_KEY}`
    ? 'limited key'
    : Authorization === `Bearer ${KEY}`
      ? 'key'
      : 'address'
}

const COMMON: Headers = { 'User-Agent': USER_AGENT, Accept: 'application/json' }
export const WITHOUT_KEY: Headers = {}
export const WITH_KEY: Headers = { Authorization: `Bearer ${KEY}` }
export const WITH_UNKNOWN_KEY: Headers = { Authorization: 'Bearer a-key-that-was-never-issued' }
export const WITH_LIMITED_KEY: Headers = { Authorization: `Bearer ${LIMITED_KEY}` }

export function httpRequest(method: string, path: string, headers = WITH_KEY): Request {
  return { method, path, headers: { ...COMMON, ...headers } }
}

export function listPets(query = '', credentials = WITH_KEY): Request {
  return httpRequest('GET', OPERATIONS.listPets.path + query, credentials)
}

export function createPet(body: string, credentials = WITH_KEY, type = 'application/json'): Request {
  return { ...httpRequest('POST', OPERATIONS.createPet.path, { ...credentials, 'Content-Type': type }), body }
}

/** `petId` is put into the path as it is, because some cases send an invalid id. */
export function getPet(petId: bigint | string, credentials = WITH_KEY): Request {
  return httpRequest('GET', OPERATIONS.getPet.path.replace('{petId}', String(petId)), credentials)
}
