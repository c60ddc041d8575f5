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
 * | GET /api/animals?text=&status=&category=&sort=newest|name&before=&after=&limit= | viewer | | AnimalPage |
 * | GET /api/animals/namesakes?name= | staff | | Namesake[], newest first, five at most |
 * | GET /api/animals/ID | viewer | | AnimalView, or 404 |
 * | POST /api/animals | staff | NewAnimal | 201 Animal; the same `formToken` again gives the same animal, 200 |
 * | POST /api/animals/status | staff | StatusChange | StatusChanged |
 * | POST /api/animals/undo | staff | Undoing | StatusChanged |
 * | PATCH /api/animals/ID | staff | AnimalChange | Saved, or 409 Conflict or `taken`, or 404 |
 * | POST /api/animals/ID/remove | staff | { version } | Animal, or 409 Conflict, or 404, or 403; see mayRemove |
 * | POST /api/animals/ID/restore | staff | {} | Animal, or 404, or 403; see mayRemove |
 * | POST /api/animals/ID/undo | staff | { version } | Animal, or 409 Conflict or `taken`, or 404, or 403; see mayUndo |
 * | POST /api/uploads | manager | multipart, one file | Upload; kept for an hour, for this person |
 * | POST /api/uploads/ID | manager | { rules } | Upload, read again with these rules of `--map` |
 * | POST /api/imports | manager | ImportRequest | ImportResult |
 * | GET /api/imports | manager | | ImportSummary[] |
 * | GET /api/imports/N/undo | manager | | UndoPreview: what an undo would do |
 * | POST /api/imports/N/undo | manager | {} | { removed, kept }, of a sync putBack too, or 404 |
 * | GET /api/export?format=csv|ndjson&for=spreadsheet | manager | | a download; text, status and category as above |
 * | GET /api/keys?text=&sort=newest|used|refused&page= | operator | | KeyPage |
 * | POST /api/keys | operator | NewKey | 201 IssuedKey |
 * | GET /api/keys/ID | operator | | KeyDetails |
 * | POST /api/keys/ID/edit | operator | KeyTerms | OfficeKey |
 * | POST /api/keys/ID/unban | operator | {} | OfficeKey, or 409 `conflict` if it is not banned |
 * | POST /api/keys/ID/rotate | operator | { overlapS, passphrase } | 201 IssuedKey |
 * | POST /api/keys/ID/revoke | operator | { label } | OfficeKey, or 400 if the label is not the key's |
 * | GET /api/people | operator | | Person[] |
 * | POST /api/people | operator | NewPerson | 201 Invitation, or 409 `conflict` if the name is there |
 * | POST /api/people/NAME/reset | operator | PassphraseReset | 201 Invitation |
 * | POST /api/people/NAME/role | operator | RoleChange | Person[], or 409 `conflict` if the role is this one already |
 * | POST /api/people/NAME/revoke | operator | {} | Person[] |
 * | GET /api/journal?kind=&animal=&keyId=&who=&since=&until=&before= | viewer | | JournalPage, for each role |
 * | GET /api/report?month=2026-11 | viewer | | OfficeReport; without a month that of now; who did what only to managers |
 * | GET /api/dashboard?since= | operator | | DashboardState, with the requests from this time on |
 */
import type { PetStatus, Static } from '../contract/schemas.ts'
import type { KeyState } from '../rules/keys.ts'
import type { Role } from '../store/people.ts'
import type { PetCounts } from '../store/store.ts'
import { CATEGORY_ROUTES } from './payloads/categories.ts'
import type { Json, Route } from './payloads/route.ts'
import { SESSION_ROUTES } from './payloads/session.ts'
import { SETTINGS_ROUTES } from './payloads/settings.ts'

export type {
  FileChange,
  FileMapping,
  ImportRequest,
  ImportResult,
  ImportSummary,
  ReadRequest,
  SyncPreview,
  UndoPreview,
  Updating,
  Upload,
} from './import-data.ts'
export type * from './payloads/categories.ts'
export type * from './payloads/session.ts'
export type * from './payloads/settings.ts'

import type { Plan } from '../contract/plans.ts'
import type { Sample, WindowUse } from '../operator/dashboard-data.ts'
import type { JournalAct } from '../store/journal.ts'
import type { LedgerOperation, Sums } from '../store/ledger.ts'
import type { Ban } from '../store/rows.ts'

export type { Role }

/** Every route, by method and path. */
export const ROUTES = { ...SESSION_ROUTES, ...CATEGORY_ROUTES, ...SETTINGS_ROUTES } as const satisfies Readonly<
  Record<string, Route>
>

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

/**
 * Newest first, oldest first or by name, as asked for; of a text, without `sort`, the best match first. On the first
 * page, the animal whose number the text is precedes them, removed or not.
 */
export interface AnimalPage {
  readonly asOfMs: number
  readonly animals: readonly Animal[]
  /** By animal number: the reference in the other system and the time of arrival, where known. */
  readonly known: Readonly<Record<string, { readonly reference: string | null; readonly sinceMs: number | null }>>
  /** Who removed the removed ones, by number, where the journal says it. */
  readonly removedBy: Readonly<Record<string, string>>
  /** The nearest names, if the text finds no animal. */
  readonly nearest: readonly string[]
  /** How many animals the text and category find, by status; removed ones only if asked for. */
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

/** Undoes the newest act of each animal, which its version names. Skips animals changed since. */
export interface Undoing {
  readonly animals: StatusChange['animals']
}

/** Sets one status. Skips animals changed since the named version. */
export interface StatusChange {
  readonly animals: readonly { readonly id: string; readonly version: string }[]
  readonly status: Status
}

export interface StatusChanged {
  /** The changed animals, with their new versions. */
  readonly changed: readonly Animal[]
  /** The animals skipped because somebody else changed them, as they are now. */
  readonly conflicts: readonly Animal[]
  /** Ids of animals that do not exist (any more). */
  readonly missing: readonly string[]
}

export interface Conflict extends OfficeError {
  readonly code: 'conflict'
  readonly current: Animal
}

export interface Person {
  readonly name: string
  readonly role: Role
  /** `invited` has not chosen a passphrase yet; `lapsed` did not within a day. */
  readonly state: 'invited' | 'lapsed' | 'active' | 'revoked'
  readonly createdAtMs: number
  readonly lastSeenAtMs: number | null
}

export interface NewPerson {
  readonly name: string
  readonly role: Role
  readonly passphrase: string
}

export interface PassphraseReset {
  /** The passphrase of the person who asks. */
  readonly passphrase: string
}

export interface RoleChange extends PassphraseReset {
  readonly role: Role
}

export interface Invitation {
  readonly person: Person
  /** Valid once, for 24 hours. Shown once. */
  readonly link: string
  readonly endsAtMs: number
}

export interface DashboardState {
  readonly atMs: number
  /** What needs attention: a sentence, the address that it links to, and when it ends by itself. */
  readonly needs: readonly { readonly sentence: string; readonly href: string; readonly untilMs: number | null }[]
  /** Null while the database does not answer. */
  readonly animals: PetCounts | null
  /** Requests with a key, hour by hour since the time asked for. */
  readonly today: readonly { readonly hourMs: number; readonly admitted: number; readonly refused: number }[]
  /** Requests without a valid key that this process has refused. */
  readonly refusedAnonymous: number
  /** Keys that are banned or have used most of a window as it is now, the nearest to its limit first; at most ten. */
  readonly nearLimits: readonly (Pick<OfficeKey, 'id' | 'label' | 'bannedUntilMs'> &
    WindowUse & { readonly window: 'minute' | 'day' })[]
  /** Null if the service makes no backups by itself. */
  readonly backups: {
    readonly lastSuccessMs: number | null
    readonly failures: number
    readonly everyMs: number
  } | null
  /** How the process did in the last seconds; null at the start. */
  readonly latest: Sample | null
  readonly version: string
  readonly startedAtMs: number
}

/** The kinds of acts by which the journal is filtered. */
export type JournalKind = 'add' | 'change' | 'remove' | 'import' | 'category' | 'export' | 'key' | 'person' | 'session'

export interface JournalLine {
  readonly n: string
  readonly atMs: number
  readonly who: string
  readonly act: JournalAct
  readonly petId: string | null
  readonly keyId: string | null
  /** The values before and after, as text by member; of a long name, its beginning. */
  readonly from: Readonly<Record<string, string | null>>
  readonly to: Readonly<Record<string, string | null>>
}

/** Newest first. */
export interface JournalPage {
  readonly lines: readonly JournalLine[]
  /** By animal number: the name now, or when it was removed, shortened; none for purged animals. */
  readonly names: Readonly<Record<string, string>>
  /**
   * Cursor for `before`; null on the last page. What is rare is looked for within a time, so a page may be short,
   * or empty, and others follow.
   */
  readonly older: string | null
}

/** Arrivals by status and departures by kind, of one category; of all together without an id. */
export interface ReportLine {
  readonly id?: string
  readonly available: number
  readonly pending: number
  readonly none: number
  readonly sold: number
  readonly removed: number
}

/** The report of a month, in the shelter's time zone; ../domain/report.ts says what its words mean. Null where nothing is known. */
export interface OfficeReport {
  /** As `2026-11`. */
  readonly month: string
  readonly zone: string
  readonly atMs: number
  readonly categories: readonly ReportLine[]
  readonly purged: { readonly in: number; readonly out: number }
  readonly wait: {
    readonly available: number
    readonly pending: number
    readonly none: number
    readonly unknown: number
    readonly imported: number
    readonly medianDays: number | null
    readonly longestDays: number | null
  }
  readonly missing: { readonly animals: number; readonly untilMs: number | null } | null
  readonly acts: readonly { readonly who: string; readonly act: string; readonly times: number }[]
}

export interface OfficeKey {
  readonly id: string
  readonly label: string
  readonly plan: Plan
  readonly state: KeyState
  readonly createdAtMs: number
  readonly expiresAtMs: number | null
  readonly lastUsedAtMs: number | null
  /** The keys that it replaced and that still work. */
  readonly replaces: readonly { readonly id: string; readonly expiresAtMs: number | null }[]
  readonly minute: WindowUse
  readonly day: WindowUse
  /** Requests refused today (UTC), as in the ledger: with this key and those that it replaced or that replaced it. */
  readonly refused: number
  /** Null unless it is banned. */
  readonly bannedUntilMs: number | null
  /** The latest ban that was noted, whether it is over or not. */
  readonly ban: Ban | null
}

export interface KeyDetails {
  readonly key: OfficeKey
  /** The newest key of its lineage, if that is another one. */
  readonly successor: { readonly id: string; readonly createdAtMs: number } | null
}

/** What a key was used for, with those that it replaced and that replaced it, out of the ledger. */
export interface KeyUse {
  readonly key: OfficeKey
  /** By day (UTC) and operation: those of the last 60 days that are not zero, in the order of time. */
  readonly days: readonly { readonly dayMs: number; readonly operation: LedgerOperation; readonly sums: Sums }[]
  /** The first instant of today, UTC. */
  readonly todayMs: number
}

export interface KeyPage {
  readonly total: number
  /** How many keys the search found. */
  readonly found: number
  readonly page: number
  readonly pages: number
  readonly keys: readonly OfficeKey[]
}

export interface NewKey {
  readonly label: string
  readonly plan: Plan
  /** Required on the Enterprise plan, refused on the others. */
  readonly perMinute?: number
  readonly perDay?: number
  readonly expiresAtMs?: number
  readonly passphrase: string
}

/** Changes to a key; absent members stay as they are. */
export type KeyTerms = Partial<Pick<NewKey, 'label' | 'plan' | 'perMinute' | 'perDay'>>

export interface IssuedKey {
  readonly key: OfficeKey
  /** Shown once. */
  readonly secret: string
  /** When the replaced key stops working; null for a new key. */
  readonly oldUntilMs: number | null
}
