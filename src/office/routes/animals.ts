/** Animals as the office's JSON, and the checks of values that people send. */

import type { FastifyRequest } from 'fastify'
import { parseInt64 } from '../../contract/int64.ts'
import { WHOLE_NUMBER_RULE } from '../../contract/validate.ts'
import { brief } from '../../rules/bounds.ts'
import { nameRefusal } from '../../rules/members.ts'
import type { Role } from '../../rules/roles.ts'
import { type AnimalFilter, searchRefusal, ungrouped } from '../../rules/search.ts'
import type { ChangeOutcome } from '../../store/records.ts'
import type { AnimalRecord } from '../../store/rows.ts'
import type { Animal, Filters } from '../office-data.ts'
import { invalid, notFound, OfficeRefusal } from './refusals.ts'
import { sessionOf, toSent } from './routes.ts'

/** An animal as it was shown. */
export interface Target {
  readonly id: bigint
  readonly version: bigint
}

export function toTarget(id: string, version: string): Target {
  return { id: int64Of(id, 'The number of an animal'), version: int64Of(version, 'The version') }
}

export function roleOf(request: FastifyRequest): Role {
  return sessionOf(request).person.role
}

/** Throws OfficeRefusal. A number is found as people write it. */
export function toChoice({ text = '', status, category, import: importN }: Filters): AnimalFilter {
  const refusal = searchRefusal(text)
  if (refusal !== undefined) throw invalid(refusal)
  return {
    text: parseInt64(ungrouped(text.trim()))?.toString() ?? text.trim(),
    status: status || undefined,
    categoryId: category ? int64Of(category, 'The category') : undefined,
    importN: importN ? int64Of(importN, 'The import') : undefined,
  }
}

/** An animal in a list, with only the beginning of a long name. */
export function toListed(pet: AnimalRecord): Animal {
  return { ...toSent(pet), name: brief(pet.name) }
}

/** `what` is the subject of the message, as "The category". Throws OfficeRefusal. */
export function int64Of(text: string, what: string): bigint {
  const value = parseInt64(text)
  if (value !== undefined) return value
  throw invalid(`${what} ${WHOLE_NUMBER_RULE}.`)
}

/** Throws OfficeRefusal. */
export function nameOf(name: string, bodyLimit: number): string {
  const refusal = nameRefusal(name, bodyLimit)
  if (refusal !== undefined) throw invalid(`The name ${refusal}.`)
  return name
}

/** Quotes no more of the id than an int64 can have. */
export function noAnimal(id: string): OfficeRefusal {
  return notFound(`There is no animal ${id.slice(0, 20)}.`)
}

/** Throws OfficeRefusal if another animal has the reference. */
export function assertFree({ textConflict }: Pick<ChangeOutcome, 'textConflict'>): void {
  if (textConflict !== undefined) throw new OfficeRefusal(409, 'taken', `Nothing was changed: ${textConflict}.`)
}

/** The animal was changed meanwhile, to `current`. */
export function conflict(current: AnimalRecord): OfficeRefusal {
  const what = current.removedAtMs === undefined ? 'changed' : 'removed'
  const message = `Somebody has ${what} this animal meanwhile; nothing was done. Look at it, and do it again if it is still right.`
  return new OfficeRefusal(409, 'conflict', message, { current: toSent(current) })
}
