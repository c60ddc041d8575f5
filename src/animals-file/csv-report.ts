/**
 * Collects how a file was understood, for the person who imports it: the columns and words that were recognised, the
 * rows left out, and the open questions. Each is reported once, with its count and first lines.
 */
import { foldWord } from '../common/fold.ts'
import { printable } from '../common/printable.ts'
import { type Columns, hasWords, type StatusColumn } from './columns.ts'
import { MEANINGS } from './languages/language.ts'
import { columnRule, FIELDS, type Field, fieldName, type Mapping, PLACEHOLDER, wordRule } from './mapping.ts'
import { excerpt, type Layout, onOneLine } from './row.ts'

const LINES_SHOWN = 3
const WORDS_SHOWN = 10
/** The maximum number of distinct values that are kept, which bounds memory for any file. */
const WORDS_KEPT = 1_000
const CATEGORIES_SHOWN = 10
const COLUMNS_OFFERED = 200
const HEADINGS_SHOWN = 20
const MOST_LETTERS = 40
/** The words of a field whose meaning a person can choose. A column with more hardly holds statuses or categories. */
const WORDS_OFFERED = 50
const LONGEST_WORD = 100

export interface Note {
  readonly text: string
  /** The note is about the meaning of columns or words, which the person may be able to change. */
  readonly isOfChoice?: true
}

/** Where the table is in the file, and how its columns and words are understood. */
export interface Table {
  readonly format: string
  readonly layout: Layout
  readonly columns: Columns
  readonly mapping: Mapping
  /** The name of the ready mapping that was applied (mapping.ts). */
  readonly ready: string | undefined
}

class Tally {
  count = 0
  /** A sentence for a person, in which # stands for what is counted. */
  readonly note: string

  constructor(note = '') {
    this.note = note
  }
}

class LineNumbers extends Tally {
  first: readonly number[] = []

  add(line: number): undefined {
    this.count += 1
    if (this.first.length < LINES_SHOWN) this.first = [...this.first, line]
  }

  /** As in "on line 3", or "on 5 lines (2, 5, 9, …)". */
  override toString(): string {
    const more = this.count > this.first.length ? ', …' : ''
    return this.count === 1 ? `on line ${this.first[0]}` : `on ${this.count} lines (${this.first.join(', ')}${more})`
  }
}

/** The meaning of a value, or the problem with it. */
export interface Interpretation {
  /** A status, `none` or `gone`; a category's number; undefined if it is not understood. */
  readonly meaning?: string | undefined
  readonly problem?: string
  /** The text, if its meaning was guessed: no rule gives it, and it is not an exact name. */
  readonly guess?: string | undefined
  /** The name of the guessed category. */
  readonly label?: string | undefined
}

type Word = Interpretation & { readonly as: string; readonly lines: LineNumbers }

export class ValueCounts extends Tally {
  /** By the value before folding: to fold it for each row would take as long as reading the row. */
  readonly #values = new Map<string, Word>()
  /** By the value after folding. */
  readonly #words = new Map<string, Word>()

  /** Counts a value, and says what it means. `key` differs where one value may have different meanings, as in two columns. */
  add(value: string, line: number, understand: () => Interpretation, key = value): Interpretation {
    this.count += 1
    const before = this.#values.get(key)
    before?.lines.add(line)
    if (before !== undefined || this.#values.size >= WORDS_KEPT) return before ?? understand()
    const folded = foldWord(value)
    const { lines } = this.#words.get(folded) ?? { lines: new LineNumbers() }
    lines.add(line)
    const word = { as: onOneLine(value), lines, ...understand() }
    this.#values.set(key, word)
    if (!this.#words.has(folded)) this.#words.set(folded, word)
    return word
  }

  /** The most frequent first. */
  get all(): readonly Word[] {
    return [...this.#words.values()].sort((a, b) => b.lines.count - a.lines.count)
  }

  /** In the order of the file. */
  get guesses(): readonly Word[] {
    return [...this.#words.values()].filter(({ guess }) => guess !== undefined)
  }

  override toString(): string {
    const some = this.all.slice(0, WORDS_SHOWN).map(({ as, lines }) => `${excerpt(as)} ${lines}`)
    const others = this.#words.size - some.length
    return `${some.join('; ')}${others > 0 ? `; and ${others} others` : ''}`
  }
}

export class CsvReport {
  /** Rows that are not taken as they are: their lines or values, each with its note, in the order of the notes. */
  readonly rows = {
    blank: new LineNumbers(),
    headers: new LineNumbers('The header is there again #, and left out.'),
    details: new LineNumbers('Lines with the reference of the animal above and no category are left out #.'),
    others: new LineNumbers('Totals, and other lines that are no animal, are left out #.'),
    lists: new LineNumbers('Only the first list of objects is read, and others are left out #.'),
    older: new LineNumbers('Several rows are about one animal: the newest counts, and older ones are left out #.'),
    sections: new ValueCounts('The category of the rows below them: #.'),
    gone: new ValueCounts('Not there any more, and left out: #.'),
    /** By the number of the category, empty where it is not understood. */
    goneIn: new ValueCounts(),
    numbered: new LineNumbers('No name #: such an animal is called by its number.'),
    unnamed: new LineNumbers('No name #: such an animal has an empty name.'),
  }
  /** The columns of places and health by which somebody has left. */
  readonly places = new Set<number>()
  readonly statuses = new ValueCounts()
  readonly categories = new ValueCounts()
  /** Undefined if no header was read. */
  table: Table | undefined

  /** Whether the file has a column for the status. If so, an empty field means that the animal has none. */
  get hasStatus(): boolean {
    return this.table?.columns.statuses.some(({ kind }) => kind !== 'place') ?? false
  }

  get reference(): string | undefined {
    return this.#column('reference')
  }

  /** Columns and values whose meaning can be chosen, the most frequent first. */
  get choices() {
    if (this.table === undefined) return undefined
    const fields = ['name', 'categoryId', 'reference', 'status'] as const
    const [name, categoryId, reference, status] = fields.map((field) => this.#column(field))
    const headingsByName = new Map(this.table.layout.header.map((one) => [foldWord(one), onOneLine(one)]))
    const headings = [...headingsByName.values()].filter((one) => one !== '').slice(0, COLUMNS_OFFERED)
    const all = (['categoryId', 'status'] as const).map((field) =>
      (field === 'status' ? this.statuses : this.categories).all
        .map(({ as, lines, meaning }) => ({ field, word: as, rows: lines.count, meaning }))
        .filter(({ word, meaning }) => word.length <= LONGEST_WORD && (field === 'status' || word !== meaning)),
    )
    const words = all.flatMap((some) => some.slice(0, WORDS_OFFERED))
    const moreWords = all.flat().length - words.length
    return { headings, columns: { name, categoryId, reference, status }, words, moreWords }
  }

  /** Undefined if nothing could be read. */
  get description(): string | undefined {
    if (this.table === undefined) return undefined
    const columns = FIELDS.flatMap((field) => {
      const names = this.#columns(field).map((at) => this.#heading(at))
      const shownNames = names.filter((heading) => heading !== '').map((one) => `"${printable(one)}"`)
      if (shownNames.length === 0) return []
      return `${names}` === field ? field : `${fieldName(field)} from ${shownNames.join(', ')}`
    })
    const { count } = this.rows.blank
    const blank = count === 0 ? '' : `; ${count} blank ${count === 1 ? 'row' : 'rows'} skipped`
    return `${this.table.format}${columns.length === 0 ? '' : `: ${columns.join(', ')}`}${blank}`
  }

  /** The guesses, written as --map rules. */
  get guessedRules(): readonly string[] {
    if (this.table === undefined) return []
    const { mapping, columns } = this.table
    const { commonSpecies, isOfBreeds } = columns
    const guessed = FIELDS.filter((field) => !mapping.columns.has(field)).flatMap((field) => {
      const heading = this.#column(field)
      return heading === undefined ? [] : columnRule(field, heading)
    })
    const breeds = isOfBreeds ? this.categories.guesses : []
    return [
      ...guessed,
      ...(commonSpecies === undefined ? [] : [wordRule('categoryId', '', commonSpecies)]),
      ...breeds.map(({ as, label = '' }) => wordRule('categoryId', as, label)),
      ...this.statuses.guesses.map(({ as, meaning = '' }) => wordRule('status', as, meaning)),
    ]
  }

  /** A mapping for a person to complete, one rule a line, with `?` for each open question; empty if there is none. */
  get openRules(): readonly string[] {
    if (this.table === undefined) return []
    const { layout, columns } = this.table
    const ofColumns = [...columns.open].flatMap(([field, some]) => {
      if (field === 'categoryId' && some.length === 0)
        return ['# the kind of all animals, as Dogs, if no column says it', wordRule(field, '', PLACEHOLDER)]
      const offered = some.length > 0 ? some.map((at) => this.#heading(at)) : layout.header.map(onOneLine)
      const text = headingsText(offered.filter((heading) => heading !== ''))
      return [`# ${fieldName(field)}: one of ${text}`, columnRule(field, PLACEHOLDER)]
    })
    const openRules = (field: 'status' | 'categoryId', { all }: ValueCounts, says: string) => {
      const unknown = all.filter(({ meaning }) => meaning === undefined)
      const words = unknown.filter(({ as }) => as !== '' || field === 'status' || columns.at.categoryId !== -1)
      const rules = words.flatMap(({ as, lines }) => [`# ${lines}`, wordRule(field, as, PLACEHOLDER)])
      return rules.length === 0 ? [] : [`# ${says}`, ...rules]
    }
    const rules = [
      ...ofColumns,
      ...openRules('status', this.statuses, `a status means ${MEANINGS.join(', ')}`),
      ...openRules('categoryId', this.categories, 'a category means its number, or a name that is there'),
    ]
    return rules.length === 0 ? [] : [...this.guessedRules, ...rules]
  }

  get notes(): readonly Note[] {
    const counts = Object.values(this.rows).filter(({ count, note }) => count > 0 && note !== '')
    const ofRows = counts.map((one) => ({ text: one.note.replace('#', () => `${one}`) }))
    return [...this.#choiceNotes(), ...this.#columnNotes(), ...ofRows]
  }

  *#choiceNotes(): Iterable<Note> {
    const { ready, columns } = this.table ?? {}
    if (ready !== undefined) yield { text: `Read by the ready mapping @${ready}.`, isOfChoice: true }
    const words = this.statuses.guesses.map(({ as, meaning }) => `${excerpt(as)} is ${meaning}`)
    if (words.length > 0) yield { text: `Understood: ${words.join(', ')}.`, isOfChoice: true }
    const kinds = this.categories.guesses
      .slice(0, CATEGORIES_SHOWN)
      .map(({ guess = '', meaning, label }) => `${excerpt(guess)} is ${meaning} (${printable(label ?? '')})`)
    const another = `Categories by another form of their name: ${kinds.join(', ')}.`
    if (kinds.length > 0) yield { text: another, isOfChoice: true }
    const { commonSpecies: oneKind = '' } = columns ?? {}
    const all = `the category of all is ${excerpt(oneKind)}, as the file says of itself.`
    if (oneKind !== '') yield { text: `No column says what kind of animal it is: ${all}` }
  }

  *#columnNotes(): Iterable<Note> {
    if (this.table === undefined) return
    const { header, above, headerLine } = this.table.layout
    const last = above.at(-1)?.line
    if (last !== undefined) {
      const lines = above.length === 1 ? `Line ${last} is` : `The lines before line ${headerLine} are`
      yield { text: `${lines} above the heading, and left out: ${excerpt(above.map(({ text }) => text).join(' / '))}.` }
    }
    const { at, intake, departures } = this.table.columns
    const usedColumns = [
      ...Object.values(at),
      ...this.#columns('status'),
      intake?.at,
      ...departures.map((one) => one.at),
    ]
    const dropped = header.filter((heading, index) => !usedColumns.includes(index) && heading.trim() !== '')
    if (dropped.length > 0) yield { text: `Columns left out: ${headingsText(dropped)}.` }
  }

  #heading(index: number): string {
    return onOneLine(this.table?.layout.header[index] ?? '')
  }

  /** A field's columns; those of the status in the order in which they are read. */
  #columns(field: Field, isOfWords = false): readonly number[] {
    if (this.table === undefined) return []
    const { at, statuses } = this.table.columns
    const isUsed = (one: StatusColumn) => one.kind !== 'place' || this.places.has(one.at)
    const ofStatus = statuses.filter(isOfWords ? hasWords : isUsed).map((one) => one.at)
    return (field === 'status' ? ofStatus : [at[field]]).filter((one) => one !== -1)
  }

  /** The heading of a field's column, or of those whose words have a meaning: "Outcome or Status". */
  #column(field: Field): string | undefined {
    const columns = this.#columns(field, true)
    return columns.length === 0 ? undefined : columns.map((at) => this.#heading(at)).join(' or ')
  }
}

export type FileChoices = NonNullable<CsvReport['choices']>

export function headingsText(headings: readonly string[]): string {
  const some = headings.slice(0, HEADINGS_SHOWN).map((heading) => printable(onOneLine(heading).slice(0, MOST_LETTERS)))
  return `${some.join(', ')}${headings.length > some.length ? `, … (${headings.length} in all)` : ''}`
}
