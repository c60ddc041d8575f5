/** The requests of the kit, as data. Placeholders stand for keys until a request is sent. */
import { KIT_VERSION, OPERATIONS } from '../interface.ts'

export const KEY = '$KEY'
export const LIMITED_KEY = '$LIMITED_KEY'
/** The key without its last character, as a shell expression. */
export const CUT_KEY = '$' + '{KEY%?}'

export type Headers = Readonly<Record<string, string>>
export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body?: string
}

/** The quota that a request counts against. */
export type Pool = 'key' | 'limited key' | 'address'

export function poolOf({ headers: { Authorization = '' } }: Request): Pool {
  return Authorization === `Bearer ${LIMITED_KEY}`
    ? 'limited key'
    : Authorization === `Bearer ${KEY}`
      ? 'key'
      : 'address'
}

const COMMON: Headers = { 'User-Agent': `pet-adoption-conformance/${KIT_VERSION}`, Accept: 'application/json' }
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

export function getPet(petId: bigint | string, credentials = WITH_KEY): Request {
  return httpRequest('GET', OPERATIONS.getPet.path.replace('{petId}', String(petId)), credentials)
}

/** The request as a bash command. Keys appear as the variables KEY and LIMITED_KEY. */
export function curlLine(base: URL, { method, path, headers, body }: Request): string {
  const words = ['curl', method === 'HEAD' ? '-I' : `-i -X ${method}`, quote(base.href + path)]
  for (const [name, value] of Object.entries(headers)) words.push('-H', quote(value ? `${name}: ${value}` : `${name};`))
  if (body !== undefined) words.push('--data-binary', quote(body))
  return words.join(' ')
}

const KEYS = new RegExp(`(${[CUT_KEY, LIMITED_KEY, KEY].map((key) => key.replace(/\W/g, '\\$&')).join('|')})`)

/** Quotes a word in which the shell expands only keys, and generates a long run of one character. */
function quote(text: string): string {
  const escaped = text.split(KEYS).map((part, i) => (i % 2 === 1 ? part : part.replace(/[\\"$`]/g, '\\$&')))
  const run = (letters: string, letter: string) => `$(printf '${letter}%.0s' {1..${letters.length}})`
  return `"${escaped.join('').replace(/([a9])\1{199,}/g, run)}"`
}
