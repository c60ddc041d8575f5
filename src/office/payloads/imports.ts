/** Files of animals: upload, dry run, import, undo, and export. */

import type { ProposedLine } from '../../animals-file/proposal.ts'
import type { Candidate } from '../../animals-file/table.ts'
import { PetStatus, type Static } from '../../contract/schemas.ts'
import type { Missing, SyncKind } from '../../rules/sync.ts'
import type { ImportRecord } from '../../store/imports.ts'
import type { Group } from '../../store/staging.ts'
import type { UndoResult } from '../../store/sync.ts'
import { type Animal, FILTERS } from './animals.ts'
import { FLAG, json, list, object, type Sent, TEXT } from './route.ts'

const IMPORT = object(
  {
    upload: TEXT,
    skipInvalid: FLAG,
    /** Rows that look like existing animals: refuse the import, add them too, or skip them. */
    duplicates: { enum: ['refuse', 'add', 'leave out'] },
  },
  {
    /** Whether many animals can change, and references mean other animals. */
    agrees: FLAG,
    /** Whether rows that match an animal each are these animals; or the references of those that are. */
    adopts: { anyOf: [FLAG, list(TEXT, 100)] },
  },
)

export type ImportRequest = Static<typeof IMPORT>

export interface Upload {
  readonly id: string
  readonly file: string
  /** How it is read: "Read as UTF-8, CSV with commas", and by whose confirmation. */
  readonly readAs: string
  /** When and by whom the mapping was confirmed; null if nobody has yet, or nothing has to be confirmed. */
  readonly confirmed: { readonly who: string; readonly atMs: number } | null
  /** The mapping, line by line, with a `?` for each question; empty if it cannot be changed. */
  readonly lines: readonly ProposedLine[]
  readonly columns: readonly Candidate[]
  readonly notes: readonly string[]
  /** Undefined while a question about its columns is open: nothing is known of the rows then. */
  readonly found?: FileFound
  /** Why the file cannot be read; then nothing else is known of it. */
  readonly unreadable: string | null
}

/** What would be done with the rows of a file. All rows are added, changed, as before, skipped or asked. */
export interface FileFound {
  /** Animals as they are in the file. */
  readonly animals: number
  readonly changes: readonly FileChange[]
  readonly problems: readonly { readonly line: number; readonly text: string }[]
  readonly badRows: number
  /** What the numbers of problems count. */
  readonly unit: 'line' | 'object'
  /** What is added, changed and `alike` (duplicates), by status and category; of very many the most frequent. */
  readonly groups: readonly FileGroup[]
  readonly skipped: readonly { readonly rows: number; readonly reason: string }[]
  readonly newCategories: readonly { readonly id: string; readonly name: string }[]
  /** How animals that are here change, if the file is synced; null if it only adds. */
  readonly sync: SyncPreview | null
  readonly duplicates: number
}

export type { Candidate, ProposedLine }

export type FileGroup = Sent<Group>

export type LikeAnimal = Pick<Animal, 'id' | 'status'> & { readonly sinceMs: number | null }

export interface FileChange {
  readonly kind: SyncKind
  /** Null for one that is new. */
  readonly id: string | null
  /** Empty if the file has none. */
  readonly reference: string
  readonly before: FileValues | null
  readonly now: FileValues
}

type FileValues = Pick<Animal, 'name' | 'categoryId' | 'status'>

export interface SyncPreview {
  readonly counts: Readonly<Record<SyncKind, number>>
  /** Rows that are added although several existing animals match, because the match is ambiguous. */
  readonly unclear: number
  /** The first of these, with the animals that each could be. */
  readonly unclearRows: readonly {
    readonly reference: string
    readonly name: string
    readonly animals: readonly LikeAnimal[]
  }[]
  /** Rows that match one animal each by name and category: are they these animals, or new? */
  readonly alike: {
    readonly rows: number
    readonly first: readonly (LikeAnimal & { readonly reference: string; readonly name: string })[]
  }
  /** Animals of the list before that are missing from this one. */
  readonly unlisted: number
  readonly unlistedRows: readonly (Pick<Animal, 'id' | 'name' | 'status'> & { readonly reference: string })[]
  readonly missing: Missing
  /** What a person must agree to, as sentences; null if nothing. */
  readonly guard: string | null
}

export interface ImportResult {
  readonly n: string | null
  /** Those that were imported, or of a sync those of the file. */
  readonly animals: number
  /** How many animals changed, by kind; null if the file only added animals. */
  readonly counts: SyncPreview['counts'] | null
  readonly badRows: number
  /** Left out, as animals that are there already. */
  readonly duplicates: number
}

export type ImportSummary = Sent<ImportRecord>

export interface UndoPreview extends Omit<UndoResult, 'keptIds'> {
  readonly changed: readonly { readonly id: string; readonly name: string }[]
}

export const IMPORT_ROUTES = {
  /** A multipart form with one file, which is kept for an hour, for this person. */
  'POST /api/uploads': { role: 'manager', expectsUpload: true, response: json<Upload>() },
  'GET /api/uploads': { role: 'manager', response: json<Upload | null>() },
  /** The file read again by this mapping; without one as it was read first. */
  'POST /api/uploads/:id': { role: 'manager', body: object({}, { mapping: TEXT }), response: json<Upload>() },
  'POST /api/imports': { role: 'manager', body: IMPORT, response: json<ImportResult>() },
  'GET /api/imports': { role: 'manager', response: json<readonly ImportSummary[]>() },
  'GET /api/imports/:n/undo': { role: 'manager', response: json<UndoPreview>() },
  'POST /api/imports/:n/undo': { role: 'manager', response: json<Omit<UndoPreview, 'changed'>>() },
  'GET /api/export': {
    role: 'manager',
    query: object({}, { ...FILTERS, status: { enum: [...PetStatus.enum, 'none'] } }),
  },
} as const
