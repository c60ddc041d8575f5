/** What is read from a file of animals, row by row, and how. */
import type { Checked } from '../contract/validate.ts'
import type { ImportedPet } from '../store/imports.ts'
import type { Mapping } from './mapping.ts'

/** Either an animal, or the problems of the row at `line` (counted from 1). */
export type Row = { readonly line: number } & Checked<ImportedPet>

export interface ReadOptions {
  /** The most bytes of one row. It bounds memory and time for any file. */
  readonly rowLimit: number
  /** Each row has the id of its animal. */
  readonly withIds: boolean
  readonly mapping: Mapping
}
