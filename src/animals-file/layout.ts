/**
 * Finds the table in the first records of a file: the record that is the heading. Reports have titles above it, and a
 * heading may take two records.
 */
import { foldWord } from '../common/fold.ts'
import { isHeading, readHeading, scoresOf } from './headings.ts'
import type { Layout, ReadOptions, TableRecord } from './row.ts'

const HEADINGS_TRIED = 40
/** The number of records whose values are sampled to identify the columns. */
const RECORDS_JUDGED = 1_000
/** Of a record that may be the heading. */
const CELLS_JUDGED = 500
export const RECORDS_SAMPLED = HEADINGS_TRIED + RECORDS_JUDGED

export type LayoutHints = Pick<ReadOptions, 'mapping' | 'reference'>

/** Blank are also the ends of files that DOS has written (0x1A). */
export function isBlank(record: readonly string[]): boolean {
  return record.every((value) => value.replaceAll('\x1a', '').trim() === '')
}

/** Undefined if there is no record. `score` says how well the records make a table, from 0. */
export function layoutOf(lines: readonly TableRecord[], hints: LayoutHints) {
  const records = lines.filter(({ record }) => !isBlank(record))
  const candidates = records.slice(0, HEADINGS_TRIED).map(({ record }) => record)
  if (candidates.length === 0) return undefined
  const widest = Math.max(...candidates.map(({ length }) => length))
  const wide = candidates.findIndex(({ length }) => length === widest)
  // If no record is understood as a heading, the widest one is taken for it.
  const score = widest > 1 ? 0.01 * Math.min(widest, 50) : 0
  let best = { score, at: wide, header: candidates[wide] ?? [], last: wide }
  const consider = (header: readonly string[], at: number, last: number, handicap: number) => {
    const score = headingScore(header, hints) - handicap
    if (score > best.score) best = { score, at, header, last }
  }
  candidates.forEach((record, at) => {
    consider(record, at, at, 0)
    const next = records[at + 1]?.record
    if (next?.length !== record.length) return
    const joined = record.map((cell, index) => `${cell} ${next[index] ?? ''}`.trim())
    // Two records count as one heading only if that makes clearly more columns known.
    consider(joined, at, at + 1, headingScore(next, hints) > 0 ? 1.5 : 0.5)
  })
  const above = records.slice(0, best.at).map(({ record, line }) => ({ line, text: record.join(' ').trim() }))
  const sample = records.slice(best.last + 1, best.last + 1 + RECORDS_JUDGED).map(({ record }) => record)
  const headerLine = records[best.last]?.line ?? 1
  const even = sample.filter((record) => record.length === best.header.length).length / Math.max(1, sample.length)
  const layout: Layout = { header: numbered(best.header), headerLine, above, sample }
  return { score: best.score + even * 0.005, layout }
}

function numbered(header: readonly string[]): readonly string[] {
  const times = new Map<string, number>()
  return header.map((heading) => {
    const key = foldWord(heading)
    const n = (times.get(key) ?? 0) + 1
    times.set(key, n)
    return n === 1 || key === '' ? heading : `${heading.trim()} (${n})`
  })
}

function headingScore(record: readonly string[], { mapping, reference }: LayoutHints): number {
  const filled = record.filter((cell) => cell.trim() !== '')
  const mappedHeadings = [...mapping.columns.values(), reference ?? ''].filter((one) => one !== '').map(foldWord)
  const folded = new Set(filled.map(foldWord))
  const mappedCount = mappedHeadings.filter((one) => folded.has(one)).length
  const fields = new Set<string>()
  let understood = 0
  for (const cell of filled.slice(0, CELLS_JUDGED)) {
    if (/^[\d.,:/\s-]+$/.test(cell) || cell.length > 80) continue
    const heading = readHeading(cell)
    if (!isHeading(heading)) continue
    understood += 1
    for (const [field, score] of Object.entries(scoresOf(heading))) if (score >= 1.5) fields.add(field)
  }
  // A single field, or a row of data with a word that is also a heading's, is no heading.
  const isTable = mappedCount > 0 || fields.size >= 2 || (fields.size === 1 && understood >= 2)
  return isTable
    ? mappedCount * 10 + fields.size + understood / Math.max(1, filled.length) + Math.min(understood, 20) * 0.05
    : 0
}
