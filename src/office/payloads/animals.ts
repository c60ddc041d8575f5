/** The animals: the list and its filters. */
import { PetStatus } from '../../contract/schemas.ts'
import { INT64 } from './route.ts'

/** What the list is filtered by, and what is printed, exported or changed of it. */
export const FILTERS = {
  /** At most so many UTF-16 units: each costs a step of the search. */
  text: { type: 'string', maxLength: 1_000, pattern: '^[^\\0]*$' },
  status: { enum: [...PetStatus.enum, 'none', 'removed', ''] },
  category: INT64,
  /** The number of an import. */
  import: INT64,
} as const
