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

export interface TableHints extends Partial<Record<'header' | Setting['name'], string>> {
  /** Folded headers of a mapping. */
  readonly wanted: ReadonlySet<string>
  readonly rowLimit: number
}

export interface Setting {
  readonly name: 'sheet' | 'list' | 'encoding'
  readonly value: string
  readonly candidates: readonly Candidate[]
}

export type Candidate = { readonly value: string; readonly shows: string; readonly isDate?: boolean }

export interface Table {
  readonly format: string
  readonly unit: 'line' | 'object'
  readonly layout: Layout
  readonly settings: readonly Setting[]
  readonly notes?: readonly string[]
  /** All records from the first line on. Can be read again. */
  readonly items: () => AsyncIterable<readonly SourceItem[]>
}

export function isBlank(record: readonly string[]): boolean {
  return record.every((value) => value.length < 8 && value.replaceAll('\x1a', '').trim() === '')
}
