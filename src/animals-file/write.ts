/** Writes animals as a file: NDJSON of Pets, or CSV, for programs or for a spreadsheet. */
import { stringify } from 'csv-stringify/sync'
import { printableJson } from '../common/printable.ts'
import { petJson } from '../contract/json.ts'
import type { Known } from '../store/origins.ts'
import type { StoredPet } from '../store/rows.ts'

export type FileFormat = 'ndjson' | 'csv'

/**
 * Spreadsheets take a field that begins so for a formula, quoted or not. Where a field begins is theirs to decide: in
 * much of Europe a semicolon separates fields, and pasted text is cut at tabs and at the ends of lines.
 */
const BEGINNING = /^(?=[\t\r\n]|["\s]*[=+\-@＝＋－＠])/
const BEHIND_SEPARATOR = /[;\t\r\n](?=["\s]*[=+\-@＝＋－＠])/g

/** Where an animal came from, after its own columns. */
const ORIGIN_COLUMNS = ['reference', 'cameAt', 'cameBy', 'import'] as const

export class AnimalsWriter {
  readonly header: string
  /** Texts that have an apostrophe before what would be a formula, so that a spreadsheet takes it for text. */
  neutralised = 0
  readonly #format: FileFormat
  readonly #forSpreadsheet: boolean

  /** `forSpreadsheet` goes with CSV. With `withOrigin`, `rows` needs what is known of the animals. */
  constructor(
    format: FileFormat,
    { forSpreadsheet, withOrigin = false }: { readonly forSpreadsheet: boolean; readonly withOrigin?: boolean },
  ) {
    const columns = ['id', 'name', 'categoryId', 'status', ...(withOrigin ? ORIGIN_COLUMNS : [])]
    this.header = format === 'csv' ? `${columns}\n` : ''
    this.#format = format
    this.#forSpreadsheet = forSpreadsheet
  }

  /** `known`: of each of the animals, if it is to be written. */
  rows(pets: readonly StoredPet[], known?: readonly Known[]): string {
    const origins = known?.map(toColumns)
    if (this.#format === 'ndjson') {
      return pets.map((pet, index) => `${toJson(pet, origins?.[index])}\n`).join('')
    }
    return stringify(
      pets.map(({ id, name, categoryId, status }, index) => {
        const { reference, cameAt, cameBy, import: n } = origins?.[index] ?? {}
        const origin = origins === undefined ? [] : [this.#toText(reference), cameAt, this.#toText(cameBy), n]
        return [id, this.#toText(name), categoryId, status, ...origin]
      }),
    )
  }

  /** Ids, categories and times are no text, and stay. */
  #toText(value: string | undefined): string | undefined {
    if (!this.#forSpreadsheet) return value
    const text = value?.replace(BEHIND_SEPARATOR, "$&'").replace(BEGINNING, "'")
    if (text !== value) this.neutralised += 1
    return text
  }
}

type OriginColumns = Readonly<Partial<Record<(typeof ORIGIN_COLUMNS)[number], string>>>

function toColumns({ origin, reference }: Known): OriginColumns {
  return {
    ...(reference !== undefined && { reference }),
    ...(origin !== undefined && { cameAt: new Date(origin.atMs).toISOString(), cameBy: origin.who }),
    ...(origin?.importN !== undefined && { import: origin.importN.toString() }),
  }
}

function toJson({ id, name, categoryId, status }: StoredPet, origin: OriginColumns = {}): string {
  const pet = petJson(id, name, categoryId, status)
  return Object.keys(origin).length === 0 ? pet : `${pet.slice(0, -1)},${printableJson(origin).slice(1)}`
}
