/** What the office's page and its server say to each other of files that are imported; see office-data.ts. */

import type { PetStatus } from '../contract/schemas.ts'
import type { Missing, SyncKind } from '../store/sync.ts'

/** An uploaded file after its dry run. */
export interface Upload {
  readonly id: string
  readonly file: string
  /** The format and columns understood, in one line. */
  readonly understood: string
  /** Sentences on what is not in `found`, as columns left out. */
  readonly notes: readonly string[]
  /** Columns and words to choose for; null for what is no CSV with a heading. */
  readonly found: FileMapping | null
  readonly animals: number
  /** The first ten. */
  readonly preview: readonly { readonly name: string; readonly categoryId: string; readonly status: PetStatus | null }[]
  /** The first twenty bad rows. */
  readonly problems: readonly { readonly line: number; readonly text: string }[]
  readonly badRows: number
  /** Rows that are left out, as their animals are not there any more. */
  readonly gone: number
  /** Names for which there will be categories. */
  readonly newCategories: readonly { readonly id: string; readonly name: string }[]
  /** What becomes of the animals if the file updates them; null if it adds its own. */
  readonly update: SyncPreview | null
  /** How many look like animals that are there already. */
  readonly duplicates: number
  /** Why the file cannot be read; then nothing else is known of it. */
  readonly unreadable: string | null
}

/** See ../animals-file/value-counts.ts. */
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
  /** Words that there is no room for. */
  readonly moreWords: number
}

/** That a file updates the animals that are there. */
export interface Updating {
  /** The heading of the other system's number of each animal. */
  readonly reference: string
  /** What becomes of animals of the list before that the file does not have any more. */
  readonly missing: Missing
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

interface FileValues {
  /** The beginning of a long one. */
  readonly name: string
  readonly categoryId: string
  readonly status: PetStatus | null
}

export interface SyncPreview {
  /** The first animals that change. */
  readonly changes: readonly FileChange[]
  /** The animals that are added, or taken for one of the file, and so on. */
  readonly counts: Readonly<Record<SyncKind, number>>
  /** Rows that are added although animals look like them, since it is not clear which of these is meant. */
  readonly unclear: number
  /** The first of these, with the animals that each could be. */
  readonly unclearRows: readonly {
    readonly reference: string
    readonly name: string
    readonly ids: readonly string[]
  }[]
  /** Animals of the list before that the file does not have any more. */
  readonly unlisted: number
  /** So many that a person should agree to it; null otherwise. */
  readonly tooMany: { readonly changed: number; readonly of: number } | null
}

export interface ReadRequest {
  /** Rules of `--map`. */
  readonly rules: readonly string[]
  readonly update?: Updating
  /** Whether names of categories that are not there become new ones. In an empty office they do anyway. */
  readonly newCategories?: boolean
}

export interface ImportRequest {
  readonly upload: string
  readonly skipInvalid: boolean
  /** What becomes of animals that look like some that are there: nothing is imported, or they too, or the others. */
  readonly duplicates: 'refuse' | 'add' | 'leave out'
  /** Whether very many animals may be updated. */
  readonly agrees?: boolean
}

export interface ImportResult {
  /** Null if everything was so already. */
  readonly n: string | null
  readonly animals: number
  /** What the file has updated; null if it has added its animals. */
  readonly updated: SyncPreview['counts'] | null
  /** Bad rows. */
  readonly skipped: number
  /** Animals that are there already. */
  readonly leftOut: number
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

/** What undoing an import would do. */
export interface UndoPreview {
  readonly removed: number
  /** Of a sync: as they were before. */
  readonly putBack?: number
  /** Those that somebody has changed since. */
  readonly kept: number
  /** The first of these. */
  readonly changed: readonly { readonly id: string; readonly name: string }[]
}
