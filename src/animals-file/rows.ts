/** Reads the records below the heading: interprets their values, and skips records that are not animals. */
import { fold, foldWord } from '../common/fold.ts'
import { isPetStatus } from '../contract/schemas.ts'
import { isStorableText, NAME_RULE } from '../contract/validate.ts'
import { Categories } from './categories.ts'
import { isOwn, sectionSpecies } from './columns.ts'
import type { CsvReport, Table } from './csv-report.ts'
import { dateReader } from './dates.ts'
import { isBlank } from './layout.ts'
import { phrasesOf, wordsOf } from './lexicon.ts'
import type { Field } from './mapping.ts'
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
import { fateOf, flagOf, isNothing, LETTER_CODES, type Meaning, statusOf } from './statuses.ts'
import type { Interpretation } from './value-counts.ts'

const TOTALS = phrasesOf('total')
/** The strongest first: who has left is never available, whatever another column says. */
const STRENGTH = ['gone', 'sold', 'none', 'pending', 'left', 'foster', 'unavailable', 'available'] as const
type Said = (typeof STRENGTH)[number]
const MEANING: Readonly<Record<'left' | 'foster' | 'unavailable', Meaning>> = {
  ...{ left: 'gone', foster: 'pending', unavailable: 'none' },
}
const MINUTES_A_DAY = 24 * 60
const FATES_KEPT = 1_000
/** What lists write in place of a name, beside what `isNothing` knows. */
const NO_NAME =
  /^(?:no name|unnamed|not named|unknown|kein name|ohne name|sans nom|sin nombre|senza nome|sem nome|geen naam)$/i

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
  /** What the names of places say, since a list has few of them. */
  readonly #fates = new Map<string, Meaning | undefined>()
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
    if (this.#isHeader(record)) return this.#facts.headerRows.add(line)
    const section = this.#hasSections ? sectionSpecies(record, header.length) : undefined
    if (section !== undefined) {
      this.#section = section
      return this.#facts.sections.add(section, line, { meaning: section })
    }
    if (this.#isDetail(record)) return this.#facts.detailRows.add(line)
    if (this.#isSummary(record)) return this.#facts.otherRows.add(line)
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
      const words = wordsOf(value)
      return TOTALS.has(words.slice(0, 2).join(' ')) || TOTALS.has(words[0] ?? '')
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
    const category = this.#category(this.#section ?? value(at.categoryId), line)
    if (category.problem !== undefined) problems.push(`category: ${category.problem}`)
    const { meaning, because } = this.#status(record, line)
    if (meaning === undefined) problems.push(`status: ${shown(because)} is not understood`)
    const id = at.id === -1 ? undefined : importedId(value(at.id).trim())
    if (at.id !== -1 && id === undefined) problems.push(`${ID_RULE}, not ${shown(value(at.id))}`)
    // An animal that is gone is left out, so its other values need not be valid.
    const isGone = meaning === 'gone'
    if (isGone) this.#facts.goneRows.add(because, line, { meaning })
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
    if (this.#isOwn ? name.trim() !== '' : !isNothing(name) && !NO_NAME.test(name.trim())) return name
    const { unnamed, numbered } = this.#facts
    ;(reference === undefined ? unnamed : numbered).add(line)
    return reference ?? (this.#isOwn ? name : '')
  }

  #category(value: string, line: number): Interpretation {
    const { categories } = this.#facts
    const found = categories.get(value) ?? this.#categoryOf(value.trim())
    categories.add(value, line, found)
    return found
  }

  #categoryOf(value: string): Interpretation {
    const { commonSpecies, isOfBreeds } = this.table.columns
    const rule = this.#rule('categoryId', value)
    const ofBreed = isOfBreeds && rule === undefined && value !== '' ? speciesOfBreed(value) : undefined
    if (isOfBreeds && rule === undefined && ofBreed === undefined)
      return { problem: `${shown(value)} is no kind of animal` }
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
    if (status.length + flags.length + others.length + places.length === 0) return { meaning: 'none', because: '' }
    let best: { readonly said: Said; readonly because: string } | undefined
    let unknown: string | undefined
    let isFilled = false
    const say = (said: Said, because: string) => {
      if (best === undefined || STRENGTH.indexOf(said) < STRENGTH.indexOf(best.said)) best = { said, because }
    }
    for (const at of status) {
      const text = record[at] ?? ''
      if (text.trim() === '' || (outcomes.has(at) && isNothing(text) && this.#rule('status', text) === undefined))
        continue
      isFilled = true
      const { meaning } = this.#meaning(at, text, line)
      if (meaning === undefined) unknown ??= text
      else say(meaning as Meaning, text)
    }
    for (const at of others) {
      const meaning = (record[at] ?? '') === '' ? undefined : statusOf(record[at] ?? '')
      if (meaning === 'gone' || meaning === 'sold' || (meaning !== undefined && !isFilled))
        say(meaning, record[at] ?? '')
    }
    for (const at of places) {
      const meaning = this.#fateAt(at, record[at] ?? '')
      if (meaning !== undefined) say(meaning, record[at] ?? '')
    }
    const isUnavailable = this.#readFlags(record, say)
    if (unknown !== undefined && best?.said !== 'gone' && best?.said !== 'sold')
      return { meaning: undefined, because: unknown }
    const at = status.findLast((column) => !outcomes.has(column)) ?? status.at(-1)
    if (at !== undefined && !isFilled) {
      const { meaning } = this.#meaning(at, record[at] ?? '', line)
      if (best === undefined || (meaning !== 'none' && meaning !== 'available')) say(meaning as Meaning, '')
    }
    if (best === undefined)
      return {
        meaning: isUnavailable ? 'none' : flags.some(({ isBlank }) => !isBlank) ? 'available' : 'none',
        because: '',
      }
    const { said, because } = best
    return { meaning: said === 'left' || said === 'foster' || said === 'unavailable' ? MEANING[said] : said, because }
  }

  #fateAt(at: number, text: string): Meaning | undefined {
    if (!this.#fates.has(text) && this.#fates.size < FATES_KEPT) this.#fates.set(text, fateOf(text))
    const fate = this.#fates.has(text) ? this.#fates.get(text) : fateOf(text)
    if (fate !== undefined) this.#facts.places.add(at)
    return fate
  }

  /** Returns whether a column that says who is available says no. */
  #readFlags(record: readonly string[], say: (said: Said, because: string) => void): boolean {
    const { header } = this.table.layout
    let isUnavailable = false
    for (const { at, meaning, isDate } of this.table.columns.flags) {
      const value = record[at] ?? ''
      if (value === '' ? false : (flagOf(value) ?? (isDate && /[1-9]/.test(value)))) say(meaning, header[at] ?? '')
      else if (meaning === 'available') isUnavailable = true
    }
    if (isUnavailable) say('unavailable', '')
    return isUnavailable
  }

  #meaning(at: number, text: string, line: number): Interpretation {
    const key = `${at} ${text}`
    const { statuses } = this.#facts
    const found = statuses.get(key) ?? this.#statusOf(text, this.table.columns.outcomes.has(at))
    statuses.add(text, line, found, key)
    return found
  }

  /** In an outcome column, an empty value means that the animal is available, and a word for `none` that it left. */
  #statusOf(text: string, isOutcome: boolean): Interpretation {
    const rule = this.#rule('status', text)
    if (rule !== undefined) return { meaning: rule === '' ? 'none' : rule }
    const word = text.trim().toLowerCase()
    if (isPetStatus(word)) return { meaning: word }
    const meaning = word === '' ? 'none' : this.table.columns.hasLetterCodes ? LETTER_CODES.get(word) : statusOf(text)
    const meant = isNothing(text)
      ? isOutcome
        ? 'available'
        : 'none'
      : isOutcome && meaning === 'none'
        ? 'gone'
        : meaning
    const isGuess = meant !== undefined && (isOutcome || word !== '')
    return isGuess ? { meaning: meant, guess: text } : { meaning: meant }
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
