/** Acts on animals: on one, on those that are ticked, or on all that the filters of the list find. */
import type { Static } from '../../contract/schemas.ts'
import { type Animal, FILTERS } from './animals.ts'
import { INT64, json, list, object, STATUS } from './route.ts'

/** What an act on several animals has done; none of it overwrites what somebody has changed since they were shown. */
export interface ActResult {
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

/** More than any shelter has in a year. */
export const MAX_TARGETS = 20_000
const TARGET = object({ id: INT64, version: INT64 })

/** An animal as it was when it was chosen. */
export type ActTarget = Static<typeof TARGET>

export const ACT_ROUTES = {
  /** All that the filters find; 400 if these are too many for one act. */
  'GET /api/animals/found': { role: 'staff', query: object({}, FILTERS), response: json<readonly ActTarget[]>() },
  /**
   * New values are those of an edit; `undo` takes back the newest change of each. In parts, so it may end in between.
   * What is not theirs staff can neither remove nor restore; see mayRemove and mayUndo. 409 `taken` if another animal
   * has the reference that an undo gives back.
   */
  'POST /api/animals/acts': {
    role: 'staff',
    body: object(
      { act: { enum: ['edit', 'remove', 'restore', 'undo'] }, animals: list(TARGET, MAX_TARGETS) },
      { status: STATUS, categoryId: INT64 },
    ),
    response: json<ActResult>(),
  },
  /** Takes back what nobody has changed since. */
  'POST /api/animals/acts/:n/undo': { role: 'staff', response: json<ActResult>() },
} as const
