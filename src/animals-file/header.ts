/**
 * Which columns of a CSV file hold the fields: those that the mapping names, else those with the field's own heading,
 * else the one column that has another heading for it (./words.ts). Where several could be meant it says which.
 */
import { foldWord } from '../common/fold.ts'
import { printable } from '../common/printable.ts'
import { type Field, type Mapping, mapArgument } from './mapping.ts'
import { UnreadableFile } from './row.ts'
import { HEADINGS } from './words.ts'

/** Headings in one message. */
const HEADINGS_SHOWN = 20
const MOST_LETTERS = 40

/** The columns of the fields, counted from 0; -1 is none. */
interface Columns {
  readonly at: Readonly<Record<Field, number>>
  /** Fields whose column was guessed. */
  readonly guessed: readonly Field[]
}

/** Throws UnreadableFile. */
export function findColumns(header: readonly string[], mapping: Mapping, withIds: boolean): Columns {
  const guessed: Field[] = []
  const columnOf = (field: Field): number => {
    const { found, isGuess } = columnsFor(field, header, mapping)
    if (found.length > 1) throw unclear(field, header, found)
    if (found[0] === undefined) return -1
    if (isGuess) guessed.push(field)
    return found[0]
  }
  const at = {
    id: withIds ? columnOf('id') : -1,
    name: columnOf('name'),
    categoryId: columnOf('categoryId'),
    status: columnOf('status'),
  }
  const needed: readonly Field[] = [
    ...(withIds ? (['id'] as const) : []),
    'name',
    'categoryId',
    ...((mapping.columns.get('status') ?? '') === '' ? [] : (['status'] as const)),
  ]
  const missing = needed.filter((field) => at[field] === -1)
  if (missing.length > 0) throw noColumn(missing, header, mapping)
  return { at, guessed }
}

/** The columns as far as they are clear. */
export function chosenColumns(header: readonly string[], mapping: Mapping): Readonly<Record<Field, number>> {
  const columnOf = (field: Field): number => {
    const [first = -1, ...others] = columnsFor(field, header, mapping).found
    return others.length === 0 ? first : -1
  }
  return { id: -1, name: columnOf('name'), categoryId: columnOf('categoryId'), status: columnOf('status') }
}

/** The columns that a field could have. */
function columnsFor(field: Field, header: readonly string[], mapping: Mapping) {
  const headings = header.map(foldWord)
  const named = mapping.columns.get(field)
  if (named === '') return { found: [], isGuess: false }
  const own = headings.indexOf(foldWord(named ?? field))
  if (own !== -1 || named !== undefined || field === 'id') return { found: own === -1 ? [] : [own], isGuess: false }
  const others: readonly string[] = HEADINGS[field].map(foldWord)
  return { found: [...headings.keys()].filter((index) => others.includes(headings[index] ?? '')), isGuess: true }
}

/** The column of the references. Throws UnreadableFile. */
export function findReference(header: readonly string[], reference: string): number {
  const at = header.map(foldWord).indexOf(foldWord(reference))
  if (at === -1) throw headerLacks(reference, header, 'Name the column of the references with --ref.')
  return at
}

/** Headings of columns, for a message. */
export function headingsText(headings: readonly string[]): string {
  const shown = headings.slice(0, HEADINGS_SHOWN).map((heading) => printable(heading.trim().slice(0, MOST_LETTERS)))
  return `${shown.join(', ')}${headings.length > shown.length ? `, … (${headings.length} in all)` : ''}`
}

/** A heading or a word that was understood as it stands in the file, on one line. */
export function onOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

function noColumn(missing: readonly Field[], header: readonly string[], mapping: Mapping): UnreadableFile {
  const wanted = missing.map((field) => mapping.columns.get(field) ?? field).join(', ')
  const example = missing.map((field) => `${field}=COLUMN`)
  return headerLacks(wanted, header, `If a column has another name, name it with ${mapArgument(example)}.`)
}

function headerLacks(wanted: string, header: readonly string[], advice: string): UnreadableFile {
  return new UnreadableFile(
    `Line 1: the header has no column ${printable(wanted)}; it is: ${headingsText(header)}.`,
    advice,
  )
}

function unclear(field: Field, header: readonly string[], found: readonly number[]): UnreadableFile {
  const names = found.map((index) => onOneLine(header[index] ?? ''))
  const none = field === 'status' ? `, or ${mapArgument(['status='])} if none is` : ''
  return new UnreadableFile(
    `Line 1: ${names.map((name) => `"${name}"`).join(' and ')} could each be the ${field}.`,
    `Say which one is, as in ${mapArgument([`${field}=${names[0]}`])}${none}.`,
  )
}
