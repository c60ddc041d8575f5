/** A file as a table: a header and records below it, whatever the format. */

/** A record of a table, and the line or row of its end, counted from 1. */
export type TableRecord = { readonly line: number; readonly record: readonly string[] }

/** A record, or why it cannot be read, or a row that people do not see. */
export type SourceItem =
  | TableRecord
  | { readonly line: number; readonly problem: string }
  | { readonly line: number; readonly isHidden: true }

export interface Layout {
  /** A heading that is there several times has its number behind it: "Status", "Status (2)". */
  readonly header: readonly string[]
  /** The headings as the file has them, folded. */
  readonly folded: readonly string[]
  /** The last line of the header; 0 if there is none, as in JSON. The animals begin below it. */
  readonly headerLine: number
  /** The lines above the header that are not blank. */
  readonly above: readonly { readonly line: number; readonly text: string }[]
}

/** How a mapping says where the table is. */
export interface TableHints {
  /** Folded headings that a mapping names. */
  readonly wanted: ReadonlySet<string>
  readonly header?: string | undefined
  readonly sheet?: string | undefined
  readonly list?: string | undefined
  readonly encoding?: string | undefined
  /** In bytes, the maximum size of a row. */
  readonly rowLimit: number
}

/** What the file itself leaves open or has settled: a sheet, a list of JSON, an encoding. */
export interface Setting {
  readonly name: 'sheet' | 'list' | 'encoding'
  /** `?` if it is not clear. */
  readonly value: string
  /** Each with what it looks like. */
  readonly candidates: readonly Candidate[]
}

/** A possible answer, with an example of what it means in the file. */
export interface Candidate {
  readonly value: string
  readonly shows: string
}

export interface Table {
  /** What kind of file it is, as in "Read as CSV with commas". */
  readonly format: string
  readonly layout: Layout
  readonly settings: readonly Setting[]
  /** Sentences for the person who imports it. */
  readonly notes: readonly string[]
  /** All records from the first line on. Can be read again. */
  readonly items: () => AsyncIterable<readonly SourceItem[]>
}

export function isBlank(record: readonly string[]): boolean {
  return record.every((value) => value.length < 8 && value.replaceAll('\x1a', '').trim() === '')
}
