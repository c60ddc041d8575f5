/**
 * What the office's page and its server say to each other: JSON over the operator port, every path below `/api`. The
 * page imports the types only. An int64 is decimal text, a time is Unix ms, and a status of null is none (O4).
 *
 * Without a session: POST and DELETE /api/session, POST /api/invitation. Everything else answers 401 `signed_out`
 * without one, also when it ended after the request began, 403 `forbidden` to a role below the one named, and 403
 * `foreign` to a write from another origin or without the session's token (header `X-Session-Token`). Failures have the
 * body OfficeError. Where a passphrase is asked for again, a wrong one is 403 `passphrase`, and too many are 429
 * `wait`. A request that the page makes by itself carries the header `X-Unattended`, and is no use of the session.
 *
 * | method and path | role | body | response |
 * |---|---|---|---|
 * | GET /api/animals?text=&status=&category=&import=&sort=newest|oldest|name&before=&after=&limit= | viewer | | AnimalPage |
 * | GET /api/animals/namesakes?name= | staff | | Namesake[], newest first, five at most |
 * | GET /api/animals/ID | viewer | | AnimalView, or 404 |
 * | POST /api/animals | staff | NewAnimal | 201 Animal; the same `formToken` again gives the same animal, 200 |
 * | PATCH /api/animals/ID | staff | AnimalChange | Saved, or 409 Conflict or `taken`, or 404 |
 * | POST /api/animals/ID/remove | staff | { version } | Animal, or 409 Conflict, or 404, or 403; see mayRemove |
 * | POST /api/animals/ID/restore | staff | {} | Animal, or 404, or 403; see mayRemove |
 * | POST /api/animals/ID/undo | staff | { version } | Animal, or 409 Conflict or `taken`, or 404, or 403; see mayUndo |
 */
import type { Static } from '../contract/schemas.ts'
import type { Role } from '../store/people.ts'
import type { PetCounts } from '../store/store.ts'
import { ACT_ROUTES } from './payloads/acts.ts'
import type { Animal, Status } from './payloads/animals.ts'
import { CATEGORY_ROUTES } from './payloads/categories.ts'
import { DASHBOARD_ROUTES } from './payloads/dashboard.ts'
import { IMPORT_ROUTES } from './payloads/imports.ts'
import { JOURNAL_ROUTES, type JournalLine } from './payloads/journal.ts'
import { KEY_ROUTES } from './payloads/keys.ts'
import { PEOPLE_ROUTES } from './payloads/people.ts'
import { REPORT_ROUTES } from './payloads/report.ts'
import type { Json, Route } from './payloads/route.ts'
import { SESSION_ROUTES } from './payloads/session.ts'
import { SETTINGS_ROUTES } from './payloads/settings.ts'

export type * from './payloads/acts.ts'
export type * from './payloads/animals.ts'
export type * from './payloads/categories.ts'
export type * from './payloads/dashboard.ts'
export type * from './payloads/imports.ts'
export type * from './payloads/journal.ts'
export type * from './payloads/keys.ts'
export type * from './payloads/people.ts'
export type * from './payloads/session.ts'
export type * from './payloads/settings.ts'

export type { Role }

/** Every route, by method and path. */
export const ROUTES = {
  ...SESSION_ROUTES,
  ...CATEGORY_ROUTES,
  ...SETTINGS_ROUTES,
  ...IMPORT_ROUTES,
  ...ACT_ROUTES,
  ...KEY_ROUTES,
  ...PEOPLE_ROUTES,
  ...JOURNAL_ROUTES,
  ...REPORT_ROUTES,
  ...DASHBOARD_ROUTES,
} as const satisfies Readonly<Record<string, Route>>

type Routes = typeof ROUTES
export type RouteName = keyof Routes
/** What `PUT /api/keys/:id` leaves open: `id`. */
export type ParametersOf<Name extends string> = Name extends `${infer Before}:${infer Parameter}/${infer After}`
  ? ParametersOf<`${Before}:${Parameter}`> & ParametersOf<After>
  : Name extends `${string}:${infer Parameter}`
    ? { readonly [P in Parameter]: string }
    : unknown
export type QueryOf<Name extends RouteName> = Routes[Name] extends { query: infer S } ? Static<S> : unknown
export type BodyOf<Name extends RouteName> = Routes[Name] extends { body: infer S } ? Static<S> : Record<string, never>
export type ResponseOf<Name extends RouteName> = Routes[Name] extends { response: Json<infer T> } ? T : undefined

export interface OfficeError {
  readonly code:
    | 'signed_out' // no session, or one that has ended
    | 'refused' // the name or the passphrase is wrong; which one is not said
    | 'wait' // too many failures; Retry-After says how long
    | 'forbidden' // the role does not allow it
    | 'foreign' // the request does not come from the office's page
    | 'passphrase' // the passphrase asked for again is wrong
    | 'invalid'
    | 'not_found'
    | 'conflict'
    | 'taken' // another animal has the reference
    | 'unavailable'
    | 'internal_error'
  /** A sentence for people: what is wrong, and what to do. */
  readonly message: string
}

/**
 * Newest first, oldest first or by name, as asked for; of a text, without `sort`, the best match first. On the first
 * page, the animal whose number the text is precedes them, removed or not.
 */
export interface AnimalPage {
  readonly asOfMs: number
  /** What was changed or added up to then, for an act on all that is found. */
  readonly mark: { readonly entry: string; readonly id: string }
  readonly animals: readonly Animal[]
  /** By animal number: the reference in the other system and the time of arrival, where known. */
  readonly known: Readonly<Record<string, { readonly reference: string | null; readonly sinceMs: number | null }>>
  /** Who removed the removed ones, by number, where the journal says it. */
  readonly removedBy: Readonly<Record<string, string>>
  /** The source of the import that the list is filtered by. */
  readonly importSource: string | null
  /** The nearest names, if the text finds no animal. */
  readonly nearest: readonly string[]
  /** How many animals all filters but the status find, by status; removed ones only if asked for. */
  readonly counts: PetCounts & { readonly removed: number }
  /** The place of the first animal in the whole list, from 1 on; null if it is not known. */
  readonly first: number | null
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

export interface AnimalView {
  readonly animal: Animal
  /** When a removed animal will be purged; null for others. */
  readonly purgedAtMs: number | null
  /**
   * Whether this person may remove it, or restore it if it is removed. Managers may; staff if they have added it, or
   * removed it, and nobody else has changed it since.
   */
  readonly mayRemove: boolean
  /** Whether this person may undo the newest act of the history: a change, or a removal or return that is theirs. */
  readonly mayUndo: boolean
  /** Newest first. */
  readonly history: readonly JournalLine[]
  /** Null for what came over the interface before version 2.0. */
  readonly origin: AnimalOrigin | null
  /** Its id in another system, which an import or a person has noted; null if there is none. */
  readonly reference: string | null
  /** When it came to the shelter; null if nobody knows: an import is no arrival. */
  readonly sinceMs: number | null
  /** File names of the imports that `history` and `origin` mention, by import number. */
  readonly imports: Readonly<Record<string, string>>
}

/** Where an animal came from (../store/origins.ts). */
export interface AnimalOrigin {
  readonly kind: 'key' | 'person' | 'import'
  /** A key's id, a person's name, or `cli` and the name of the system user. */
  readonly who: string
  readonly atMs: number
  /** The number of the import; null for others. */
  readonly importN: string | null
}

export interface NewAnimal {
  readonly name: string
  readonly categoryId: string
  readonly status: Status
  /** 128 random bits in hexadecimal, made with the form: an animal sent twice is added once. */
  readonly formToken: string
}

export interface AnimalChange {
  readonly version: string
  readonly name?: string
  readonly categoryId?: string
  readonly status?: Status
  /** Empty takes it away; 409 `taken` if another animal has it. */
  readonly reference?: string
}

/** The result of a change. */
export interface Saved {
  readonly animal: Animal
  /** False if it had these values already. */
  readonly isChanged: boolean
}

export interface Conflict extends OfficeError {
  readonly code: 'conflict'
  readonly current: Animal
}
