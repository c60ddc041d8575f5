/** The animals: the list, one of them with its history, how one is added and edited, and acts on several. */
import { Limit, PetStatus, type Static } from '../../contract/schemas.ts'
import { type AnimalMembers, ofTexts, type TextMember } from '../../rules/members.ts'
import type { Origin } from '../../store/origins.ts'
import type { AnimalCounts, AnimalRecord } from '../../store/rows.ts'
import type { Wait } from '../../store/waits.ts'
import type { JournalLine } from './journal.ts'
import { INT64, json, list, object, type Sent, STATUS, TEXT } from './route.ts'

/** What the list is filtered by, and what is printed, exported or changed of it. */
export const FILTERS = {
  text: { type: 'string', pattern: '^[^\\0]*$' },
  status: { enum: [...PetStatus.enum, 'none', 'removed', ''] },
  category: INT64,
  /** The number of an import. */
  import: INT64,
} as const
const ANY = object({}, FILTERS)
/** The number of animals before the page. */
const CURSOR = { type: 'string', pattern: '^(\\d{1,9}|end)$' } as const
const NEW_ANIMAL = object(
  {
    name: TEXT,
    categoryId: INT64,
    status: STATUS,
    /** 128 random bits in hexadecimal, made with the form: an animal sent twice is added once. */
    formToken: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  },
  {
    ...ofTexts(() => TEXT),
    /** The day on which it arrived; without it, today. */
    arrivedOn: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  },
)
/** A text that is empty takes it away. */
const MEMBERS = {
  name: TEXT,
  categoryId: INT64,
  status: STATUS,
  ...ofTexts(() => TEXT),
} satisfies Record<keyof AnimalMembers, object>
const CHANGE = object({ version: INT64 }, MEMBERS)

export type Filters = Static<typeof ANY>
export type Status = PetStatus | null

/**
 * The name is shortened in lists and after bulk changes. The version grows with each change, which names the one that it
 * was made from; `removedAtMs` is null while the interface shows the animal.
 */
export type Animal = Sent<AnimalRecord>

/** An animal in the list, with what only that tells; null where nobody knows, as an import is no arrival. */
export interface ListedAnimal extends Animal {
  /** In the other system. */
  readonly reference: string | null
  readonly wait: Wait | null
  /** Of a removed one, by the journal. */
  readonly removedBy: string | null
}

/**
 * Newest first, longest waiting first or by name, as asked for; of a text, without `sort`, the best match first. On the first
 * page, the animal whose number the text is precedes them, removed or not.
 */
export interface AnimalPage {
  readonly asOfMs: number
  readonly animals: readonly ListedAnimal[]
  /** The source of the import that the list is filtered by. */
  readonly importSource: string | null
  /** How many animals all filters but the status find, by status; removed ones only if asked for. */
  readonly counts: AnimalCounts & { readonly removed: number }
  /** The place of the first animal in the whole list, from 1 on. */
  readonly first: number
  /** Cursor for `after`, null on the first page. `end` is the cursor of the last page. */
  readonly newer: string | null
  /** Cursor for `before`; null on the last page. */
  readonly older: string | null
}

/** An animal that already has the name, ignoring case and accents. */
export interface Namesake {
  readonly animal: Animal
  /** When and by whom it was added; null if the journal does not say. */
  readonly addedAtMs: number | null
  readonly addedBy: string | null
}

/** With its texts, as the reference, the id in another system that an import or a person has noted; null for none. */
export interface AnimalView extends Readonly<Record<TextMember, string | null>> {
  readonly animal: Animal
  /** When a removed animal will be purged; null for others. */
  readonly purgedAtMs: number | null
  /** Whether this person may undo the newest act of the history. */
  readonly mayUndo: boolean
  /** Newest first. */
  readonly history: readonly JournalLine[]
  /** Null for what came over the interface before version 2.0. */
  readonly origin: Sent<Origin> | null
  /** Null if nobody knows: an import is no arrival. */
  readonly wait: Wait | null
  /** File names of the imports that `history` and `origin` mention, by import number. */
  readonly imports: Readonly<Record<string, string>>
}

/** The result of a change. */
export interface Saved {
  readonly animal: Animal
  /** False if it had these values already. */
  readonly isChanged: boolean
}

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
  /** Newest first, five at most. */
  'GET /api/animals/namesakes': {
    role: 'staff',
    query: object({ name: TEXT }),
    response: json<readonly Namesake[]>(),
  },
  'GET /api/animals/:id': { role: 'viewer', response: json<AnimalView>() },
  /** 201; the same `formToken` again gives the same animal, 200. 409 `taken` if another animal has the reference. */
  'POST /api/animals': { role: 'staff', body: NEW_ANIMAL, response: json<Animal>() },
  /** 409 Conflict, or 409 `taken` if another animal has the reference. */
  'PATCH /api/animals/:id': { role: 'staff', body: CHANGE, response: json<Saved>() },
  /** All that the filters find; 400 if these are too many for one act. */
  'GET /api/animals/found': { role: 'staff', query: object({}, FILTERS), response: json<readonly ActTarget[]>() },
  /**
   * New values are those of an edit; `undo` takes back the newest change of each. In parts, so it may end in between.
   * 409 `taken` if another animal has the reference that an undo gives back.
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
