/** The animals: the list and its filters. */
import { PetStatus, type Static } from '../../contract/schemas.ts'
import { INT64, object } from './route.ts'

/** What the list is filtered by, and what is printed, exported or changed of it. */
export const FILTERS = {
  /** At most so many UTF-16 units: each costs a step of the search. */
  text: { type: 'string', maxLength: 1_000, pattern: '^[^\\0]*$' },
  status: { enum: [...PetStatus.enum, 'none', 'removed', ''] },
  category: INT64,
  /** The number of an import. */
  import: INT64,
} as const

const ANY = object({}, FILTERS)
export type Filters = Static<typeof ANY>

export type Status = PetStatus | null

export interface Animal {
  readonly id: string
  /** Shortened in lists and after bulk changes. */
  readonly name: string
  readonly categoryId: string
  readonly status: Status
  /** Grows with each change. A change names the version that it was made from. */
  readonly version: string
  /** Null while the interface shows the animal. */
  readonly removedAtMs: number | null
}
