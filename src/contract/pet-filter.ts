/**
 * The filters of the list (R8). Each is a member of an animal, declared once with its parameter and how that is read.
 * Code that needs all of them uses `FILTER_NAMES`: the check of a query, `Link`, the OpenAPI document, the engines'
 * conditions, and the identity of a list in caches and batches.
 */
import { isPetStatus, type NewPet, PetStatus } from './schemas.ts'

export type FilterValues = Pick<Required<NewPet>, 'status'>

export type PetFilter = { readonly [Name in keyof FilterValues]?: FilterValues[Name] | undefined }

interface Filter<Value> {
  readonly schema: object
  readonly example: string | number
  readonly description: string
  /** What a value must be, after the name and a colon. */
  readonly rule: string
  /** Undefined if it breaks the rule. */
  read(text: string): Value | undefined
}

export const STATUS_RULE = `must be one of ${PetStatus.enum.join(', ')}`

export const PET_FILTERS: { readonly [Name in keyof FilterValues]: Filter<FilterValues[Name]> } = {
  status: {
    schema: PetStatus,
    example: 'available',
    description: 'Only animals of this status.',
    rule: STATUS_RULE,
    read: (text) => (isPetStatus(text) ? text : undefined),
  },
}

export const FILTER_NAMES = Object.keys(PET_FILTERS) as (keyof PetFilter)[]

/** A repeated query is the same object (http/pets.ts), so its key is made once. */
const KEYS = new WeakMap<PetFilter, string>()

/** The same text for the same filter, and for no other. */
export function filterKey(filter: PetFilter): string {
  const ready = KEYS.get(filter)
  if (ready !== undefined) return ready
  const names = FILTER_NAMES.filter((name) => filter[name] !== undefined)
  const key = names.map((name) => `${name}=${encodeURIComponent(String(filter[name]))}&`).join('')
  KEYS.set(filter, key)
  return key
}

export function matches(filter: PetFilter, pet: PetFilter): boolean {
  return FILTER_NAMES.every((name) => filter[name] === undefined || filter[name] === pet[name])
}
