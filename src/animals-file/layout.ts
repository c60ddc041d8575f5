/**
 * Finds the table in a file: the separator that splits its first records into known columns, and the record that is the
 * heading. Reports have titles above the heading, and a heading may take two records.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { foldWord } from '../common/fold.ts'
import { isHeading, readHeading, scoresOf } from './headings.ts'
import type { ReadOptions } from './row.ts'

export const SEPARATORS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' } as const
type Separator = keyof typeof SEPARATORS

const RECORDS_TRIED = 40
/** The number of records whose values are sampled to identify the columns. */
const RECORDS_JUDGED = 1_000

export interface Layout {
  readonly separator: Separator
  /** Whether spaces after a separator are ignored, as in `"a", "b"`. */
  readonly isSpaced: boolean
  readonly header: readonly string[]
  /** The last line of the heading, counted from 1. The animals begin below it. */
  readonly headerLine: number
  /** The lines above the heading that are not blank. */
  readonly above: readonly { readonly line: number; readonly text: string }[]
  readonly sample: readonly (readonly string[])[]
}

type Sampled = { readonly record: readonly string[]; readonly line: number }

/** Undefined if the text has no record. */
export async function findLayout(start: string, wanted: ReadOptions): Promise<Layout | undefined> {
  const all = Object.keys(SEPARATORS) as Separator[]
  const named = all.find((one) => new RegExp(`^"?sep=${one === '|' ? '\\|' : one}"?\\s*[\\r\\n]`).test(start))
  const tried = named === undefined ? all : [named]
  let best: ReturnType<typeof layoutOf>
  for (const separator of tried) {
    const found = layoutOf(start, separator, wanted)
    if (found !== undefined && found.score > (best?.score ?? -1)) best = found
    await nextTurn()
  }
  return best?.layout
}

export function isBlank(record: readonly string[]): boolean {
  return record.every((value) => value.trim() === '')
}

function layoutOf(start: string, separator: Separator, wanted: ReadOptions) {
  const plain = sampleOf(start, separator, false)
  const isSpaced = plain.some(
    ({ record: [, ...others] }) => others.length > 0 && others.every((value) => /^ +".*"$/s.test(value)),
  )
  const all = isSpaced ? sampleOf(start, separator, true) : plain
  const isSeparator = (record: readonly string[]) => record[0] === 'sep=' || /^sep=.?$/.test(record.join(''))
  const records = all.filter(({ record }) => !isBlank(record) && !isSeparator(record))
  if (records.length === 0) return undefined
  let best = { score: -1, at: 0, header: records[0]?.record ?? [], last: 0 }
  const consider = (header: readonly string[], at: number, last: number, handicap: number) => {
    const score = headingScore(header, wanted) - handicap
    if (score > best.score) best = { score, at, header, last }
  }
  records.slice(0, RECORDS_TRIED).forEach(({ record }, at) => {
    consider(record, at, at, 0)
    const next = records[at + 1]?.record
    if (next !== undefined && next.length === record.length) {
      const joined = record.map((cell, index) => `${cell} ${next[index] ?? ''}`.trim())
      // Two records count as one heading only if that makes clearly more columns known.
      consider(joined, at, at + 1, headingScore(next, wanted) > 0 ? 1.5 : 0.5)
    }
  })
  // No record is understood as a heading, so the widest one is taken for it.
  if (best.score <= 0) {
    const widest = Math.max(...records.slice(0, RECORDS_TRIED).map(({ record }) => record.length))
    const at = records.findIndex(({ record }) => record.length === widest)
    best = { score: widest > 1 ? 0.01 * Math.min(widest, 50) : 0, at, header: records[at]?.record ?? [], last: at }
  }
  const above = records.slice(0, best.at).map(({ record, line }) => ({ line, text: record.join(' ').trim() }))
  const sample = records.slice(best.last + 1, best.last + 1 + RECORDS_JUDGED).map(({ record }) => record)
  const headerLine = records[best.last]?.line ?? 1
  const even = sample.filter((record) => record.length === best.header.length).length / Math.max(1, sample.length)
  const layout = { separator, isSpaced, header: best.header, headerLine, above, sample }
  return { score: best.score + even * 0.005, layout }
}

function sampleOf(start: string, delimiter: Separator, isSpaced: boolean): readonly Sampled[] {
  const sampled: Sampled[] = []
  try {
    parse(start, {
      delimiter,
      ltrim: isSpaced,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      to: RECORDS_TRIED + RECORDS_JUDGED,
      on_record: (record: readonly string[], { lines }) => {
        sampled.push({ record, line: lines })
        return null
      },
    })
  } catch {} // the last record is cut, or a quote is not closed: the records before it suffice
  return sampled
}

function headingScore(record: readonly string[], { mapping, reference }: ReadOptions): number {
  const filled = record.filter((cell) => cell.trim() !== '')
  const wanted = [...mapping.columns.values(), reference ?? ''].filter((one) => one !== '').map(foldWord)
  const folded = new Set(filled.map(foldWord))
  const named = wanted.filter((one) => folded.has(one)).length
  const fields = new Set<string>()
  let known = 0
  for (const cell of filled) {
    if (/^[\d.,:/\s-]+$/.test(cell) || cell.length > 80) continue
    const heading = readHeading(cell)
    if (!isHeading(heading)) continue
    known += 1
    for (const [field, score] of Object.entries(scoresOf(heading))) if (score >= 1.5) fields.add(field)
  }
  // A single field, or a row of data with a word that is also a heading's, is no heading.
  const isTable = named > 0 || fields.size >= 2 || (fields.size === 1 && known >= 2)
  return isTable ? named * 10 + fields.size + known / Math.max(1, filled.length) + Math.min(known, 20) * 0.05 : 0
}
