/** A file as a table: a header and records below it, whatever the format. */

export type TableRecord = { readonly line: number; readonly record: readonly string[] }

/** A record, or why it cannot be read, or a row that people do not see. */
export type SourceItem =
  | TableRecord
  | { readonly line: number; readonly problem: string }
  | { readonly line: number; readonly isHidden: true }

export interface Layout {
  /** A heading that is there several times has its number behind it: "Status", "Status (2)". */
  readonly header: readonly string[]
  readonly folded: readonly string[]
  /** The last line of the header; 0 if there is none, as in JSON. The animals begin below it. */
  readonly headerLine: number
  readonly above: readonly string[]
}

/** How a mapping says where the table is. */
export interface TableHints {
  /** Folded headings that a mapping names. */
  readonly wanted: ReadonlySet<string>
  readonly header?: string | undefined
  readonly sheet?: string | undefined
  readonly list?: string | undefined
  readonly encoding?: string | undefined
  readonly rowLimit: number
}

/** What the file itself leaves open or has settled: a sheet, a list of JSON, an encoding. */
export interface Setting {
  readonly name: 'sheet' | 'list' | 'encoding'
  readonly value: string
  readonly candidates: readonly Candidate[]
}

export interface Candidate {
  /** Of a column: whether it has dates. */
  readonly isDate?: boolean
  readonly value: string
  readonly shows: string
}

export interface Table {
  readonly format: string
  /** What an item is counted by. */
  readonly unit: 'line' | 'object'
  readonly layout: Layout
  readonly settings: readonly Setting[]
  readonly notes: readonly string[]
  /** All records from the first line on. Can be read again. */
  readonly items: () => AsyncIterable<readonly SourceItem[]>
}

export function isBlank(record: readonly string[]): boolean {
  return record.every((value) => value.length < 8 && value.replaceAll('\x1a', '').trim() === '')
}
