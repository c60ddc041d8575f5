/**
 * Finds the header of a table, which can have titles above it, and the rows that are not animals: blank rows, repeated
 * headers, totals and other rows with few cells.
 */
import { foldWord } from '../common/fold.ts'
import { LONGEST_WORD } from './bounds.ts'
import { UnreadableFile } from './file-errors.ts'
import { isHeading, readHeading, scoresOf } from './headings.ts'
import { phrasesOf, wordsOf } from './lexicon.ts'
import { isBlank, type Layout, type TableHints, type TableRecord } from './table.ts'

const TOTALS = phrasesOf('total')
const LEAST_REPEATED = 2
const HEADERS_TRIED = 40
export const RECORDS_SAMPLED = 200
const CELLS_JUDGED = 500

/** Undefined without a record. `score` says how well the records form a table, from 0. */
export function layoutOf(lines: readonly TableRecord[], hints: TableHints) {
  const records = lines.filter(({ record }) => !isBlank(record))
  const candidates = records.slice(0, HEADERS_TRIED).map(({ record }) => record)
  if (candidates.length === 0) return undefined
  const widest = candidates.reduce((most, { length }) => Math.max(most, length), 0)
  const wide = candidates.findIndex(({ length }) => length === widest)
  // If no record is recognised as a header, the widest one is used.
  const score = widest > 1 ? 0.01 * Math.min(widest, 50) : 0
  let best = { score, at: wide }
  const named = hints.header === undefined ? -1 : records.findIndex(({ line }) => `${line}` === hints.header)
  if (named !== -1) best = { score: 10, at: named }
  else if (hints.header !== undefined) throw new UnreadableFile(`The file has no header row on line ${hints.header}.`)
  else {
    for (const [at, record] of candidates.entries()) {
      const score = headingScore(record, hints.wanted)
      if (score > best.score) best = { score, at }
    }
  }
  const { record: header = [], line: headerLine = 1 } = records[best.at] ?? {}
  const above = records.slice(0, best.at).map(({ record }) => record.join(' ').slice(0, LONGEST_WORD).trim())
  const layout: Layout = { ...headerOf(header), headerLine, above }
  return { score: best.score, layout }
}

/** A repeated header gets a number. */
export function headerOf(record: readonly string[]): Pick<Layout, 'header' | 'folded'> {
  const times = new Map<string, number>()
  const texts = record.map((heading) => heading.slice(0, LONGEST_WORD))
  const folded = texts.map(foldWord)
  const header = texts.map((text, at) => {
    const key = folded[at] ?? ''
    const n = (times.get(key) ?? 0) + 1
    times.set(key, n)
    return n === 1 || key === '' ? text : `${text.trim()} (${n})`
  })
  return { header, folded }
}

export function headingScore(record: readonly string[], wanted: ReadonlySet<string>): number {
  const filled = record.filter((cell) => cell !== '' && cell.length <= LONGEST_WORD && cell.trim() !== '')
  const folded = new Set(filled.slice(0, CELLS_JUDGED).map(foldWord))
  const mappedCount = [...folded].filter((one) => wanted.has(one)).length
  const fields = new Set<string>()
  let understood = 0
  for (const cell of filled.slice(0, CELLS_JUDGED)) {
    if (/^[\d.,:/\s-]+$/.test(cell)) continue
    const heading = readHeading(cell)
    if (!isHeading(heading)) continue
    understood += 1
    for (const [field, score] of Object.entries(scoresOf(heading))) if (score >= 1.5) fields.add(field)
  }
  // A single field, or a row of data with a word of a header, is not a header.
  const isTable = mappedCount > 1 || fields.size >= 2 || (fields.size === 1 && understood >= 2)
  return isTable ? mappedCount * 10 + fields.size + Math.min(understood, 20) * 0.05 : 0
}

export type Skipped = 'blank' | 'header' | 'other'

/** Why a row is not an animal; undefined if it could be one. Throws UnreadableFile if another table begins. */
export function skippedAs(
  record: readonly string[],
  line: number,
  { folded, headerLine }: Layout,
): Skipped | undefined {
  if (isBlank(record)) return 'blank'
  if (headerLine === 0) return undefined // JSON objects have no lines
  if (isHeader(record, line, folded)) return 'header'
  return isSummary(record, folded.length) ? 'other' : undefined
}

function isHeader(record: readonly string[], line: number, folded: readonly string[]): boolean {
  let [same, other] = [0, 0]
  for (const [at, heading] of folded.entries()) {
    const cell = record[at] ?? ''
    const isSame = cell.length <= LONGEST_WORD && foldWord(cell) === heading
    if (isSame && heading !== '') same += 1
    else if (!isSame) other += 1
    // Rows of animals differ in their first cells.
    if (other > 2 && same === 0) return false
  }
  if (same < LEAST_REPEATED) return same > 0 && other === 0
  if (other === 0) return true
  const advice = 'Put each table into a file or a sheet of its own, with its header row.'
  throw new UnreadableFile(`On line ${line} another table begins, with other columns. ${advice}`)
}

/** Whether the row is a total or a page footer, with few filled cells. */
function isSummary(record: readonly string[], columns: number): boolean {
  const filled: string[] = []
  for (const cell of record) {
    if (cell !== '' && cell.trim() !== '' && filled.push(cell) > columns / 2) return false
  }
  if (columns >= 4 && filled.length === 1) return true
  const isTotal = filled.slice(0, 2).some((value) => {
    const [first = '', second = ''] = wordsOf(value)
    return TOTALS.has(first) || TOTALS.has(`${first} ${second}`)
  })
  return isTotal && (filled.length < 3 || filled.some((value) => /\d/.test(value) && !/\p{L}/u.test(value)))
}
