/** Validates the response of each operation. A response that does not match the interface is an error. */
import { fromJson, isInt64 } from './json.ts'
import { type ErrorBody, PET_STATUS_VALUES, type Pet, type PetStatus } from './types.ts'

/** Validates a response body. Throws a TypeError that says what is wrong, such as `[3].id is not an int64`. */
export type Read<T> = (body: unknown) => T

export function readPet(body: unknown): Pet {
  return petAt('', body)
}

export function readPets(body: unknown): Pet[] {
  if (!Array.isArray(body)) throw new TypeError('it is not a JSON array')
  return body.map((pet, index) => petAt(`[${index}].`, pet))
}

function petAt(at: string, value: unknown): Pet {
  if (!isRecord(value)) throw new TypeError(`${at.slice(0, -1) || 'it'} is not a JSON object`)
  const { id, name, categoryId, status } = value
  if (!isInt64(id)) throw new TypeError(`${at}id is not an int64`)
  if (typeof name !== 'string') throw new TypeError(`${at}name is not a string`)
  if (!isInt64(categoryId)) throw new TypeError(`${at}categoryId is not an int64`)
  if (status !== undefined && !PET_STATUS_VALUES.includes(status as PetStatus)) {
    throw new TypeError(`${at}status is none of ${PET_STATUS_VALUES.join(', ')}`)
  }
  return value as unknown as Pet
}

/** Validates the body of an error response. Throws TypeError if it is not an Error of the interface. */
export function readError(body: unknown, status: number): Pick<ErrorBody, 'code' | 'message'> {
  if (status < 400) throw new TypeError('no operation has this status')
  if (!isRecord(body)) throw new TypeError('it is not a JSON object')
  const { code, message } = body
  if (typeof code !== 'string') throw new TypeError('code is not a string')
  if (typeof message !== 'string') throw new TypeError('message is not a string')
  if (body.status !== BigInt(status)) throw new TypeError(`status is not ${status}`)
  return { code, message }
}

/** Parses JSON. Throws TypeError if the text is not JSON. */
export function readJson(text: string): unknown {
  try {
    return fromJson(text)
  } catch {
    throw new TypeError(text === '' ? 'it is empty' : 'it is not JSON')
  }
}

/** The query of the next page, `?` included, if a `Link` header (RFC 8288) names one. */
export function nextQuery(link: string | null): string | undefined {
  for (const [, target = '', parameters = ''] of (link ?? '').matchAll(/<([^<>]*)>((?:[^",]|"[^"]*")*)/g)) {
    if (/;\s*rel\s*=\s*(?:next\b|"(?:[^"]* )?next[ "])/i.test(parameters)) return /\?[^#]+/.exec(target)?.[0]
  }
  return undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
