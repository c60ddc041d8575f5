/** Files of animals: upload, dry run, import, undo, and export. */

import { PetStatus, type Static } from '../../contract/schemas.ts'
import { MISSING, type SyncKind } from '../../rules/sync.ts'
import type { ImportRecord } from '../../store/imports.ts'
import type { Group } from '../../store/staging.ts'
import type { UndoResult } from '../../store/sync.ts'
import { type Animal, FILTERS } from './animals.ts'
import { FLAG, json, list, object, type Sent, TEXT } from './route.ts'

/** How a file is synced, as by `pets sync`. */
const SYNC_SETTINGS = object({
  /** The heading of the other system's number of each animal. */
  reference: TEXT,
  /** What happens to animals of the previous list that are missing from this one. */
  missing: { enum: MISSING },
})
const IMPORT = object(
  {
    upload: TEXT,
    skipInvalid: FLAG,
    /** Rows that look like existing animals: refuse the import, add them too, or skip them. */
    duplicates: { enum: ['refuse', 'add', 'leave out'] },
  },
  {
    /** Whether very many animals may change. */
    agrees: FLAG,
    /** Whether animals of another name and category are the same ones, renamed. */
    renames: FLAG,
    /** Whether rows that match an animal each are these animals; or the references of those that are. */
    adopts: { anyOf: [FLAG, list(TEXT, 100)] },
  },
)

export type SyncSettings = Static<typeof SYNC_SETTINGS>
export type ImportRequest = Static<typeof IMPORT>

/** An uploaded file after its dry run. */
export interface Upload {
  readonly id: string
  readonly file: string
  /** The format and columns understood, in one line. */
  readonly understood: string
  /** Sentences about what `found` does not have, such as ignored columns. */
  readonly notes: readonly string[]
  /** Columns and values whose meaning can be chosen; null unless the file is CSV with a heading. */
  readonly found: FileMapping | null
  readonly animals: number
  /** The first ten. */
  readonly preview: readonly FileValues[]
  /** The first twenty bad rows. */
  readonly problems: readonly { readonly line: number; readonly text: string }[]
  readonly badRows: number
  /** What is added, changed and `alike` (duplicates), by status and category; of very many the most frequent. */
  readonly groups: readonly FileGroup[]
  /** Rows left out because their animals have left the shelter, and the words that say so. */
  readonly gone: {
    readonly rows: number
    readonly words: readonly { readonly word: string; readonly rows: number }[]
    readonly categories: readonly { readonly id: string; readonly rows: number }[]
  }
  /** The categories that the import will create. */
  readonly newCategories: readonly { readonly id: string; readonly name: string }[]
  /** The changes, if the file is synced; null if it only adds. */
  readonly sync: SyncPreview | null
  /** Rows that look like existing animals. */
  readonly duplicates: number
  /** Why the file cannot be read; then nothing else is known of it. */
  readonly unreadable: string | null
}

export type FileGroup = Sent<Group>

/** An animal here that a row of a file could be. */
export type Candidate = Pick<Animal, 'id' | 'status'> & { readonly sinceMs: number | null }

/** See ../../animals-file/csv-report.ts. */
export interface FileMapping {
  readonly headings: readonly string[]
  /** The heading of each field's column; null if it has none. */
  readonly columns: Readonly<Record<'name' | 'categoryId' | 'status', string | null>>
  /** The heading of the column that looks like the other system's number of each animal. */
  readonly reference: string | null
  readonly words: readonly {
    readonly field: 'status' | 'categoryId'
    readonly word: string
    readonly rows: number
    /** A status, empty for none, or `gone`; a category's number; null if it is not understood. */
    readonly meaning: string | null
  }[]
  /** How many more values there are. */
  readonly moreWords: number
}

/** An animal that a file changes: as it was, if it was there, and as it will be. */
export interface FileChange {
  readonly kind: SyncKind
  /** Null for one that is new. */
  readonly id: string | null
  readonly reference: string
  readonly before: FileValues | null
  readonly now: FileValues
}

/** The name is the beginning of a long one. */
type FileValues = Pick<Animal, 'name' | 'categoryId' | 'status'>

export interface SyncPreview {
  /** The first animals that change. */
  readonly changes: readonly FileChange[]
  /** How many animals, by kind of change. */
  readonly counts: Readonly<Record<SyncKind, number>>
  /** Rows that are added although several existing animals match, because the match is ambiguous. */
  readonly unclear: number
  /** The first of these, with the animals that each could be. */
  readonly unclearRows: readonly {
    readonly reference: string
    readonly name: string
    readonly animals: readonly Candidate[]
  }[]
  /** Rows that match one animal each by name and category: are they these animals, or new? */
  readonly alike: {
    readonly rows: number
    readonly first: readonly (Candidate & { readonly reference: string; readonly name: string })[]
  }
  /** Animals of the previous list that are missing from this one. */
  readonly unlisted: number
  /** Set if so many references stand for animals of another name and category that a person must say who they are. */
  readonly reassigned: {
    readonly animals: number
    readonly reference: string
    readonly was: string
    readonly now: string
  } | null
  /** Set if so many animals change that a person must agree. */
  readonly tooMany: { readonly changed: number; readonly of: number } | null
}

export interface ImportResult {
  /** Null if nothing changed. */
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

/** What undoing an import would do. */
export interface UndoPreview extends Omit<UndoResult, 'keptIds'> {
  /** The first of the kept. */
  readonly changed: readonly { readonly id: string; readonly name: string }[]
}

export const IMPORT_ROUTES = {
  /** A multipart form with one file, which is kept for an hour, for this person. */
  'POST /api/uploads': { role: 'manager', expectsUpload: true, response: json<Upload>() },
  /** The file read again, with these rules of `--map`. */
  'POST /api/uploads/:id': {
    role: 'manager',
    body: object(
      { rules: { type: 'array', items: TEXT } },
      {
        sync: SYNC_SETTINGS,
        /** Whether unknown names of categories become new categories; in an empty office they always do. */
        newCategories: FLAG,
      },
    ),
    response: json<Upload>(),
  },
  'POST /api/imports': { role: 'manager', body: IMPORT, response: json<ImportResult>() },
  /** Newest first. */
  'GET /api/imports': { role: 'manager', response: json<readonly ImportSummary[]>() },
  /** What an undo would do. */
  'GET /api/imports/:n/undo': { role: 'manager', response: json<UndoPreview>() },
  'POST /api/imports/:n/undo': { role: 'manager', response: json<Omit<UndoPreview, 'changed'>>() },
  /** A spreadsheet of all animals, or of those found. */
  'GET /api/export': {
    role: 'manager',
    query: object({}, { ...FILTERS, status: { enum: [...PetStatus.enum, 'none'] } }),
  },
} as const
