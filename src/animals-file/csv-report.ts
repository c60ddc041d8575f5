/**
 * Collects how a file was understood, for the person who imports it: the columns and words that were recognised, the
 * rows left out, and the open questions. Each is reported once, with its count and first lines.
 */
import { foldWord } from '../common/fold.ts'
import { printable } from '../common/printable.ts'
import type { Columns } from './columns.ts'
import { LineNumbers, ValueCounts } from './counts.ts'
import { columnRule, FIELDS, type Field, fieldName, type Mapping, PLACEHOLDER, wordRule } from './mapping.ts'
import { type Layout, onOneLine, shown } from './row.ts'
import { MEANINGS } from './statuses.ts'

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

/** What is said of rows that are not taken as they are, in this order; each has the lines or values that are counted. */
const ROW_NOTES = {
  headers: 'The header is there again #, and left out.',
  details: 'Lines with the reference of the animal above and no category are left out #.',
  others: 'Totals, and other lines that are no animal, are left out #.',
  older: 'Several rows are about one animal: the newest counts, and older ones are left out #.',
  sections: 'The category of the rows below them: #.',
  gone: 'Not there any more, and left out: #.',
  numbered: 'No name #: such an animal is called by its number.',
  unnamed: 'No name #: such an animal has an empty name.',
} as const

export class CsvReport {
  blankRows = 0
  readonly rows = {
    ...{ headers: new LineNumbers(), details: new LineNumbers(), others: new LineNumbers(), older: new LineNumbers() },
    ...{
      sections: new ValueCounts(),
      gone: new ValueCounts(),
      /** By the number of the category, empty where it is not understood. */
      goneIn: new ValueCounts(),
      numbered: new LineNumbers(),
      unnamed: new LineNumbers(),
    },
  }
  /** The columns of places and health that said of somebody that it has left. */
  readonly places = new Set<number>()
  readonly statuses = new ValueCounts()
  readonly categories = new ValueCounts()
  /** Undefined if no header was read. */
  table: Table | undefined

  /** Whether the file has a column for the status. If so, an empty field means that the animal has none. */
  get hasStatus(): boolean {
    const { status = [], flags = [], others = [] } = this.table?.columns ?? {}
    return status.length + flags.length + others.length > 0
  }

  get reference(): string | undefined {
    return this.#headings('reference')[0]
  }

  /** Columns and values whose meaning can be chosen, the most frequent first. */
  get found() {
    if (this.table === undefined) return undefined
    const heading = (field: Field) => this.#headings(field)[0]
    const status = this.table.columns.status.map((at) => this.#heading(at)).join(' or ')
    const columns = { name: heading('name'), categoryId: heading('categoryId'), reference: heading('reference') }
    const named = new Map(this.table.layout.header.map((one) => [foldWord(one), onOneLine(one)]))
    const headings = [...named.values()].filter((one) => one !== '').slice(0, COLUMNS_OFFERED)
    const all = (['categoryId', 'status'] as const).map((field) =>
      (field === 'status' ? this.statuses : this.categories).all
        .map(({ as, lines, meaning }) => ({ field, word: as, rows: lines.count, meaning }))
        .filter(({ word, meaning }) => word.length <= LONGEST_WORD && (field === 'status' || word !== meaning)),
    )
    const words = all.flatMap((some) => some.slice(0, WORDS_OFFERED))
    const moreWords = all.flat().length - words.length
    return { headings, columns: { ...columns, status: status === '' ? undefined : status }, words, moreWords }
  }

  /** Undefined if nothing could be read. */
  get description(): string | undefined {
    if (this.table === undefined) return undefined
    const columns = FIELDS.flatMap((field) => {
      const names = this.#headings(field).filter((heading) => heading !== '')
      const shownNames = names.map((one) => `"${printable(one)}"`).join(', ')
      return names.length === 0 ? [] : `${names}` === field ? field : `${fieldName(field)} from ${shownNames}`
    })
    const blank = `; ${this.blankRows} blank ${this.blankRows === 1 ? 'row' : 'rows'} skipped`
    const found = columns.length === 0 ? '' : `: ${columns.join(', ')}`
    return `${this.table.format}${found}${this.blankRows === 0 ? '' : blank}`
  }

  /** The guesses, written as --map rules. */
  get guessedRules(): readonly string[] {
    if (this.table === undefined) return []
    const { mapping, columns } = this.table
    const { commonSpecies, isOfBreeds, status } = columns
    const guessed = FIELDS.filter((field) => !mapping.columns.has(field)).flatMap((field) => {
      const headings = field === 'status' ? status.map((at) => this.#heading(at)) : this.#headings(field)
      return headings.length > 0 ? [columnRule(field, headings.join(' or '))] : []
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
    const asked = [...columns.open].flatMap(([field, some]) => {
      if (field === 'categoryId' && some.length === 0)
        return ['# the kind of all animals, as Dogs, if no column says it', wordRule(field, '', PLACEHOLDER)]
      const offered = some.length > 0 ? some.map((at) => this.#heading(at)) : layout.header.map(onOneLine)
      const text = headingsText(offered.filter((heading) => heading !== ''))
      return [`# ${fieldName(field)}: one of ${text}`, columnRule(field, PLACEHOLDER)]
    })
    const open = (field: 'status' | 'categoryId', { unknown }: ValueCounts, says: string) => {
      const words = unknown.filter(({ as }) => as !== '' || field === 'status' || columns.at.categoryId !== -1)
      const rules = words.flatMap(({ as, lines }) => [`# ${lines}`, wordRule(field, as, PLACEHOLDER)])
      return rules.length === 0 ? [] : [`# ${says}`, ...rules]
    }
    const rules = [
      ...asked,
      ...open('status', this.statuses, `a status means ${MEANINGS.join(', ')}`),
      ...open('categoryId', this.categories, 'a category means its number, or a name that is there'),
    ]
    return rules.length === 0 ? [] : [...this.guessedRules, ...rules]
  }

  get notes(): readonly Note[] {
    const rows = (Object.keys(ROW_NOTES) as (keyof typeof ROW_NOTES)[]).filter((one) => this.rows[one].count > 0)
    const told = rows.map((one) => ({ text: ROW_NOTES[one].replace('#', () => `${this.rows[one]}`) }))
    return [...this.#choiceNotes(), ...this.#columnNotes(), ...told]
  }

  *#choiceNotes(): Iterable<Note> {
    const { ready, columns } = this.table ?? {}
    if (ready !== undefined) yield { text: `Read by the ready mapping @${ready}.`, isOfChoice: true }
    const words = this.statuses.guesses.map(({ as, meaning }) => `${shown(as)} is ${meaning}`)
    if (words.length > 0) yield { text: `Understood: ${words.join(', ')}.`, isOfChoice: true }
    const kinds = this.categories.guesses
      .slice(0, CATEGORIES_SHOWN)
      .map(({ guess = '', meaning, label }) => `${shown(guess)} is ${meaning} (${printable(label ?? '')})`)
    const another = `Categories by another form of their name: ${kinds.join(', ')}.`
    if (kinds.length > 0) yield { text: another, isOfChoice: true }
    const { commonSpecies: oneKind = '' } = columns ?? {}
    const all = `the category of all is ${shown(oneKind)}, as the file says of itself.`
    if (oneKind !== '') yield { text: `No column says what kind of animal it is: ${all}` }
  }

  *#columnNotes(): Iterable<Note> {
    if (this.table === undefined) return
    const { header, above, headerLine } = this.table.layout
    const last = above.at(-1)?.line
    if (last !== undefined) {
      const lines = above.length === 1 ? `Line ${last} is` : `The lines before line ${headerLine} are`
      yield { text: `${lines} above the heading, and left out: ${shown(above.map(({ text }) => text).join(' / '))}.` }
    }
    const { at, status, others, flags, intake, departures } = this.table.columns
    const used = new Set([...Object.values(at), ...status, ...others, ...this.places, intake, ...departures])
    for (const flag of flags) used.add(flag.at)
    const dropped = header.filter((heading, index) => !used.has(index) && heading.trim() !== '')
    if (dropped.length > 0) yield { text: `Columns left out: ${headingsText(dropped)}.` }
  }

  #heading(index: number): string {
    return onOneLine(this.table?.layout.header[index] ?? '')
  }

  /** The headings of a field's columns; those of the status in the order in which they are read. */
  #headings(field: Field): readonly string[] {
    if (this.table === undefined) return []
    const { at, status, others, flags } = this.table.columns
    const all =
      field === 'status' ? [...status, ...others, ...this.places, ...flags.map((flag) => flag.at)] : [at[field]]
    return all.filter((one) => one !== -1).map((one) => this.#heading(one))
  }
}

export type Found = NonNullable<CsvReport['found']>

export function headingsText(headings: readonly string[]): string {
  const some = headings.slice(0, HEADINGS_SHOWN).map((heading) => printable(onOneLine(heading).slice(0, MOST_LETTERS)))
  return `${some.join(', ')}${headings.length > some.length ? `, … (${headings.length} in all)` : ''}`
}
