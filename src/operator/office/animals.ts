/** Animals as the office says them, and how it reads what people send about them. */
import { parseInt64 } from '../../contract/int64.ts'
import { PetStatus } from '../../contract/schemas.ts'
import { isStorableText } from '../../contract/validate.ts'
import type { PetRecord } from '../../store/records.ts'
import type { Animal, Status } from '../office-data.ts'
import { OfficeRefusal } from './routes.ts'

/** As JSON Schema: an int64 is text, because a number in JSON may have lost digits. */
export const INT64 = { type: 'string', maxLength: 20 } as const
export const STATUS = { enum: [...PetStatus.enum, null] } as const
export const TEXT = { type: 'string' } as const

export function toAnimal({ id, name, categoryId, status, version, removedAtMs }: PetRecord): Animal {
  return { id, name, categoryId, status: status ?? null, version: String(version), removedAtMs: removedAtMs ?? null }
}

export function statusOf(status: Status): PetStatus | undefined {
  return status ?? undefined
}

/** `what` begins the sentence, as in "The category". Throws OfficeRefusal. */
export function int64Of(text: string, what: string): bigint {
  const value = parseInt64(text)
  if (value !== undefined) return value
  throw invalid(`${what} must be a whole number from -9223372036854775808 to 9223372036854775807.`)
}

/** A name as the interface would take it, too. Throws OfficeRefusal. */
export function nameOf(name: string, bodyLimit: number): string {
  if (!isStorableText(name)) throw invalid('The name holds a character that cannot be stored; type it again.')
  const bytes = Buffer.byteLength(name)
  if (bytes <= bodyLimit) return name
  throw invalid(`The name takes ${bytes} bytes, and ${bodyLimit} is the most; shorten it.`)
}

export function invalid(message: string): OfficeRefusal {
  return new OfficeRefusal(400, 'invalid', message)
}

export function notFound(message: string): OfficeRefusal {
  return new OfficeRefusal(404, 'not_found', message)
}

/** Of an id only as much as an int64 can have is said again. */
export function noAnimal(id: string): OfficeRefusal {
  return notFound(`There is no animal ${id.slice(0, 20)}.`)
}

/** Somebody else was faster. `current` is what they made of it. */
export function conflict(current: PetRecord): OfficeRefusal {
  const what = current.removedAtMs === undefined ? 'changed' : 'removed'
  const message = `Somebody has ${what} this animal meanwhile; nothing was done. Look at it, and do it again if it is still right.`
  return new OfficeRefusal(409, 'conflict', message, { current: toAnimal(current) })
}
