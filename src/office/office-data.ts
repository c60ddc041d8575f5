/**
 * What the office's page and its server say to each other: JSON over the operator port, every path below `/api`. Types
 * only, so that the code of the page can import them too. An int64 is decimal text, a time is Unix ms, and a status of
 * null is none (O4).
 *
 * Without a session: POST and DELETE /api/session, POST /api/invitation. Everything else answers 401 `signed_out`
 * without one, also when it ended after the request began, 403 `forbidden` to a role below the one named, and 403
 * `foreign` to a write from another origin or without the session's token (header `X-Session-Token`). Failures have the
 * body OfficeError. Where a passphrase is asked for again, a wrong one is 403 `passphrase`, and too many are 429
 * `wait`. A request that the page makes by itself carries the header `X-Unattended`, and is no use of the session.
 *
 * | method and path | role | body | response |
 * |---|---|---|---|
 * | POST /api/session | - | SignIn | Session, or 401 `refused`, or 429 `wait` with Retry-After |
 * | POST /api/invitation/look | - | { invitation } | Invited, or 404 `not_found` |
 * | POST /api/invitation | - | Acceptance | Session, or 404 `not_found`, or 400 `invalid` |
 * | GET /api/session | staff | | Session |
 * | DELETE /api/session | - | | 204, or 202 SignOutPending; the cookie is cleared with both |
 * | GET /api/animals?text=&status=&category=&sort=name&before=&after=&limit= | staff | | AnimalPage |
 * | GET /api/animals/namesakes?name= | staff | | Namesake[], newest first, five at most |
 * | GET /api/animals/ID | staff | | AnimalView, or 404 |
 * | POST /api/animals | staff | NewAnimal | 201 Animal; the same `once` again gives the same animal, 200 |
 * | POST /api/animals/status | staff | StatusChange | StatusChanged |
 * | PATCH /api/animals/ID | staff | AnimalChange | Animal, or 409 Conflict, or 404 |
 * | POST /api/animals/ID/remove | manager | { version } | Animal, or 409 Conflict, or 404 |
 * | POST /api/animals/ID/restore | manager | {} | Animal, or 404 |
 * | GET /api/categories | staff | | Category[] |
 * | PUT /api/categories/ID | manager | { label: string or null } | Category[] |
 * | POST /api/uploads | manager | multipart, one file | Upload; kept for an hour, for this person |
 * | POST /api/uploads/ID | manager | { mapping } | Upload, read again with `--map`'s rules |
 * | POST /api/imports | manager | ImportRequest | ImportResult |
 * | GET /api/imports | manager | | ImportSummary[] |
 * | POST /api/imports/N/undo | manager | {} | { removed, kept }, or 404 |
 * | GET /api/export?format=csv|ndjson&for=spreadsheet | manager | | a download |
 * | GET /api/keys?text=&sort=newest|used|refused&page= | operator | | KeyPage |
 * | POST /api/keys | operator | NewKey | 201 IssuedKey |
 * | POST /api/keys/ID/rotate | operator | { overlapS, passphrase } | 201 IssuedKey |
 * | POST /api/keys/ID/revoke | operator | { label } | OfficeKey, or 400 if the label is not the key's |
 * | GET /api/people | operator | | Person[] |
 * | POST /api/people | operator | NewPerson | 201 Invitation, or 409 `conflict` if the name is there |
 * | POST /api/people/NAME/reset | operator | PassphraseReset | 201 Invitation |
 * | POST /api/people/NAME/role | operator | RoleChange | Person[] |
 * | POST /api/people/NAME/revoke | operator | {} | Person[] |
 * | GET /api/journal?petId=&keyId=&who=&since=&before= | operator | | JournalPage |
 * | GET /api/dashboard/events | operator | | server-sent events: `history` Sample[], then `sample` Sample |
 * | GET /api/dashboard | operator | | DashboardState |
 */

import type { Plan } from '../contract/plans.ts'
import type { PetStatus } from '../contract/schemas.ts'
import type { WindowUse } from '../operator/dashboard-data.ts'
import type { JournalAct } from '../store/rules/journal.ts'
import type { Role } from '../store/rules/roles.ts'
import type { KeyState, PetCounts } from '../store/store.ts'

export type { Role }

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
    | 'unavailable'
    | 'internal_error'
  /** A sentence for people: what is wrong, and what to do. */
  readonly message: string
}

export interface SignIn {
  readonly name: string
  readonly passphrase: string
}

/** The end of the session is not stored yet, because the database does not answer. */
export interface SignOutPending {
  /** A sentence for people. */
  readonly message: string
}

export interface Session {
  readonly name: string
  readonly role: Role
  /** Sent with each write as `X-Session-Token`. */
  readonly token: string
  /** The public base address, for the `curl` line of a new key. */
  readonly baseUrl: string
  readonly endsAtMs: number
}

export interface Invited {
  readonly name: string
  readonly role: Role
}

export interface Acceptance {
  /** The secret at the end of the link, `…/#invitation=SECRET`. */
  readonly invitation: string
  /** At least 12 characters. */
  readonly passphrase: string
}

export type Status = PetStatus | null

export interface Animal {
  readonly id: string
  /** In a list, and after a change of several animals, the beginning of a long name. */
  readonly name: string
  readonly categoryId: string
  readonly status: Status
  /** Grows with each change. A change names the version that it was made from. */
  readonly version: string
  /** Null while the interface shows the animal. */
  readonly removedAtMs: number | null
}

/**
 * Newest first, or by name. On the first page, the animal whose number the text is precedes them, removed or not. A
 * search that takes longer than a second returns what it has found, possibly nothing, and continues at `older` (at
 * `newer` if those were asked for).
 */
export interface AnimalPage {
  readonly asOfMs: number
  readonly animals: readonly Animal[]
  /** Who removed the removed ones, by number, where the journal says it. */
  readonly removedBy: Readonly<Record<string, string>>
  /** False if there was no time for the order of names that was asked for: these are the newest. */
  readonly isByName: boolean
  /** Of the text and category, whatever the status; the removed only if they are asked for. */
  readonly counts: PetCounts & { readonly removed: number }
  /** False if there was no time to count: there are at least as many. */
  readonly isCounted: boolean
  /** The place of the first animal in the whole list, from 1 on; null if it is not known. */
  readonly first: number | null
  /** For `after`, as is `end` for the last page; null on the first page. */
  readonly newer: string | null
  /** For `before`; null on the last page. */
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
  /** Newest first. */
  readonly history: readonly JournalLine[]
}

export interface NewAnimal {
  readonly name: string
  readonly categoryId: string
  readonly status: Status
  /** 128 random bits in hexadecimal, made with the form: an animal sent twice is added once. */
  readonly once: string
}

export interface AnimalChange {
  readonly version: string
  readonly name?: string
  readonly categoryId?: string
  readonly status?: Status
}

/** Sets one status. Animals changed since the version named are left as they are. */
export interface StatusChange {
  readonly animals: readonly { readonly id: string; readonly version: string }[]
  readonly status: Status
}

export interface StatusChanged {
  /** As they are now, with their new versions. */
  readonly changed: readonly Animal[]
  /** The others as they are now, after somebody else's change. */
  readonly conflicts: readonly Animal[]
  /** Ids of animals that are purged or were never there. */
  readonly missing: readonly string[]
}

export interface Conflict extends OfficeError {
  readonly code: 'conflict'
  readonly current: Animal
}

export interface Category {
  readonly id: string
  readonly label: string
}

/** An uploaded file after its dry run. */
export interface Upload {
  readonly id: string
  readonly file: string
  /** The format and columns understood, in one line. */
  readonly understood: string
  readonly animals: number
  /** The first ten. */
  readonly preview: readonly { readonly name: string; readonly categoryId: string; readonly status: Status }[]
  /** The first twenty bad rows. */
  readonly problems: readonly { readonly line: number; readonly text: string }[]
  readonly badRows: number
  /** How many look like animals that are there already. */
  readonly duplicates: number
  /** Why the file cannot be read; then nothing else is known of it. */
  readonly unreadable: string | null
}

export interface ImportRequest {
  readonly upload: string
  readonly skipInvalid: boolean
  readonly allowDuplicates: boolean
}

export interface ImportResult {
  readonly n: string
  readonly animals: number
  readonly skipped: number
}

/** Newest first. */
export interface ImportSummary {
  readonly n: string
  readonly atMs: number
  readonly who: string
  readonly source: string
  readonly animals: number
  readonly undoneAtMs: number | null
}

export interface OfficeKey {
  readonly id: string
  readonly label: string
  readonly plan: Plan
  readonly state: KeyState
  readonly createdAtMs: number
  readonly expiresAtMs: number | null
  readonly lastUsedAtMs: number | null
  readonly minute: WindowUse
  readonly day: WindowUse
  /** Requests with this key that this process has refused. */
  readonly refused: number
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
  /** Both for the Enterprise plan, and only for it. */
  readonly perMinute?: number
  readonly perDay?: number
  readonly expiresAtMs?: number
  readonly passphrase: string
}

export interface IssuedKey {
  readonly key: OfficeKey
  /** Shown once. */
  readonly secret: string
  /** When the replaced key stops working; null for a new key. */
  readonly oldUntilMs: number | null
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
  /** For `before`; null on the last page. */
  readonly older: string | null
}

export interface DashboardState {
  readonly atMs: number
  /** Null if the service makes no backups by itself. */
  readonly backups: {
    readonly lastSuccessMs: number | null
    readonly failures: number
    readonly everyMs: number
  } | null
  /** A sentence for each thing that is wrong at the moment. */
  readonly troubles: readonly string[]
  readonly version: string
  readonly startedAtMs: number
}
