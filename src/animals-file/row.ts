/** What is read from a file of animals, row by row: an animal, or what is wrong with the row or with the whole file. */
import { ExplainedError } from '../common/errors.ts'
import { printable } from '../common/printable.ts'
import { parseInt64 } from '../contract/int64.ts'
import { type Checked, isStorableText } from '../contract/validate.ts'
import type { ImportedPet } from '../store/imports.ts'
import type { Categories } from './categories.ts'
import type { Mapping } from './mapping.ts'

/** An animal of a file; with the reference that another system has for it, if those are read. */
export type FilePet = ImportedPet & { readonly reference?: string }

/** Either an animal, or the problems of the row at `line` (counted from 1). */
export type Row = { readonly line: number } & Checked<FilePet>

/** A row before those are left out that are about an animal of another row, or about one that is gone. */
export type ReadRow = Row & {
  readonly isGone?: boolean
  /** What other rows of the same animal have too. */
  readonly same?: string | undefined
  /** When the animal came and when this was so, as numbers that can be compared. */
  readonly at?: readonly [came: number, left: number]
}

export interface ReadOptions {
  /** The most bytes of one row. It bounds memory and time for any file. */
  readonly rowLimit: number
  /** Each row has the id of its animal. */
  readonly withIds: boolean
  readonly mapping: Mapping
  /** Bad rows are left out; without it, a file that has some is refused. */
  readonly skipInvalid?: boolean
  /** The animals are known by references, of which each row must have one. */
  readonly isSync?: boolean
  /** The heading of the references, or in NDJSON their member. */
  readonly reference?: string | undefined
  /** What names of categories mean; without it they are numbers only. */
  readonly categories?: Categories
  /** The file's name, which may say of what kind its animals are. */
  readonly source?: string
}

/** In characters. */
const LONGEST_REFERENCE = 200
export const REFERENCE_RULE = `the reference must be text of 1 to ${LONGEST_REFERENCE} characters`

/** The reference of a row, or undefined if it is none. */
export function referenceOf(text: string): string | undefined {
  const reference = text.trim().normalize()
  return reference !== '' && reference.length <= LONGEST_REFERENCE && isStorableText(reference) ? reference : undefined
}

/** A message shows at most this much of a value, in UTF-16 units. */
const SHOWN = 60

export function shown(value: string): string {
  const text = value.trim()
  return `"${printable(text.slice(0, SHOWN))}${text.length > SHOWN ? '…' : ''}"`
}

/** A heading or a word that was understood as it stands in the file, on one line. */
export function onOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** Half of all ids are reserved for animals that come later: ids are assigned upwards from the greatest one. */
const MAX_ID = 2n ** 62n - 1n
export const ID_RULE = `id: must be an integer from 1 to ${MAX_ID}`

/** The id of a row, or undefined if it is not valid. */
export function importedId(text: string): bigint | undefined {
  const id = parseInt64(text)
  return id !== undefined && id >= 1n && id <= MAX_ID ? id : undefined
}

/** Not one bad row: from some line on nothing can be understood. */
export class UnreadableFile extends ExplainedError {
  override readonly name = 'UnreadableFile'
  /** What is wrong and where, without the advice. */
  readonly what: string

  /** `advice` is a sentence for somebody at a command line, who can set options. */
  constructor(what: string, advice?: string) {
    super(advice === undefined ? what : `${what} ${advice}`)
    this.what = what
  }
}
