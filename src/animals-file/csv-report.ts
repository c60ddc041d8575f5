/**
 * Collects how a CSV file was understood, for the person who imports it: the columns and words that were recognised,
 * the rows left out, and the open questions. Each is reported once, with its count and first lines.
 */
import { foldWord } from '../common/fold.ts'
import { printable } from '../common/printable.ts'
import type { StagedFile } from '../store/staging.ts'
import type { Columns } from './columns.ts'
import { columnRule, type Field, fieldName, type Mapping, PLACEHOLDER, wordRule } from './mapping.ts'
import { type Layout, onOneLine, shown } from './row.ts'
import { MEANINGS } from './statuses.ts'
import { type Found, LineNumbers, linesText, ValueCounts, wordsToChoose } from './value-counts.ts'

const CATEGORIES_SHOWN = 10
const COLUMNS_OFFERED = 200
const HEADINGS_SHOWN = 20
const MOST_LETTERS = 40

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

export class CsvReport {
  blankRows = 0
  readonly unnamed = new LineNumbers()
  /** Rows without a name, whose animals are called by their reference. */
  readonly numbered = new LineNumbers()
  readonly headerRows = new LineNumbers()
  readonly otherRows = new LineNumbers()
  /** Lines about the animal above them, as its vaccinations. */
  readonly detailRows = new LineNumbers()
  /** Rows that newer ones about the same animal replace. */
  olderRows: StagedFile['older'] = { rows: 0, lines: [] }
  /** The columns of places and health that said of somebody that it has left. */
  readonly places = new Set<number>()
  readonly goneRows = new ValueCounts()
  readonly sections = new ValueCounts()
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
    return this.#heading(this.table?.columns.at.reference ?? -1)
  }

  get found(): Found | undefined {
    if (this.table === undefined) return undefined
    const { at, status } = this.table.columns
    const heading = (index: number) => this.#heading(index)
    const columns = {
      ...{ name: heading(at.name), categoryId: heading(at.categoryId), reference: heading(at.reference) },
      status: status.length === 0 ? undefined : status.map(heading).join(' or '),
    }
    const named = new Map(this.table.layout.header.map((one) => [foldWord(one), onOneLine(one)]))
    const headings = [...named.values()].filter((one) => one !== '').slice(0, COLUMNS_OFFERED)
    return { headings, columns, ...wordsToChoose(this.statuses, this.categories) }
  }

  /** Undefined if nothing could be read. */
  get description(): string | undefined {
    if (this.table === undefined) return undefined
    const columns = this.#fields().flatMap(([field, some]) => {
      const names = some.map((one) => this.#heading(one) ?? '').filter((heading) => heading !== '')
      if (names.length === 0) return []
      const shownNames = names.map((one) => `"${printable(one)}"`).join(', ')
      return names.length === 1 && names[0] === field ? field : `${fieldName(field)} from ${shownNames}`
    })
    const rows = this.blankRows === 1 ? 'row' : 'rows'
    const blank = this.blankRows === 0 ? '' : `; ${this.blankRows} blank ${rows} skipped`
    const found = columns.length === 0 ? '' : `: ${columns.join(', ')}`
    return `${this.table.format}${found}${blank}`
  }

  /** The guesses, written as --map rules. */
  get guessedRules(): readonly string[] {
    const { guessed = new Set<Field>(), commonSpecies: oneKind } = this.table?.columns ?? {}
    const { at, status } = this.table?.columns ?? { at: undefined, status: [] }
    const columns = (['reference', 'id', 'name', 'categoryId', 'status'] as const).flatMap((field) => {
      const some = field === 'status' ? status : [at?.[field] ?? -1].filter((one) => one !== -1)
      const headings = some.map((one) => this.#heading(one) ?? '')
      return guessed.has(field) && headings.length > 0 ? [columnRule(field, headings.join(' or '))] : []
    })
    const words = this.statuses.guesses.map(({ as, meaning = '' }) => wordRule('status', as, meaning))
    const kinds = this.table?.columns.isOfBreeds ? this.categories.guesses : []
    const breeds = kinds.map(({ as, label = '' }) => wordRule('categoryId', as, label))
    return [...columns, ...(oneKind === undefined ? [] : [wordRule('categoryId', '', oneKind)]), ...breeds, ...words]
  }

  /** A mapping for a person to complete, one rule a line, with `?` for each open question; empty if there is none. */
  get openRules(): readonly string[] {
    if (this.table === undefined) return []
    const { layout, columns, mapping } = this.table
    const { at, unclear, commonSpecies: oneKind, hasSections } = columns
    const open: string[] = []
    const ask = (field: Field) => {
      const some = (unclear.get(field) ?? []).map((index) => this.#heading(index) ?? '')
      const free = some.length > 0 ? some : layout.header.map(onOneLine).filter((heading) => heading !== '')
      open.push(`# ${fieldName(field)}: one of ${headingsText(free)}`, columnRule(field, PLACEHOLDER))
    }
    for (const field of ['name', 'categoryId', 'status', 'reference'] as const) if (unclear.has(field)) ask(field)
    if (at.name === -1 && at.reference === -1 && !unclear.has('name')) ask('name')
    const isSaid = oneKind !== undefined || hasSections || mapping.values.get('categoryId')?.has('') === true
    if (at.categoryId === -1 && !isSaid && !unclear.has('categoryId')) {
      open.push('# the kind of all animals, as Dogs, if no column says it', wordRule('categoryId', '', PLACEHOLDER))
    }
    const statuses = this.statuses.unknown.map(({ as, lines }) => [`# ${lines}`, wordRule('status', as, PLACEHOLDER)])
    const kinds = this.categories.unknown
      .filter(({ as }) => as !== '' || at.categoryId !== -1)
      .map(({ as, lines }) => [`# ${lines}`, wordRule('categoryId', as, PLACEHOLDER)])
    if (statuses.length > 0) open.push(`# a status means ${MEANINGS.join(', ')}`, ...statuses.flat())
    if (kinds.length > 0) open.push('# a category means its number, or a name that is there', ...kinds.flat())
    return open.length === 0 ? [] : [...this.guessedRules, ...open]
  }

  get notes(): readonly Note[] {
    return [...this.#choiceNotes(), ...this.#columnNotes(), ...this.#rowNotes()]
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
    const { at, status, intake, departures } = this.table.columns
    const used = new Set([...this.#fields().flatMap(([, columns]) => columns), intake, ...departures])
    const dropped = header.filter((heading, index) => !used.has(index) && heading.trim() !== '')
    if (dropped.length > 0) yield { text: `Columns left out: ${headingsText(dropped)}.` }
    const headings = new Set(header.map(foldWord))
    for (const index of new Set([...Object.values(at), ...status])) {
      const heading = header[index] ?? ''
      if (heading === '' || !headings.has(`${foldWord(heading)}(2)`)) continue
      yield {
        text: `The heading ${shown(heading)} is there more than once; its first column, number ${index + 1}, is used.`,
      }
    }
  }

  *#rowNotes(): Iterable<Note> {
    const { detailRows, headerRows, otherRows, unnamed, numbered, olderRows, goneRows, sections } = this
    if (headerRows.count > 0) yield { text: `The header is there again ${headerRows}, and left out.` }
    const details = `Lines with the reference of the animal above and no category are left out ${detailRows}.`
    if (detailRows.count > 0) yield { text: details }
    if (otherRows.count > 0) yield { text: `Totals, and other lines that are no animal, are left out ${otherRows}.` }
    const repeated = `Several rows are about one animal: the newest counts, and older ones are left out ${linesText(olderRows.rows, olderRows.lines)}.`
    if (olderRows.rows > 0) yield { text: repeated }
    if (sections.count > 0) yield { text: `The category of the rows below them: ${sections}.` }
    if (goneRows.count > 0) yield { text: `Not there any more, and left out: ${goneRows}.` }
    if (numbered.count > 0) yield { text: `No name ${numbered}: such an animal is called by its number.` }
    if (unnamed.count > 0) yield { text: `No name ${unnamed}: such an animal has an empty name.` }
  }

  #heading(index: number): string | undefined {
    return index === -1 ? undefined : onOneLine(this.table?.layout.header[index] ?? '')
  }

  /** The columns of each field; those of the status in the order in which they are read. */
  #fields(): readonly (readonly [Field, readonly number[]])[] {
    if (this.table === undefined) return []
    const { at, status, others, flags } = this.table.columns
    const single = (['reference', 'id', 'name', 'categoryId'] as const).map((one) => [one, [at[one]]] as const)
    const said = [...status, ...others, ...this.places, ...flags.map((flag) => flag.at)]
    return [...single.map(([field, some]) => [field, some.filter((one) => one !== -1)] as const), ['status', said]]
  }
}

export function headingsText(headings: readonly string[]): string {
  const some = headings.slice(0, HEADINGS_SHOWN).map((heading) => printable(onOneLine(heading).slice(0, MOST_LETTERS)))
  return `${some.join(', ')}${headings.length > some.length ? `, … (${headings.length} in all)` : ''}`
}
