/** Reads the records below the heading: interprets their values, and skips records that are not animals. */
import { fold, foldWord } from '../common/fold.ts'
import { parseInt64 } from '../contract/int64.ts'
import { isPetStatus } from '../contract/schemas.ts'
import { nameRefusal, readText, ruleOf } from '../rules/members.ts'
import { Categories } from './categories.ts'
import { hasWords, type StatusColumn, sectionSpecies } from './columns.ts'
import { type CsvReport, type Interpretation, type Table, ValueCounts } from './csv-report.ts'
import type { Meaning } from './languages/language.ts'
import { isBlank } from './layout.ts'
import { phrasesOf, wordsOf } from './lexicon.ts'
import type { Field } from './mapping.ts'
import { type CheckedRow, excerpt, type ReadOptions, type SourceItem } from './row.ts'
import { speciesOfBreed } from './species.ts'
import { fateOf, flagOf, isNothing, statusOf } from './statuses.ts'

const TOTALS = phrasesOf('total')
/** What lists write in place of a name, beside what `isNothing` knows. */
const UNNAMED = phrasesOf('unnamed')
/** What columns claim of an animal, and what it means, the strongest first: who has left is never available. */
const CLAIMS = {
  gone: 'gone',
  sold: 'sold',
  none: 'none',
  pending: 'pending',
  left: 'gone',
  foster: 'pending',
  unavailable: 'none',
  available: 'available',
} as const satisfies Readonly<Record<string, Meaning>>
type Claimed = keyof typeof CLAIMS
/** Undefined for what is not understood. */
type Claim = { readonly of: Claimed | undefined; readonly because: string }
const MINUTES_A_DAY = 24 * 60
/** An import may use the lower half of all ids. The upper half is for new animals: ids are assigned upwards. */
const MAX_ID = 2n ** 62n - 1n

export class RowReader {
  readonly #table: Table
  readonly #isSync: boolean
  /** In bytes: a cell of a workbook may be longer than a row of other files. */
  readonly #nameLimit: number
  readonly #categories: Categories
  readonly #facts: CsvReport
  readonly #header: string
  /** The species of the rows from here on, from a row such as "DOGS". */
  #section: string | undefined
  /** The reference of the last animal: a line below it with no more than that is about the same one. */
  #last: string | undefined
  readonly #places = new ValueCounts()

  constructor(table: Table, { categories, isSync = false, rowLimit }: ReadOptions, facts: CsvReport) {
    this.#table = table
    this.#isSync = isSync
    this.#nameLimit = rowLimit
    this.#categories = categories ?? new Categories(new Map())
    this.#facts = facts
    this.#header = table.layout.header.map(foldWord).join('\n')
  }

  rows(items: readonly SourceItem[]): readonly CheckedRow[] {
    return items.flatMap((item) => this.#row(item) ?? [])
  }

  /** Undefined if it is not an animal; the report notes its line. */
  #row(item: SourceItem): CheckedRow | undefined {
    const { layout, columns } = this.#table
    const { header, headerLine } = layout
    const { line } = item
    if (line <= headerLine) return undefined
    if ('problem' in item) return { line, problems: [item.problem] }
    const { blank, headers, sections, details, others, lists } = this.#facts.rows
    if ('isOther' in item) return lists.add(line)
    const { record } = item
    if (isBlank(record)) return blank.add(line)
    if (headerLine === 0) return this.#animal(record, line) // objects have no lines between them
    if (this.#isHeader(record)) return headers.add(line)
    const section = columns.hasSections ? sectionSpecies(record, header.length) : undefined
    if (section !== undefined) {
      this.#section = section
      sections.add(section, line, () => ({ meaning: section }))
      return undefined
    }
    if (this.#isDetail(record)) return details.add(line)
    if (this.#isSummary(record)) return others.add(line)
    const isShort = record.length < header.length && record.length <= columns.lastUsed
    if (!isShort && record.slice(header.length).every((value) => value.trim() === '')) return this.#animal(record, line)
    return { line, problems: [`has ${record.length} fields where the header has ${header.length}`] }
  }

  /** Whether it is about the animal above it, as a vaccination: it has its reference, and no category. */
  #isDetail(record: readonly string[]): boolean {
    const { reference, categoryId } = this.#table.columns.at
    const isOfLast = this.#last !== undefined && readText('reference', record[reference] ?? '') === this.#last
    return isOfLast && categoryId !== -1 && (record[categoryId] ?? '').trim() === ''
  }

  #isHeader(record: readonly string[]): boolean {
    const { header } = this.#table.layout
    return foldWord(record[0] ?? '') === foldWord(header[0] ?? '') && record.map(foldWord).join('\n') === this.#header
  }

  /** Whether it is a total or a page footer: few fields are filled, and it has no category. */
  #isSummary(record: readonly string[]): boolean {
    const { at } = this.#table.columns
    const { header } = this.#table.layout
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

  #animal(record: readonly string[], line: number): CheckedRow {
    const { columns } = this.#table
    const { at } = columns
    const cell = (column: number) => record[column] ?? ''
    const problems: string[] = []
    const reference = at.reference === -1 ? undefined : readText('reference', cell(at.reference))
    this.#last = reference
    if (this.#isSync && reference === undefined) problems.push(ruleOf('reference'))
    const name = this.#name(cell(at.name), reference, line)
    const refusal = nameRefusal(name, this.#nameLimit)
    if (refusal !== undefined) problems.push(`name: ${excerpt(name)} ${refusal}`)
    const kind = this.#section ?? cell(at.categoryId)
    const category = this.#facts.categories.add(kind, line, () => this.#categoryOf(kind.trim()))
    if (category.problem !== undefined) problems.push(`category: ${category.problem}`)
    const { meaning, because } = this.#status(record, line)
    if (meaning === undefined) problems.push(`status: ${excerpt(because)} is not understood`)
    const id = at.id === -1 ? undefined : parseInt64(cell(at.id).trim())
    if (at.id !== -1 && (id === undefined || id < 1n || id > MAX_ID))
      problems.push(`id: must be an integer from 1 to ${MAX_ID}, not ${excerpt(cell(at.id))}`)
    // An animal that is gone is left out, so its other values need not be valid.
    const isGone = meaning === 'gone'
    if (isGone) this.#facts.rows.gone.add(because, line, () => ({ meaning }))
    if (isGone) this.#facts.rows.goneIn.add(category.meaning ?? '', line, () => ({}))
    if (isGone && !this.#isSync) problems.length = 0
    if (problems.length > 0) return { line, problems }
    const categoryId = BigInt(category.meaning ?? 0)
    const { stay, cameOn } = this.#stay(record)
    const newCategory = this.#categories.added.get(categoryId)
    const same = columns.isSureReference ? reference : `${reference} ${name} ${categoryId}`
    const value = {
      name,
      categoryId,
      ...(isPetStatus(meaning) && { status: meaning }),
      ...(id !== undefined && { id }),
      ...(isGone && { isGone }),
      ...(reference !== undefined && { stay, ...(this.#isSync && { reference }), same }),
      ...(newCategory && { newCategory }),
      ...(!isGone && cameOn !== undefined && { cameOn }),
    }
    return { line, value }
  }

  #stay(record: readonly string[]) {
    const { intake, departures } = this.#table.columns
    const arrival = intake?.toDate(record[intake.at] ?? '') ?? -1
    const departure = Math.max(-1, ...departures.map(({ at, toDate }) => toDate(record[at] ?? '')))
    const stay = { from: arrival === -1 ? undefined : arrival, to: departure === -1 ? undefined : departure }
    return { stay, cameOn: arrival === -1 ? undefined : Math.floor(arrival / MINUTES_A_DAY) }
  }

  /** An animal without a name is called by its reference, as shelters do. */
  #name(text: string, reference: string | undefined, line: number): string {
    const { isOwn } = this.#table.columns
    const name = isOwn ? text : text.trim()
    if (isOwn ? name.trim() !== '' : !isNothing(name) && !UNNAMED.has(wordsOf(name).join(' '))) return name
    const { unnamed, numbered } = this.#facts.rows
    ;(reference === undefined ? unnamed : numbered).add(line)
    return reference ?? (isOwn ? name : '')
  }

  #categoryOf(value: string): Interpretation {
    const { commonSpecies, isOfBreeds, isOwn, spelling } = this.#table.columns
    const rule = this.#rule('categoryId', value)
    const ofBreed = isOfBreeds && rule === undefined && value !== '' ? speciesOfBreed(value) : undefined
    if (isOfBreeds && rule === undefined && ofBreed === undefined) {
      return { problem: `${excerpt(value)} is no kind of animal` }
    }
    const text = rule ?? ofBreed ?? (value === '' ? (commonSpecies ?? '') : (spelling.get(fold(value)) ?? value))
    if (text === '') return { problem: 'is empty' }
    const category = this.#categories.of(text, isOwn)
    if ('problem' in category) return { problem: `${excerpt(text)} ${category.problem}` }
    const meaning = category.id.toString()
    if (ofBreed !== undefined) return { meaning, label: ofBreed, guess: value }
    return category.as === undefined ? { meaning } : { meaning, label: category.as, guess: text }
  }

  #rule(field: Field, value: string): string | undefined {
    return this.#table.mapping.values.get(field)?.get(foldWord(value))?.meaning
  }

  /** What the columns of statuses claim of an animal, the strongest of it, and the value or heading that says so. */
  #status(record: readonly string[], line: number): { meaning: Meaning | undefined; because: string } {
    const { statuses } = this.#table.columns
    const words = statuses.filter(hasWords)
    const cell = ({ at }: StatusColumn) => (record[at] ?? '').trim()
    const claims: Claim[] = words.flatMap((column) => {
      const text = cell(column)
      const isRuled = this.#rule('status', text) !== undefined
      const isEmpty = text === '' || (column.kind === 'outcome' && isNothing(text) && !isRuled)
      return isEmpty ? [] : [{ of: this.#meaning(column, text, line), because: text }]
    })
    const isFilled = claims.length > 0
    const unknown = claims.find((claim) => claim.of === undefined)
    const others = statuses.filter((column) => !words.includes(column))
    claims.push(...others.flatMap((column) => this.#claimOf(column, cell(column), line, isFilled) ?? []))
    const last = words.findLast(({ kind }) => kind === 'status') ?? words.at(-1)
    if (last !== undefined && !isFilled) {
      const of = this.#meaning(last, cell(last), line)
      const isWeak = of === 'none' || of === 'available'
      if (!isWeak || claims.every((claim) => claim.of === undefined)) claims.push({ of, because: '' })
    }
    const strongest = (Object.keys(CLAIMS) as Claimed[]).find((one) => claims.some((claim) => claim.of === one))
    if (unknown !== undefined && strongest !== 'gone' && strongest !== 'sold')
      return { meaning: undefined, because: unknown.because }
    const because = claims.find((claim) => claim.of === strongest)?.because ?? ''
    if (strongest !== undefined) return { meaning: CLAIMS[strongest], because }
    const isFlagged = statuses.some(({ kind, isBlank }) => kind === 'flag' && isBlank === undefined)
    return { meaning: isFlagged ? 'available' : 'none', because: '' }
  }

  /** The claim of a column that is not read by its words, which say something already if `isFilled`. */
  #claimOf(
    { at, kind, meaning, isDate }: StatusColumn,
    text: string,
    line: number,
    isFilled: boolean,
  ): Claim | undefined {
    if (kind === 'other') {
      const of = text === '' ? undefined : statusOf(text)
      return of === 'gone' || of === 'sold' || !isFilled ? { of, because: text } : undefined
    }
    if (kind === 'place') {
      const of = this.#places.add(text, line, () => ({ meaning: fateOf(text) })).meaning as Meaning | undefined
      if (of !== undefined) this.#facts.places.add(at)
      return { of, because: text }
    }
    const isYes = !isNothing(text) && (flagOf(text) ?? (isDate && /[1-9]/.test(text)))
    if (isYes) return { of: meaning, because: this.#table.layout.header[at] ?? '' }
    return meaning === 'available' ? { of: 'unavailable', because: '' } : undefined
  }

  /** In an outcome column, an empty value means that the animal is available, and a word for `none` that it left. */
  #meaning({ at, kind }: StatusColumn, text: string, line: number): Meaning | undefined {
    const isOutcome = kind === 'outcome'
    const understand = (): Interpretation => {
      const rule = this.#rule('status', text)
      if (rule !== undefined) return { meaning: rule === '' ? 'none' : rule }
      const word = text.toLowerCase()
      if (isPetStatus(word)) return { meaning: word }
      const usual = isNothing(text) ? 'none' : statusOf(text)
      const ofOutcome = isNothing(text) ? 'available' : 'gone'
      const meaning = isOutcome && usual === 'none' ? ofOutcome : usual
      return meaning !== undefined && (isOutcome || word !== '') ? { meaning, guess: text } : { meaning }
    }
    return this.#facts.statuses.add(text, line, understand, `${at} ${text}`).meaning as Meaning | undefined
  }
}
