/**
 * Reads a workbook (.xlsx or .ods) in a thread, which has a bound for its memory and holds up nobody: the lines of the
 * first sheet with a table that is not hidden, a batch for each message.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { type CellValue, formatValue, type Sheet, type SheetFilterInfo } from 'hucre'
import { readOds } from 'hucre/ods'
import { readXlsx } from 'hucre/xlsx'
import { type LayoutHints, layoutOf, RECORDS_SAMPLED } from './layout.ts'
import { excerpt, type TableRecord } from './row.ts'

/** A workbook with more sheets has its list among the first. */
const SHEETS_TRIED = 20
const LINES_SENT = 1_000

/** What it is called, as in "Read as workbook", and what is in it. */
export interface SheetRead {
  readonly format: string
  readonly lines: TableRecord[]
}

const { file, hints }: { readonly file: Uint8Array; readonly hints: LayoutHints } = workerData
const { format, lines } = await tableIn(file)
parentPort?.on('message', () => parentPort?.postMessage({ format, lines: lines.splice(0, LINES_SENT) }))

async function tableIn(bytes: Uint8Array): Promise<SheetRead> {
  const names: string[] = []
  let first: SheetRead = { format: 'workbook', lines: [] }
  // An .ods file begins with its media type, which is not packed.
  const isOds = Buffer.from(bytes.subarray(0, 100)).includes('opendocument')
  for (let at = 0; at < SHEETS_TRIED; at += 1) {
    const isTried = ({ name, hidden = false, veryHidden = false }: SheetFilterInfo) => {
      if (at === 0 && !hidden && !veryHidden && !names.includes(name)) names.push(name)
      return name === names[at]
    }
    const options = { sheets: isTried, readStyles: true }
    const { sheets } = await (isOds ? readOds(bytes, options) : readXlsx(bytes, options))
    if (sheets[0] === undefined) break
    const of = `the sheet ${excerpt(sheets[0].name)} of a workbook with ${names.length} sheets`
    const sheet = { format: names.length > 1 ? of : 'workbook', lines: linesOf(sheets[0]) }
    if ((layoutOf(sheet.lines.slice(0, RECORDS_SAMPLED), hints)?.score ?? 0) >= 1) return sheet
    if (first.lines.length === 0) first = sheet
  }
  return first
}

function linesOf({ rows, cells }: Sheet): TableRecord[] {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  return rows.map((row, y) => ({
    line: y + 1,
    record: Array.from({ length: width }, (_, x) => textOf(row[x] ?? null, cells?.get(`${y},${x}`)?.style?.numFmt)),
  }))
}

/**
 * A value as the sheet shows it; a date with the year first, which no country reads otherwise, and a number that it
 * shortens (9.85E+14) with all its digits.
 */
function textOf(value: CellValue, format = 'General'): string {
  if (value === null) return ''
  if (value instanceof Date) {
    const [day = '', time = ''] = Number.isNaN(value.getTime()) ? [] : value.toISOString().split(/T|\.\d+Z$/)
    return time === '00:00:00' ? day : `${day} ${time}`.trim()
  }
  if (typeof value === 'boolean') return String(value).toUpperCase()
  const isShown = typeof value === 'number' && format !== 'General' && !/E[+-]/.test(format)
  return isShown ? formatValue(value, format) : String(value)
}
