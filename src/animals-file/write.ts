/** Writes animals as a file: NDJSON of Pets, or CSV, for programs or for a spreadsheet. */
import { stringify } from 'csv-stringify/sync'
import { printableJson } from '../common/printable.ts'
import { petJson } from '../contract/json.ts'
import { ofTexts, TEXT_MEMBERS } from '../rules/members.ts'
import type { Provenance } from '../store/origins.ts'
import type { StoredAnimal } from '../store/rows.ts'
import type { FileFormat } from './formats.ts'

/** Spreadsheets read a field with such a beginning as a formula, behind a semicolon, a tab or a line end too. */
const BEGINNING = /^(?=[\t\r\n]|["\s]*[=+\-@＝＋－＠])/
const BEHIND_SEPARATOR = /[;\t\r\n](?=["[\s--[\t\r\n]]]*[=+\-@＝＋－＠])/gv

/** Without it, Excel uses the code page of its machine. */
const BYTE_ORDER_MARK = '\ufeff'
const ORIGIN_COLUMNS = [...TEXT_MEMBERS, 'cameAt', 'cameBy', 'import', 'cameOn'] as const
type OriginColumn = (typeof ORIGIN_COLUMNS)[number]
const TEXTS: ReadonlySet<string> = new Set<string>(['name', ...TEXT_MEMBERS, 'cameBy'])

/** The most rows, and letters of names, in one piece of a few ms. */
const PIECE_ROWS = 500
const PIECE_LETTERS = 262_144

export class AnimalsWriter {
  readonly header: string
  /** The number of texts that got an apostrophe because they look like formulas. */
  neutralised = 0
  readonly #format: FileFormat
  readonly #forSpreadsheet: boolean
  readonly #columns: readonly (keyof StoredAnimal | OriginColumn)[]

  /** `forSpreadsheet` is for CSV only. `withOrigin` needs `provenance` in `rows`. */
  constructor(
    format: FileFormat,
    { forSpreadsheet, withOrigin = false }: { readonly forSpreadsheet: boolean; readonly withOrigin?: boolean },
  ) {
    this.#columns = ['id', 'name', 'categoryId', 'status', ...(withOrigin ? ORIGIN_COLUMNS : [])]
    this.header = format === 'csv' ? `${forSpreadsheet ? BYTE_ORDER_MARK : ''}${this.#columns}\n` : ''
    this.#format = format
    this.#forSpreadsheet = forSpreadsheet
  }

  *rows(pets: readonly StoredAnimal[], provenance?: readonly Provenance[]): Iterable<string> {
    for (let from = 0, to = 0; from < pets.length; from = to) {
      for (let letters = 0; to < pets.length && to - from < PIECE_ROWS && letters <= PIECE_LETTERS; to += 1) {
        letters += pets[to]?.name.length ?? 0
      }
      yield this.#textOf(pets.slice(from, to), provenance?.slice(from, to).map(toColumns))
    }
  }

  #textOf(pets: readonly StoredAnimal[], origins: readonly ReturnType<typeof toColumns>[] | undefined): string {
    if (this.#format === 'ndjson') {
      return pets.map((pet, index) => `${toJson(pet, origins?.[index])}\n`).join('')
    }
    return stringify(
      pets.map((pet, index) => {
        const all = { ...pet, ...origins?.[index] }
        return this.#columns.map((column) => (TEXTS.has(column) ? this.#toText(`${all[column] ?? ''}`) : all[column]))
      }),
    )
  }

  #toText(value: string): string {
    if (!this.#forSpreadsheet) return value
    const text = value.replace(BEHIND_SEPARATOR, "$&'").replace(BEGINNING, "'")
    if (text !== value) this.neutralised += 1
    return text
  }
}

function toColumns({ origin, cameOnMs, ...texts }: Provenance): Partial<Record<OriginColumn, string | undefined>> {
  const cameAt = origin && new Date(origin.atMs).toISOString()
  const cameOn = cameOnMs === undefined ? undefined : new Date(cameOnMs).toISOString().slice(0, 10)
  return { ...ofTexts((name) => texts[name]), cameAt, cameBy: origin?.who, import: origin?.importN?.toString(), cameOn }
}

function toJson({ id, name, categoryId, status }: StoredAnimal, origin?: ReturnType<typeof toColumns>): string {
  const pet = petJson(id, name, categoryId, status)
  const more = origin === undefined ? '{}' : printableJson(origin)
  return more === '{}' ? pet : `${pet.slice(0, -1)},${more.slice(1)}`
}
