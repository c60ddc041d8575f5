/**
 * Finds the table in the first records of a file: the record that is the header. Reports have titles above it, and a
 * header may take two records.
 */
import { foldWord } from '../common/fold.ts'
import { LONGEST_WORD } from './bounds.ts'
import { UnreadableFile } from './file-errors.ts'
import { isHeading, readHeading, scoresOf } from './headings.ts'
import { isBlank, type Layout, type TableHints, type TableRecord } from './table.ts'

const HEADERS_TRIED = 40
export const RECORDS_SAMPLED = 200
/** Of a record that may be the header. */
const CELLS_JUDGED = 500

/** Undefined if there is no record. `score` says how well the records make a table, from 0. */
export function layoutOf(lines: readonly TableRecord[], hints: TableHints) {
  const records = lines.filter(({ record }) => !isBlank(record))
  const candidates = records.slice(0, HEADERS_TRIED).map(({ record }) => record)
  if (candidates.length === 0) return undefined
  const widest = candidates.reduce((most, { length }) => Math.max(most, length), 0)
  const wide = candidates.findIndex(({ length }) => length === widest)
  // If no record is recognised as a header, the widest one is taken for it.
  const score = widest > 1 ? 0.01 * Math.min(widest, 50) : 0
  let best = { score, at: wide, header: candidates[wide] ?? [], last: wide }
  const consider = (header: readonly string[], at: number, last: number, handicap: number) => {
    const score = headingScore(header, hints.wanted) - handicap
    if (score > best.score) best = { score, at, header, last }
  }
  const named = hints.header === undefined ? -1 : records.findIndex(({ line }) => `${line}` === hints.header)
  if (named !== -1) best = { score: 10, at: named, header: records[named]?.record ?? [], last: named }
  else if (hints.header !== undefined) throw new UnreadableFile(`The file has no header row on line ${hints.header}.`)
  else {
    candidates.forEach((record, at) => {
      consider(record, at, at, 0)
      const next = records[at + 1]?.record
      if (next?.length !== record.length) return
      const joined = record.map((cell, index) => `${cell} ${next[index] ?? ''}`.trim())
      // Two records count as one header only if that makes clearly more columns known.
      consider(joined, at, at + 1, headingScore(next, hints.wanted) > 0 ? 1.5 : 0.5)
    })
  }
  const above = records.slice(0, best.at).map(({ record, line }) => {
    return { line, text: record.join(' ').slice(0, LONGEST_WORD).trim() }
  })
  const sample = records.slice(best.last + 1)
  const headerLine = records[best.last]?.line ?? 1
  const even = sample.filter(({ record }) => record.length === best.header.length).length / Math.max(1, sample.length)
  const layout: Layout = { ...headerOf(best.header), headerLine, above }
  return { score: best.score + even * 0.005, layout }
}

/** A heading that is there several times gets a number. */
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
  // A single field, or a row of data with a word that is also a heading's, is no header.
  const isTable = mappedCount > 1 || fields.size >= 2 || (fields.size === 1 && understood >= 2)
  return isTable
    ? mappedCount * 10 + fields.size + understood / Math.max(1, filled.length) + Math.min(understood, 20) * 0.05
    : 0
}
