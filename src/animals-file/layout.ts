/** Finds the header of a table, and the rows that are not animals: blank rows, repeated headers and totals. */
import { foldWord } from '../common/fold.ts'
import { LONGEST_WORD } from './bounds.ts'
import { UnreadableFile } from './file-errors.ts'
import { isHeading, readHeading, scoresOf } from './headings.ts'
import { phrasesOf, wordsOf } from './lexicon.ts'
import { isBlank, type Layout, type TableHints, type TableRecord } from './table.ts'

const TOTALS = phrasesOf('total')
const HEADERS_TRIED = 40
export const RECORDS_SAMPLED = 200
const CELLS_JUDGED = 500

/** Undefined without a record. `score` says how well the records form a table, from 0. */
export function layoutOf(lines: readonly TableRecord[], { header: named, wanted }: TableHints) {
  const records = lines.filter(({ record }) => !isBlank(record))
  if (records.length === 0) return undefined
  const tried =
    named === undefined ? records.slice(0, HEADERS_TRIED) : records.filter(({ line }) => `${line}` === named)
  const scored = tried.map(({ record, line }) => {
    // If no record is recognised as a header, the widest one is used.
    const width = record.length > 1 ? 0.01 * Math.min(record.length, 50) : 0
    return { record, line, score: Math.max(headingScore(record, wanted), width) + (named === undefined ? 0 : 1) }
  })
  const [best] = scored.sort((a, b) => b.score - a.score)
  if (best === undefined) throw new UnreadableFile(`The file has no header row on line ${named}.`)
  const above = records.filter(({ line }) => line < best.line)
  const titles = above.map(({ record }) => record.join(' ').slice(0, LONGEST_WORD).trim())
  const layout: Layout = { ...headerOf(best.record), headerLine: best.line, above: titles }
  return { score: best.score, layout }
}

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
  const filled = record.slice(0, CELLS_JUDGED).filter((cell) => cell.length <= LONGEST_WORD && cell.trim() !== '')
  const mapped = new Set(filled.map(foldWord)).intersection(wanted).size
  const known = filled
    .filter((cell) => !/^[\d.,:/\s-]+$/.test(cell))
    .map(readHeading)
    .filter(isHeading)
  const fits = known.flatMap((heading) => Object.entries(scoresOf(heading)).filter(([, score]) => score >= 1.5))
  const fields = new Set(fits.map(([field]) => field)).size
  // A single field, or a row of data with a word of a header, is not a header.
  const isTable = mapped > 1 || fields >= 2 || (fields === 1 && known.length >= 2)
  return isTable ? mapped * 10 + fields + Math.min(known.length, 20) * 0.05 : 0
}

export type Skipped = NonNullable<ReturnType<typeof skippedAs>>

/** Why a row is not an animal; undefined if it could be one. Throws UnreadableFile if another table begins. */
export function skippedAs(record: readonly string[], line: number, { folded, headerLine }: Layout) {
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
  if (same < 2) return same > 0 && other === 0
  if (other === 0) return true
  const advice = 'Put each table into a file or a sheet of its own, with its header row.'
  throw new UnreadableFile(`On line ${line} another table begins, with other columns. ${advice}`)
}

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
