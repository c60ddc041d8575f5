/** Reads the records below the heading: interprets their values, and skips records that are not animals. */
import { foldWord } from '../common/fold.ts'
import { isPetStatus } from '../contract/schemas.ts'
import { isStorableText, NAME_RULE } from '../contract/validate.ts'
import { Categories } from './categories.ts'
import { sectionSpecies } from './columns.ts'
import type { CsvReport, Table } from './csv-report.ts'
import { phrasesOf, wordsOf } from './lexicon.ts'
import type { Field } from './mapping.ts'
import { ID_RULE, importedId, REFERENCE_RULE, type ReadOptions, type ReadRow, referenceOf, shown } from './row.ts'
import { flagOf, LETTER_CODES, type Meaning, statusOf } from './statuses.ts'
import type { Interpretation } from './value-counts.ts'

const TOTALS = phrasesOf('total')
/** In order of precedence, where several flags of a row say yes. */
const FLAG_ORDER: readonly Meaning[] = ['gone', 'sold', 'none', 'pending', 'available']

export class RowReader {
  readonly table: Table
  readonly #isSync: boolean
  readonly #categories: Categories
  readonly #facts: CsvReport
  readonly #lastUsed: number
  readonly #header: string
  /** Whether the category column is headed `categoryId`. */
  readonly #isOfNumbers: boolean
  readonly #hasSections: boolean
  /** The species of the rows from here on, from a row such as "DOGS". */
  #section: string | undefined
  readonly #cameAt: (value: string) => number
  readonly #leftAt: readonly ((value: string) => number)[]

  constructor(table: Table, { categories, isSync = false }: ReadOptions, facts: CsvReport) {
    const { layout, columns } = table
    this.table = table
    this.#isSync = isSync
    this.#categories = categories ?? new Categories(new Map())
    this.#facts = facts
    const { at, status, flags, intake: came, departures: left } = columns
    this.#lastUsed = Math.max(...Object.values(at), ...status, ...flags.map((flag) => flag.at))
    this.#hasSections = columns.hasSections && this.#rule('categoryId', '') === undefined
    this.#header = layout.header.map(foldWord).join('\n')
    this.#isOfNumbers = foldWord(layout.header[at.categoryId] ?? '') === 'categoryid'
    const values = (column: number) => layout.sample.map((record) => record[column] ?? '')
    this.#cameAt = dateReader(values(came))
    this.#leftAt = left.map((column) => dateReader(values(column)))
  }

  /** Undefined if the record is not an animal; the report notes its line. */
  read(record: readonly string[], line: number): ReadRow | undefined {
    const { header } = this.table.layout
    if (this.#isHeader(record)) return this.#facts.headerRows.add(line)
    const section = this.#hasSections ? sectionSpecies(record, header.length) : undefined
    if (section !== undefined) {
      this.#section = section
      return this.#facts.sections.add(section, line, { meaning: section })
    }
    if (this.#isSummary(record)) return this.#facts.otherRows.add(line)
    const isShort = record.length < header.length && record.length <= this.#lastUsed
    if (isShort || record.slice(header.length).some((value) => value.trim() !== '')) {
      return { line, problems: [`has ${record.length} fields where the header has ${header.length}`] }
    }
    return this.#animal(record, line)
  }

  #isHeader(record: readonly string[]): boolean {
    const { header } = this.table.layout
    return foldWord(record[0] ?? '') === foldWord(header[0] ?? '') && record.map(foldWord).join('\n') === this.#header
  }

  /** Whether it is a total or a page footer: few fields are filled, and it has no category. */
  #isSummary(record: readonly string[]): boolean {
    const { at } = this.table.columns
    const { header } = this.table.layout
    if (at.categoryId !== -1 && (record[at.categoryId] ?? '').trim() !== '') return false
    const hasName = (record[at.name] ?? '').trim() !== ''
    const filled = record.filter((value) => value.trim() !== '')
    const isTotal = filled.slice(0, 2).some((value) => {
      const words = wordsOf(value)
      return TOTALS.has(words.slice(0, 2).join(' ')) || TOTALS.has(words[0] ?? '')
    })
    if (isTotal && filled.length <= Math.max(3, header.length / 4)) return true
    return header.length >= 4 && filled.length <= header.length / 4 && (filled.length === 1 || !hasName)
  }

  #animal(record: readonly string[], line: number): ReadRow {
    const { at } = this.table.columns
    const value = (column: number) => record[column] ?? ''
    const problems: string[] = []
    const reference = at.reference === -1 ? undefined : referenceOf(value(at.reference))
    if (this.#isSync && reference === undefined) problems.push(REFERENCE_RULE)
    const name = this.#name(value(at.name), reference, line)
    if (!isStorableText(name)) problems.push(`name: ${shown(name)} ${NAME_RULE}`)
    const category = this.#category(this.#section ?? value(at.categoryId), line)
    if (category.problem !== undefined) problems.push(`category: ${category.problem}`)
    const meaning = this.#meaning(record, line)
    if (meaning === undefined) problems.push(`status: ${shown(record[this.#statusAt(record)] ?? '')} is not understood`)
    const id = at.id === -1 ? undefined : importedId(value(at.id).trim())
    if (at.id !== -1 && id === undefined) problems.push(`${ID_RULE}, not ${shown(value(at.id))}`)
    // An animal that is gone is left out, so its other values need not be valid.
    const isGone = meaning === 'gone'
    if (isGone) this.#facts.goneRows.add(record[this.#statusAt(record)] ?? '', line, { meaning })
    if (isGone && !this.#isSync) problems.length = 0
    const came = this.table.columns.intake === -1 ? -1 : this.#cameAt(value(this.table.columns.intake))
    const left = Math.max(
      -1,
      ...this.table.columns.departures.map((column, index) => this.#leftAt[index]?.(value(column)) ?? -1),
    )
    if (problems.length > 0) return { line, problems }
    const status = meaning === undefined || meaning === 'none' || meaning === 'gone' ? undefined : meaning
    const said = { ...(status && { status }), ...(id !== undefined && { id }) }
    const known = this.#isSync && reference !== undefined ? { reference } : {}
    const categoryId = BigInt(category.meaning ?? 0)
    return { line, value: { name, categoryId, ...said, ...known }, isGone, same: reference, at: [came, left] }
  }

  /** An animal without a name is called by its reference, as shelters do. */
  #name(name: string, reference: string | undefined, line: number): string {
    if (name.trim() !== '') return name
    const { unnamed, numbered } = this.#facts
    ;(reference === undefined ? unnamed : numbered).add(line)
    return reference ?? name
  }

  #category(value: string, line: number): Interpretation {
    const { categories } = this.#facts
    const found = categories.get(value) ?? this.#categoryOf(value.trim())
    categories.add(value, line, found)
    return found
  }

  #categoryOf(value: string): Interpretation {
    const text = this.#rule('categoryId', value) ?? (value === '' ? (this.table.columns.commonSpecies ?? '') : value)
    if (text === '') return { problem: 'is empty' }
    const found = this.#categories.of(text, this.#isOfNumbers)
    if ('problem' in found) return { problem: `${shown(text)} ${found.problem}` }
    const meaning = found.id.toString()
    return found.as === undefined ? { meaning } : { meaning, label: found.as, guess: text }
  }

  #rule(field: Field, value: string): string | undefined {
    return this.table.mapping.values.get(field)?.get(foldWord(value))?.meaning
  }

  /** The first status column that is filled in this record, or else the last one. */
  #statusAt(record: readonly string[]): number {
    const { status } = this.table.columns
    return status.find((at) => (record[at] ?? '').trim() !== '') ?? status.at(-1) ?? -1
  }

  #meaning(record: readonly string[], line: number): Meaning | undefined {
    const { status, flags } = this.table.columns
    if (status.length === 0) return flags.length === 0 ? 'none' : this.#statusFromFlags(record)
    const at = this.#statusAt(record)
    const text = record[at] ?? ''
    const key = `${at} ${text}`
    const { statuses } = this.#facts
    const found = statuses.get(key) ?? this.#statusOf(text, this.table.columns.outcomes.has(at))
    statuses.add(text, line, found, key)
    return found.meaning as Meaning | undefined
  }

  /** In an outcome column, an empty value means that the animal is available, and a word for `none` that it left. */
  #statusOf(text: string, isOutcome: boolean): Interpretation {
    const rule = this.#rule('status', text)
    if (rule !== undefined) return { meaning: rule === '' ? 'none' : rule }
    const word = text.trim().toLowerCase()
    if (isPetStatus(word)) return { meaning: word }
    const meaning = word === '' ? 'none' : this.table.columns.hasLetterCodes ? LETTER_CODES.get(word) : statusOf(text)
    const meant = !isOutcome || meaning !== 'none' ? meaning : isNothing(text) ? 'available' : 'gone'
    const isGuess = meant !== undefined && (isOutcome || word !== '')
    return isGuess ? { meaning: meant, guess: text } : { meaning: meant }
  }

  #statusFromFlags(record: readonly string[]): Meaning {
    const { flags } = this.table.columns
    const said = new Set<Meaning>()
    let isUnavailable = false
    for (const { at, meaning, isDate } of flags) {
      const value = record[at] ?? ''
      if (flagOf(value) ?? (isDate && !isNothing(value))) said.add(meaning)
      else if (meaning === 'available') isUnavailable = true
    }
    return FLAG_ORDER.find((meaning) => said.has(meaning)) ?? (isUnavailable ? 'none' : 'available')
  }
}

function isNothing(text: string): boolean {
  return /^(n\/?a|null|none|nan|-*)$/i.test(text.trim())
}

/** A reader of a column's dates as ms, to compare two rows of an animal; -1 if a value is not a date. */
function dateReader(values: readonly string[]): (value: string) => number {
  // The day comes first in 13/11 and 13.11. If no value decides, as in 3/11, the month does.
  const firsts = values.flatMap((value) => /^\s*(\d{1,2})[/.-]\d{1,2}[/.-]\d{2,4}/.exec(value)?.[1] ?? [])
  const isDayFirst = firsts.some((first) => Number(first) > 12) || values.some((value) => /^\s*\d{1,2}\.\d/.test(value))
  return (value) => {
    const text = value.trim()
    const iso = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})/.exec(text)
    if (iso !== null) return toMs(iso[1], iso[2], iso[3], text.slice(iso[0].length))
    const [whole, a, b, year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{2,4})/.exec(text) ?? []
    if (whole !== undefined) {
      const [month, day] = isDayFirst ? [b, a] : [a, b]
      return toMs(year, month, day, text.slice(whole.length))
    }
    const ms = /\d{4}/.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(ms) ? -1 : ms
  }
}

function toMs(year = '', month = '', day = '', rest = ''): number {
  const [, hours = '0', minutes = '0', half = ''] = /(\d{1,2}):(\d{2})(?::[\d.]+)?\s*([ap])?/i.exec(rest) ?? []
  const hour = (Number(hours) % (half === '' ? 24 : 12)) + (half.toLowerCase() === 'p' ? 12 : 0)
  const whole = Number(year) < 100 ? Number(year) + 2000 : Number(year)
  return Date.UTC(whole, Number(month) - 1, Number(day), hour, Number(minutes))
}
