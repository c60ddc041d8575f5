/** Writes animals as a file: NDJSON of Pets, or CSV, for programs or for a spreadsheet. */
import { stringify } from 'csv-stringify/sync'
import { petJson } from '../contract/json.ts'
import type { StoredPet } from '../store/rows.ts'

export type FileFormat = 'ndjson' | 'csv'

/**
 * Spreadsheets take a field that begins so for a formula, quoted or not. Where a field begins is theirs to decide: in
 * much of Europe a semicolon separates fields, and pasted text is cut at tabs and at the ends of lines.
 */
const BEGINNING = /^(?=[\t\r\n]|["\s]*[=+\-@＝＋－＠])/
const BEHIND_SEPARATOR = /[;\t\r\n](?=["\s]*[=+\-@＝＋－＠])/g

export class AnimalsWriter {
  readonly header: string
  /** Names that have an apostrophe before what would be a formula, so that a spreadsheet takes it for text. */
  neutralised = 0
  readonly #format: FileFormat
  readonly #forSpreadsheet: boolean

  /** `forSpreadsheet` goes with CSV. */
  constructor(format: FileFormat, { forSpreadsheet }: { readonly forSpreadsheet: boolean }) {
    this.header = format === 'csv' ? 'id,name,categoryId,status\n' : ''
    this.#format = format
    this.#forSpreadsheet = forSpreadsheet
  }

  rows(pets: readonly StoredPet[]): string {
    if (this.#format === 'ndjson') {
      return pets.map(({ id, name, categoryId, status }) => `${petJson(id, name, categoryId, status)}\n`).join('')
    }
    return stringify(pets.map(({ id, name, categoryId, status }) => [id, this.#toText(name), categoryId, status]))
  }

  /** Ids and categories are numbers, and stay. */
  #toText(name: string): string {
    if (!this.#forSpreadsheet) return name
    const text = name.replace(BEHIND_SEPARATOR, "$&'").replace(BEGINNING, "'")
    if (text !== name) this.neutralised += 1
    return text
  }
}
