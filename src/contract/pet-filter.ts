/**
 * The filters of the list (R8), each declared once: its parameter, how it is read, and which animals it lets through.
 * Whatever needs all of them goes through `FILTER_NAMES`: the check of a query, `Link`, the document, the identity of a
 * list in caches and batches. Engines have a condition for each (a type error otherwise).
 */
import { isPetStatus, type NewPet, PetStatus } from './schemas.ts'

export interface FilterValues {
  readonly status: PetStatus
}

export type PetFilter = { readonly [Name in keyof FilterValues]?: FilterValues[Name] | undefined }

/** What a filter sees of an animal. */
type FilteredPet = { readonly [Member in keyof NewPet]: NewPet[Member] | undefined }

interface Filter<Value> {
  readonly schema: object
  readonly example: string | number
  readonly description: string
  /** What a value must be, after the name and a colon. */
  readonly rule: string
  /** Undefined if it breaks the rule. */
  read(text: string): Value | undefined
  matches(pet: FilteredPet, wanted: Value): boolean
}

export const STATUS_RULE = `must be one of ${PetStatus.enum.join(', ')}`

export const PET_FILTERS: { readonly [Name in keyof FilterValues]: Filter<FilterValues[Name]> } = {
  status: {
    schema: PetStatus,
    example: 'available',
    description: 'Only animals of this status.',
    rule: STATUS_RULE,
    read: (text) => (isPetStatus(text) ? text : undefined),
    matches: ({ status }, value) => status === value,
  },
}

export const FILTER_NAMES = Object.keys(PET_FILTERS) as (keyof PetFilter)[]

/** A query that is asked again is the same object (http/pets.ts), whose key need not be made again. */
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

export function matches(filter: PetFilter, pet: FilteredPet): boolean {
  return FILTER_NAMES.every(<Name extends keyof PetFilter>(name: Name) => {
    const value = filter[name]
    return value === undefined || PET_FILTERS[name].matches(pet, value)
  })
}
