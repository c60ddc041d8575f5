/** The requests and responses of imports, between the office's page and its server; see office-data.ts. */

import type { PetStatus } from '../contract/schemas.ts'
import type { Missing, SyncKind } from '../store/sync.ts'

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
  readonly preview: readonly { readonly name: string; readonly categoryId: string; readonly status: PetStatus | null }[]
  /** The first twenty bad rows. */
  readonly problems: readonly { readonly line: number; readonly text: string }[]
  readonly badRows: number
  /** Rows skipped because their animals have left the shelter. */
  readonly gone: number
  /** The categories that the import will create. */
  readonly newCategories: readonly { readonly id: string; readonly name: string }[]
  /** The changes, if the file updates animals; null if it only adds. */
  readonly update: SyncPreview | null
  /** Rows that look like existing animals. */
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
  /** How many more values there are. */
  readonly moreWords: number
}

/** How a file updates existing animals. */
export interface Updating {
  /** The heading of the other system's number of each animal. */
  readonly reference: string
  /** What happens to animals of the previous list that are missing from this one. */
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
  /** How many animals, by kind of change. */
  readonly counts: Readonly<Record<SyncKind, number>>
  /** Rows that are added although several existing animals match, because the match is ambiguous. */
  readonly unclear: number
  /** The first of these, with the animals that each could be. */
  readonly unclearRows: readonly {
    readonly reference: string
    readonly name: string
    readonly ids: readonly string[]
  }[]
  /** Rows that match one animal each by name and category: are they these animals, or new? */
  readonly alike: {
    readonly rows: number
    readonly first: readonly { readonly reference: string; readonly name: string; readonly id: string }[]
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

export interface ReadRequest {
  /** Rules of `--map`. */
  readonly rules: readonly string[]
  readonly update?: Updating
  /** Whether unknown names of categories become new categories; in an empty office they always do. */
  readonly newCategories?: boolean
}

export interface ImportRequest {
  readonly upload: string
  readonly skipInvalid: boolean
  /** Rows that look like existing animals: refuse the import, add them too, or skip them. */
  readonly duplicates: 'refuse' | 'add' | 'leave out'
  /** Whether very many animals may be updated. */
  readonly agrees?: boolean
  /** Whether animals of another name and category are the same ones, renamed. */
  readonly renames?: boolean
  /** Whether rows that match an animal each are these animals; or the references of those that are. */
  readonly adopts?: boolean | readonly string[]
}

export interface ImportResult {
  /** Null if nothing changed. */
  readonly n: string | null
  readonly animals: number
  /** How many animals changed, by kind; null if the file only added animals. */
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
  /** Of a sync: animals restored to their previous values. */
  readonly putBack?: number
  /** Animals that stay, because somebody has changed them since. */
  readonly kept: number
  /** The first of these. */
  readonly changed: readonly { readonly id: string; readonly name: string }[]
}
