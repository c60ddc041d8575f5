/** The filters of the list (R8), each declared once with its parameter. */
import { isPetStatus, type NewPet, PetStatus } from './schemas.ts'

export type FilterValues = Pick<Required<NewPet>, 'status'>

export type PetFilter = { readonly [Name in keyof FilterValues]?: FilterValues[Name] | undefined }

interface Filter<Value> {
  readonly schema: object
  readonly example: string | number
  readonly description: string
  /** The rule for a value, after the name and a colon. */
  readonly rule: string
  /** Undefined if the text breaks the rule. */
  read(text: string): Value | undefined
}

export const STATUS_RULE = `must be one of ${PetStatus.enum.join(', ')}`

export const PET_FILTERS: { readonly [Name in keyof FilterValues]: Filter<FilterValues[Name]> } = {
  status: {
    schema: PetStatus,
    example: 'available',
    description: 'Only animals with this status.',
    rule: STATUS_RULE,
    read: (text) => (isPetStatus(text) ? text : undefined),
  },
}

export const FILTER_NAMES = Object.keys(PET_FILTERS) as (keyof PetFilter)[]

/** A repeated query is the same object (http/pets.ts), so its key is made once. */
const KEYS = new WeakMap<PetFilter, string>()

/** Equal for equal filters only. */
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
