/** A file of any format as a table: a header and records. */

export type TableRecord = { readonly line: number; readonly record: readonly string[] }

/** A record, why it cannot be read, or a hidden row. */
export type SourceItem =
  | TableRecord
  | { readonly line: number; readonly problem: string }
  | { readonly line: number; readonly isHidden: true }

export interface Layout {
  /** A repeated header has a number: "Status", "Status (2)". */
  readonly header: readonly string[]
  readonly folded: readonly string[]
  /** The last line of the header; 0 without one, as in JSON. */
  readonly headerLine: number
  readonly above: readonly string[]
}

/** How a mapping says where the table is. */
export interface TableHints {
  /** Folded headers of a mapping. */
  readonly wanted: ReadonlySet<string>
  readonly header?: string | undefined
  readonly sheet?: string | undefined
  readonly list?: string | undefined
  readonly encoding?: string | undefined
  readonly rowLimit: number
}

/** What the file itself leaves open or settles: a sheet, a JSON list, an encoding. */
export interface Setting {
  readonly name: 'sheet' | 'list' | 'encoding'
  readonly value: string
  readonly candidates: readonly Candidate[]
}

export interface Candidate {
  /** Whether a column has dates. */
  readonly isDate?: boolean
  readonly value: string
  readonly shows: string
}

export interface Table {
  readonly format: string
  /** The unit of the numbers of items. */
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
