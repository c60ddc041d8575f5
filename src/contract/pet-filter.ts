/**
 * The filters of the list (R8), each declared once: its parameter, how it is read, and which animals it lets through.
 * Whatever needs all of them goes through `FILTER_NAMES`: the check of a query, `Link`, the document, the identity of a
 * list in caches and batches. Engines have a condition for each (a type error otherwise).
 */
import { isPetStatus, PetStatus } from './schemas.ts'

export interface PetFilter {
  readonly status: PetStatus | undefined
}

interface Filter<Value> {
  readonly schema: object
  readonly example: string
  readonly description: string
  /** What a value must be, after the name and a colon. */
  readonly rule: string
  /** Undefined if it breaks the rule. */
  read(text: string): Value | undefined
  matches(pet: { readonly status?: PetStatus | undefined }, wanted: Value): boolean
}

export const STATUS_RULE = `must be one of ${PetStatus.enum.join(', ')}`

export const PET_FILTERS: { readonly [Name in keyof PetFilter]: Filter<NonNullable<PetFilter[Name]>> } = {
  status: {
    schema: PetStatus,
    example: 'available',
    description: 'Only animals of this status.',
    rule: STATUS_RULE,
    read: (text) => (isPetStatus(text) ? text : undefined),
    matches: ({ status }, wanted) => status === wanted,
  },
}

export const FILTER_NAMES = Object.keys(PET_FILTERS) as (keyof PetFilter)[]

/** The same text for the same filter, and for no other. */
export function filterKey(filter: PetFilter): string {
  let key = ''
  for (const name of FILTER_NAMES) {
    const wanted = filter[name]
    if (wanted !== undefined) key += `${name}=${encodeURIComponent(wanted)}&`
  }
  return key
}

export function matches(filter: PetFilter, pet: Parameters<Filter<unknown>['matches']>[0]): boolean {
  return FILTER_NAMES.every((name) => {
    const wanted = filter[name]
    return wanted === undefined || PET_FILTERS[name].matches(pet, wanted)
  })
}
