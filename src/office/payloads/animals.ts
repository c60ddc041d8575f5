/** The routes for animals: list, history, add, edit and acts on several. */
import { Limit, PetStatus, type Static } from '../../contract/schemas.ts'
import { type AnimalMembers, ofTexts, type TextMember } from '../../rules/members.ts'
import type { Origin } from '../../store/origins.ts'
import type { AnimalCounts, AnimalRecord } from '../../store/rows.ts'
import type { Wait } from '../../store/waits.ts'
import type { JournalLine } from './journal.ts'
import { INT64, json, list, object, type Sent, STATUS, TEXT } from './route.ts'

export const FILTERS = {
  text: { type: 'string', pattern: '^[^\\0]*$' },
  status: { enum: [...PetStatus.enum, 'none', 'removed', ''] },
  category: INT64,
  import: INT64,
} as const
const ANY = object({}, FILTERS)
const CURSOR = { type: 'string', pattern: '^(\\d{1,9}|end)$' } as const
const NEW_ANIMAL = object(
  {
    name: TEXT,
    categoryId: INT64,
    status: STATUS,
    /** 128 random bits in hexadecimal. An animal sent twice with the same token is added once. */
    formToken: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  },
  {
    ...ofTexts(() => TEXT),
    /** The arrival date; today if absent. */
    arrivedOn: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  },
)
/** An empty text removes the value. */
const MEMBERS = {
  name: TEXT,
  categoryId: INT64,
  status: STATUS,
  ...ofTexts(() => TEXT),
} satisfies Record<keyof AnimalMembers, object>
const CHANGE = object({ version: INT64 }, MEMBERS)

export type Filters = Static<typeof ANY>
export type Status = PetStatus | null

/** Lists shorten the name. Each change raises the version. `removedAtMs` is null unless the animal is removed. */
export type Animal = Sent<AnimalRecord>

/** An animal in the list; null for what is unknown. */
export interface ListedAnimal extends Animal {
  readonly reference: string | null
  readonly wait: Wait | null
  readonly removedBy: string | null
}

/** A number as text finds its animal first, even if it is removed. */
export interface AnimalPage {
  readonly asOfMs: number
  readonly animals: readonly ListedAnimal[]
  readonly importSource: string | null
  /** The number of animals by status that match all other filters. Removed animals count only if asked for. */
  readonly counts: AnimalCounts & { readonly removed: number }
  readonly first: number
  /** Cursor for `after`; null on the first page. `end` is the cursor of the last page. */
  readonly newer: string | null
  /** Cursor for `before`; null on the last page. */
  readonly older: string | null
}

export interface Namesake {
  readonly animal: Animal
  readonly addedAtMs: number | null
  readonly addedBy: string | null
}

export interface AnimalView extends Readonly<Record<TextMember, string | null>> {
  readonly animal: Animal
  readonly purgedAtMs: number | null
  readonly mayUndo: boolean
  readonly history: readonly JournalLine[]
  /** Null for animals that the API added before version 2.0. */
  readonly origin: Sent<Origin> | null
  /** Null if it has left, or if this is unknown: an import is no arrival. */
  readonly wait: Wait | null
  /** When a list said that it left, unless it returned. */
  readonly leftAtMs: number | null
  readonly imports: Readonly<Record<string, string>>
}

export interface Saved {
  readonly animal: Animal
  readonly isChanged: boolean
}

/** The result of an act on several animals. It never overwrites what someone else has changed since they were shown. */
export interface ActResult {
  readonly n: string | null
  /** The number of animals in the wanted state, and the number changed. */
  readonly done: number
  readonly changed: number
  readonly animals: readonly (Animal & Pick<ListedAnimal, 'wait'>)[]
  /** The number of others: changed by someone else, removed, or not reached in time. */
  readonly left: number
  readonly conflicts: readonly Animal[]
  /** False if it took too long. Repeating it does the rest. */
  readonly isWhole: boolean
}

/** More than any shelter has in a year. */
export const MAX_TARGETS = 20_000
const TARGET = object({ id: INT64, version: INT64 })

export type ActTarget = Static<typeof TARGET>

export const ANIMAL_ROUTES = {
  'GET /api/animals': {
    role: 'viewer',
    query: {
      ...object(
        {},
        {
          ...FILTERS,
          sort: { enum: ['newest', 'oldest', 'name', ''] },
          before: CURSOR,
          after: CURSOR,
          limit: { enum: Array.from({ length: Limit.maximum }, (_, i) => String(i + 1)) },
        },
      ),
      not: { required: ['before', 'after'] },
    },
    response: json<AnimalPage>(),
  },
  'GET /api/animals/namesakes': { role: 'staff', query: object({ name: TEXT }), response: json<readonly Namesake[]>() },
  'GET /api/animals/:id': { role: 'viewer', response: json<AnimalView>() },
  /** 201, or 200 for a repeated `formToken`. 409 `taken` if another animal has the reference. */
  'POST /api/animals': { role: 'staff', body: NEW_ANIMAL, response: json<Animal>() },
  /** 409 Conflict, or 409 `taken` if another animal has the reference. */
  'PATCH /api/animals/:id': { role: 'staff', body: CHANGE, response: json<Saved>() },
  /** All animals that match; 400 if they are too many for one act. */
  'GET /api/animals/found': { role: 'staff', query: object({}, FILTERS), response: json<readonly ActTarget[]>() },
  /** Can end partway. 409 `taken` if an undo restores a reference that another animal has. */
  'POST /api/animals/acts': {
    role: 'staff',
    body: object(
      { act: { enum: ['edit', 'remove', 'restore', 'undo'] }, animals: list(TARGET, MAX_TARGETS) },
      { status: STATUS, categoryId: INT64 },
    ),
    response: json<ActResult>(),
  },
  'POST /api/animals/acts/:n/undo': { role: 'staff', response: json<ActResult>() },
} as const
