/** Animals as JSON, and checks of values that people send. */

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
import { invalid, notFound, OfficeRefusal, wrongMember } from './refusals.ts'
import { sessionOf, toSent } from './routes.ts'

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

export function toFilter({ text = '', status, category, import: importN }: Filters): AnimalFilter {
  const refusal = searchRefusal(text)
  if (refusal !== undefined) throw invalid(refusal)
  return {
    text: parseInt64(ungrouped(text.trim()))?.toString() ?? text.trim(),
    status: status || undefined,
    categoryId: category ? int64Of(category, 'The category') : undefined,
    importN: importN ? int64Of(importN, 'The import') : undefined,
  }
}

export function toListed(pet: AnimalRecord): Animal {
  return { ...toSent(pet), name: brief(pet.name) }
}

/** `what` is the message's subject, such as "The category". Throws OfficeRefusal. */
export function int64Of(text: string, what: string): bigint {
  const value = parseInt64(text)
  if (value !== undefined) return value
  throw invalid(`${what} ${WHOLE_NUMBER_RULE}.`)
}

export function nameOf(name: string, bodyLimit: number): string {
  const refusal = nameRefusal(name, bodyLimit)
  if (refusal !== undefined) throw wrongMember('name', `The name ${refusal}.`)
  return name
}

/** Quotes at most as much as an int64 has. */
export function noAnimal(id: string): OfficeRefusal {
  return notFound(`Animal ${id.slice(0, 20)} does not exist.`)
}

/** Throws OfficeRefusal if another animal has the reference. */
export function assertFree({ textConflict }: Pick<ChangeOutcome, 'textConflict'>): void {
  if (textConflict !== undefined)
    throw wrongMember('reference', `Nothing was changed: ${textConflict}.`, [409, 'taken'])
}

export function conflict(current: AnimalRecord): OfficeRefusal {
  const what = current.removedAtMs === undefined ? 'changed' : 'removed'
  const message = `Someone else has ${what} this animal in the meantime. Nothing was changed. Check the animal before you try again.`
  return new OfficeRefusal(409, 'conflict', message, { current: toSent(current) })
}
