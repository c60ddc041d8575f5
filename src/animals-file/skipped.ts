/** Rows of a table that are no animals: blank ones, repeated headers, totals and other lines with few cells. */
import { foldWord } from '../common/fold.ts'
import { LONGEST_WORD } from './bounds.ts'
import { UnreadableFile } from './file-errors.ts'
import { phrasesOf, wordsOf } from './lexicon.ts'
import { isBlank, type Layout } from './table.ts'

const TOTALS = phrasesOf('total')
/** A row that begins another table repeats at least so many headings. */
const LEAST_REPEATED = 2

export type Skipped = 'blank' | 'header' | 'other'

/** What a row is that is no animal; undefined if it could be one. Throws UnreadableFile where another table begins. */
export function skippedAs(
  record: readonly string[],
  line: number,
  { folded, headerLine }: Layout,
): Skipped | undefined {
  if (isBlank(record)) return 'blank'
  if (headerLine === 0) return undefined // objects have no lines between them
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
    // A row of animals differs in its first cells.
    if (other > 2 && same === 0) return false
  }
  if (same < LEAST_REPEATED) return same > 0 && other === 0
  if (other === 0) return true
  const advice = 'Put each table into a file or a sheet of its own, with its header row.'
  throw new UnreadableFile(`On line ${line} another table begins, with other columns. ${advice}`)
}

/** Whether it is a total or the footer of a page: few cells are filled. */
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
