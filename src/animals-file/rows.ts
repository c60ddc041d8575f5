/** Reads the records below the heading: interprets their values, and skips records that are not animals. */
import { fold, foldWord } from '../common/fold.ts'
import { isPetStatus } from '../contract/schemas.ts'
import { isStorableText, NAME_RULE } from '../contract/validate.ts'
import { Categories } from './categories.ts'
import { sectionSpecies } from './columns.ts'
import { type Interpretation, ValueCounts } from './counts.ts'
import type { CsvReport, Table } from './csv-report.ts'
import { dateReader } from './dates.ts'
import { isBlank } from './layout.ts'
import { phrasesOf, wordsOf } from './lexicon.ts'
import { type Field, isOwn } from './mapping.ts'
import {
  ID_RULE,
  importedId,
  REFERENCE_RULE,
  type ReadOptions,
  type Row,
  referenceOf,
  type SourceItem,
  shown,
} from './row.ts'
import { speciesOfBreed } from './species.ts'
import { fateOf, flagOf, isNothing, type Meaning, statusOf } from './statuses.ts'

const TOTALS = phrasesOf('total')
/** What lists write in place of a name, beside what `isNothing` knows. */
const UNNAMED = phrasesOf('unnamed')
/** What columns say of an animal and what that means, the strongest first: who has left is never available. */
const CLAIMS = {
  ...{ gone: 'gone', sold: 'sold', none: 'none', pending: 'pending' },
  ...{ left: 'gone', foster: 'pending', unavailable: 'none', available: 'available' },
} as const satisfies Record<string, Meaning>
type Said = keyof typeof CLAIMS
type Claim = { readonly said: Said | undefined; readonly because: string }
const MINUTES_A_DAY = 24 * 60

export class RowReader {
  readonly table: Table
  readonly #isSync: boolean
  /** Whether rows with one reference are about one animal, even if their names or categories differ. */
  readonly #isSure: boolean
  readonly #categories: Categories
  readonly #facts: CsvReport
  readonly #lastUsed: number
  readonly #header: string
  /** A list in our own form: its names are taken letter by letter, and its categories are numbers. */
  readonly #isOwn: boolean
  readonly #hasSections: boolean
  /** The species of the rows from here on, from a row such as "DOGS". */
  #section: string | undefined
  /** The reference of the last animal: a line below it with no more than that is about the same one. */
  #last: string | undefined
  readonly #places = new ValueCounts()
  readonly #cameAt: (value: string) => number
  readonly #leftAt: readonly ((value: string) => number)[]
  /** How most rows spell a category, by its folded name. */
  readonly #spelling: ReadonlyMap<string, string>

  constructor(table: Table, { categories, isSync = false }: ReadOptions, facts: CsvReport) {
    const { layout, columns } = table
    this.table = table
    this.#isSync = isSync
    this.#isSure = isSync || columns.isSureReference
    this.#categories = categories ?? new Categories(new Map())
    this.#facts = facts
    const { at, status, others, flags, intake: came, departures: left } = columns
    this.#lastUsed = Math.max(...Object.values(at), ...status, ...others, ...flags.map((flag) => flag.at))
    this.#hasSections = columns.hasSections && this.#rule('categoryId', '') === undefined
    this.#header = layout.header.map(foldWord).join('\n')
    this.#isOwn = isOwn(layout.header)
    const values = (column: number) => layout.sample.map((record) => record[column] ?? '')
    this.#cameAt = dateReader(values(came))
    this.#leftAt = left.map((column) => dateReader(values(column)))
    this.#spelling = mostFrequent(at.categoryId === -1 ? [] : values(at.categoryId))
  }

  rows(items: readonly SourceItem[]): readonly Row[] {
    const rows: Row[] = []
    for (const item of items) {
      const { line } = item
      if (line <= this.table.layout.headerLine) continue
      if ('problem' in item) rows.push({ line, problems: [item.problem] })
      else if (isBlank(item.record)) this.#facts.blankRows += 1
      else {
        const row = this.read(item.record, line)
        if (row !== undefined) rows.push(row)
      }
    }
    return rows
  }

  /** Undefined if the record is not an animal; the report notes its line. */
  read(record: readonly string[], line: number): Row | undefined {
    const { header, headerLine } = this.table.layout
    if (headerLine === 0) return this.#animal(record, line) // objects have no lines between them
    if (this.#isHeader(record)) return this.#facts.rows.headers.add(line)
    const section = this.#hasSections ? sectionSpecies(record, header.length) : undefined
    if (section !== undefined) {
      this.#section = section
      this.#facts.rows.sections.add(section, line, () => ({ meaning: section }))
      return undefined
    }
    if (this.#isDetail(record)) return this.#facts.rows.details.add(line)
    if (this.#isSummary(record)) return this.#facts.rows.others.add(line)
    const isShort = record.length < header.length && record.length <= this.#lastUsed
    if (isShort || record.slice(header.length).some((value) => value.trim() !== '')) {
      return { line, problems: [`has ${record.length} fields where the header has ${header.length}`] }
    }
    return this.#animal(record, line)
  }

  /** Whether it is about the animal above it, as a vaccination: it has its reference, and no category. */
  #isDetail(record: readonly string[]): boolean {
    const { reference, categoryId } = this.table.columns.at
    const isOfLast = this.#last !== undefined && referenceOf(record[reference] ?? '') === this.#last
    return isOfLast && categoryId !== -1 && (record[categoryId] ?? '').trim() === ''
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
      const [first = '', second = ''] = wordsOf(value)
      return TOTALS.has(first) || TOTALS.has(`${first} ${second}`)
    })
    if (isTotal && filled.length <= Math.max(3, header.length / 4)) return true
    return header.length >= 4 && filled.length <= header.length / 4 && (filled.length === 1 || !hasName)
  }

  #animal(record: readonly string[], line: number): Row {
    const { at } = this.table.columns
    const value = (column: number) => record[column] ?? ''
    const problems: string[] = []
    const reference = at.reference === -1 ? undefined : referenceOf(value(at.reference))
    this.#last = reference
    if (this.#isSync && reference === undefined) problems.push(REFERENCE_RULE)
    const name = this.#name(value(at.name), reference, line)
    if (!isStorableText(name)) problems.push(`name: ${shown(name)} ${NAME_RULE}`)
    const kind = this.#section ?? value(at.categoryId)
    const category = this.#facts.categories.add(kind, line, () => this.#categoryOf(kind.trim()))
    if (category.problem !== undefined) problems.push(`category: ${category.problem}`)
    const { meaning, because } = this.#status(record, line)
    if (meaning === undefined) problems.push(`status: ${shown(because)} is not understood`)
    const id = at.id === -1 ? undefined : importedId(value(at.id).trim())
    if (at.id !== -1 && id === undefined) problems.push(`${ID_RULE}, not ${shown(value(at.id))}`)
    // An animal that is gone is left out, so its other values need not be valid.
    const isGone = meaning === 'gone'
    if (isGone) this.#facts.rows.gone.add(because, line, () => ({ meaning }))
    if (isGone) this.#facts.rows.goneIn.add(category.meaning ?? '', line, () => ({}))
    if (isGone && !this.#isSync) problems.length = 0
    if (problems.length > 0) return { line, problems }
    const categoryId = BigInt(category.meaning ?? 0)
    const { stay, cameOn } = this.#stay(record)
    const newCategory = this.#categories.added.get(categoryId)
    const said = {
      ...(isPetStatus(meaning) && { status: meaning }),
      ...(id !== undefined && { id }),
      ...(isGone && { isGone }),
    }
    const same = this.#isSure ? reference : `${reference} ${name} ${categoryId}`
    const about = reference !== undefined && { stay, ...(this.#isSync && { reference }), same }
    const more = { ...about, ...(newCategory && { newCategory }), ...(!isGone && cameOn !== undefined && { cameOn }) }
    return { line, value: { name, categoryId, ...said, ...more } }
  }

  #stay(record: readonly string[]) {
    const { intake, departures } = this.table.columns
    const came = this.#cameAt(record[intake] ?? '')
    const left = Math.max(-1, ...departures.map((column, index) => this.#leftAt[index]?.(record[column] ?? '') ?? -1))
    const stay = { from: came === -1 ? undefined : came, to: left === -1 ? undefined : left }
    return { stay, cameOn: came === -1 ? undefined : Math.floor(came / MINUTES_A_DAY) }
  }

  /** An animal without a name is called by its reference, as shelters do. */
  #name(text: string, reference: string | undefined, line: number): string {
    const name = this.#isOwn ? text : text.trim()
    if (this.#isOwn ? name.trim() !== '' : !isNothing(name) && !UNNAMED.has(wordsOf(name).join(' '))) return name
    const { unnamed, numbered } = this.#facts.rows
    ;(reference === undefined ? unnamed : numbered).add(line)
    return reference ?? (this.#isOwn ? name : '')
  }

  #categoryOf(value: string): Interpretation {
    const { commonSpecies, isOfBreeds } = this.table.columns
    const rule = this.#rule('categoryId', value)
    const ofBreed = isOfBreeds && rule === undefined && value !== '' ? speciesOfBreed(value) : undefined
    if (isOfBreeds && rule === undefined && ofBreed === undefined) {
      return { problem: `${shown(value)} is no kind of animal` }
    }
    const text = rule ?? ofBreed ?? (value === '' ? (commonSpecies ?? '') : (this.#spelling.get(fold(value)) ?? value))
    if (text === '') return { problem: 'is empty' }
    const found = this.#categories.of(text, this.#isOwn)
    if ('problem' in found) return { problem: `${shown(text)} ${found.problem}` }
    const meaning = found.id.toString()
    if (ofBreed !== undefined) return { meaning, label: ofBreed, guess: value }
    return found.as === undefined ? { meaning } : { meaning, label: found.as, guess: text }
  }

  #rule(field: Field, value: string): string | undefined {
    return this.table.mapping.values.get(field)?.get(foldWord(value))?.meaning
  }

  /** What the columns of statuses say of an animal, the strongest of it, and the value or heading that says so. */
  #status(record: readonly string[], line: number): { meaning: Meaning | undefined; because: string } {
    const { status, others, places, flags, outcomes } = this.table.columns
    const cell = (at: number) => (record[at] ?? '').trim()
    const claims: Claim[] = []
    for (const at of status) {
      const isEmpty = outcomes.has(at) ? isNothing(cell(at)) : cell(at) === ''
      if (!isEmpty || (cell(at) !== '' && this.#rule('status', cell(at)) !== undefined))
        claims.push({ said: this.#meaning(at, cell(at), line), because: cell(at) })
    }
    const isFilled = claims.length > 0
    const unknown = claims.find(({ said }) => said === undefined)
    for (const at of others) {
      const said = cell(at) === '' ? undefined : statusOf(cell(at))
      if (said === 'gone' || said === 'sold' || !isFilled) claims.push({ said, because: cell(at) })
    }
    for (const at of places) {
      const { meaning } = this.#places.add(cell(at), line, () => ({ meaning: fateOf(cell(at)) }))
      if (meaning !== undefined) this.#facts.places.add(at)
      claims.push({ said: meaning as Meaning | undefined, because: cell(at) })
    }
    for (const { at, meaning, isDate } of flags) {
      const isYes = cell(at) !== '' && (flagOf(cell(at)) ?? (isDate && /[1-9]/.test(cell(at))))
      if (isYes) claims.push({ said: meaning, because: this.table.layout.header[at] ?? '' })
      else if (meaning === 'available') claims.push({ said: 'unavailable', because: '' })
    }
    const at = status.findLast((column) => !outcomes.has(column)) ?? status.at(-1)
    if (at !== undefined && !isFilled) {
      const said = this.#meaning(at, cell(at), line)
      const isWeak = said === 'none' || said === 'available'
      if (!isWeak || claims.every((claim) => claim.said === undefined)) claims.push({ said, because: '' })
    }
    const strongest = (Object.keys(CLAIMS) as Said[]).find((one) => claims.some(({ said }) => said === one))
    if (unknown !== undefined && strongest !== 'gone' && strongest !== 'sold')
      return { meaning: undefined, because: unknown.because }
    const because = claims.find(({ said }) => said === strongest)?.because ?? ''
    if (strongest !== undefined) return { meaning: CLAIMS[strongest], because }
    return { meaning: flags.some(({ isBlank }) => isBlank === undefined) ? 'available' : 'none', because: '' }
  }

  /** In an outcome column, an empty value means that the animal is available, and a word for `none` that it left. */
  #meaning(at: number, text: string, line: number): Meaning | undefined {
    const isOutcome = this.table.columns.outcomes.has(at)
    const understand = (): Interpretation => {
      const rule = this.#rule('status', text)
      if (rule !== undefined) return { meaning: rule === '' ? 'none' : rule }
      const word = text.trim().toLowerCase()
      if (isPetStatus(word)) return { meaning: word }
      const known = isNothing(text) ? 'none' : statusOf(text)
      const ofOutcome = isNothing(text) ? 'available' : 'gone'
      const meaning = isOutcome && known === 'none' ? ofOutcome : known
      return meaning !== undefined && (isOutcome || word !== '') ? { meaning, guess: text } : { meaning }
    }
    return this.#facts.statuses.add(text, line, understand, `${at} ${text}`).meaning as Meaning | undefined
  }
}

/** The most frequent spelling of each value, by its folded form; of equals the one that begins with a capital. */
function mostFrequent(values: readonly string[]): ReadonlyMap<string, string> {
  const times = new Map<string, number>()
  for (const value of values) times.set(value.trim(), (times.get(value.trim()) ?? 0) + 1)
  const isTitle = (value: string) => Number(/^\p{Lu}.*\p{Ll}/su.test(value))
  const sorted = [...times].sort(([a, n], [b, m]) => n - m || isTitle(a) - isTitle(b))
  return new Map(sorted.map(([value]) => [fold(value), value]))
}
