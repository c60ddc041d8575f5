/** Acts on several animals: what is ticked, or all that the filters of the list find. */
import { type Animal, FILTERS } from './animals.ts'
import { INT64, json, list, object, STATUS } from './route.ts'

/** What an act on several animals has done; none of it overwrites what somebody has changed since they were shown. */
export interface Acted {
  /** Undoes it; null if at most one animal was changed, which its own undo takes back. */
  readonly n: string | null
  /** The animals that are as wished, and how many of them were changed. */
  readonly done: number
  readonly changed: number
  /** Of the done as they are now: the first, at most 1,000. */
  readonly animals: readonly Animal[]
  /** The others that were meant: changed by somebody else meanwhile, gone, or not reached in time. */
  readonly left: number
  /** Of these as they are now: the first that are there. */
  readonly conflicts: readonly Animal[]
  /** False if it took too long: the same again does the rest. */
  readonly isWhole: boolean
}

export const MAX_TICKED = 1_000
/** More than any shelter has in a year. */
export const MAX_FOUND = 20_000

export const ACT_ROUTES = {
  /** One of `animals` and `found`; new values are those of an edit. In parts, so it may end in between. */
  'POST /api/animals/acts': {
    role: 'staff',
    body: object(
      { act: { enum: ['edit', 'remove', 'restore'] } },
      {
        status: STATUS,
        categoryId: INT64,
        /** With the versions that were shown. */
        animals: list(object({ id: INT64, version: INT64 }), MAX_TICKED),
        /**
         * All that the filters found when `mark` (AnimalPage) was read, and how many these were; 409 `conflict` if they
         * are more now.
         */
        found: object(
          { count: { type: 'integer', maximum: MAX_FOUND }, mark: object({ entry: INT64, id: INT64 }) },
          FILTERS,
        ),
      },
    ),
    response: json<Acted>(),
  },
  /** Takes back what nobody has changed since. */
  'POST /api/animals/acts/:n/undo': { role: 'staff', response: json<Acted>() },
} as const
