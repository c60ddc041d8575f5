/** A workbook (.xlsx or .ods) as people see it: without hidden rows, and with merged cells in all their rows. */
import { type Cell, type CellValue, formatValue, type Sheet, type SheetFilterInfo } from 'hucre'
import { readOds } from 'hucre/ods'
import { readXlsx } from 'hucre/xlsx'
import { foldWord } from '../common/fold.ts'
import { MOST_COLUMNS } from './bounds.ts'
import type { WorkbookFile } from './container.ts'
import { UnreadableFile } from './file-errors.ts'
import { layoutOf, RECORDS_SAMPLED } from './layout.ts'
import { OPEN } from './mapping.ts'
import { isBlank, type Setting, type SourceItem, type Table, type TableHints } from './table.ts'

const SHEETS_TRIED = 20
const MOST_ROWS_OF_SHEET = 1 << 20
/** The value of a formula whose result is not in the file. */
const NO_RESULT = '#FORMULA'
const ALL = '*'

export async function openWorkbook(workbook: WorkbookFile, hints: TableHints): Promise<Table | undefined> {
  const sheets = await sheetsOf(workbook, hints)
  const tables = sheets.filter(({ score }) => score >= 1)
  const [first] = tables.length > 0 ? tables.toSorted((a, b) => Math.floor(b.score) - Math.floor(a.score)) : sheets
  if (first === undefined) return undefined
  const key = ({ layout }: (typeof sheets)[number]) => layout.folded.join('\n')
  const isSame = tables.length > 1 && tables.every((sheet) => key(sheet) === key(first))
  const isAll = hints.sheet === ALL && isSame
  const named = sheets.find(({ name }) => foldWord(name) === foldWord(hints.sheet ?? ''))
  const chosen = named ?? first
  const isClear = hints.sheet === undefined ? tables.length < 2 : named !== undefined
  const candidates = sheets.map(({ name, rows, layout }) => {
    return { value: name, shows: `${rows} rows: ${layout.header.slice(0, 6).join(', ')}` }
  })
  if (isSame) candidates.unshift({ value: ALL, shows: 'all sheets with this header row' })
  const setting: Setting = { name: 'sheet', value: isAll ? ALL : isClear ? chosen.name : OPEN, candidates }
  const others = isAll ? tables.filter((sheet) => sheet !== chosen) : []
  // Rows of further sheets are never above the first header.
  const rest = others.flatMap(({ items, layout }) =>
    items.slice(layout.headerLine).map((item) => ({ ...item, line: item.line + chosen.layout.headerLine })),
  )
  const settings = sheets.length > 1 || hints.sheet !== undefined ? [setting] : []
  const items = async function* () {
    yield chosen.items
    yield rest
  }
  return { format: 'workbook', unit: 'line', layout: chosen.layout, settings, items }
}

async function sheetsOf({ file, odsContent }: WorkbookFile, hints: TableHints) {
  const isSeen = ({ hidden = false, veryHidden = false }: SheetFilterInfo, at: number) =>
    at < SHEETS_TRIED && !hidden && !veryHidden
  const options = { sheets: isSeen, readStyles: true }
  const read = odsContent === undefined ? readXlsx(file, options) : readOds(file, options)
  const { sheets } = await read.catch(() => {
    throw new UnreadableFile('The workbook is damaged or has a password; export its list as CSV.')
  })
  const hiddenInOds = odsContent?.split('<table:table ').slice(1).map(hiddenRows)
  return sheets.flatMap((sheet, at) => {
    const items = itemsOf(sheet, hiddenInOds?.[at] ?? new Set())
    const records = items.flatMap((item) => ('record' in item && !isBlank(item.record) ? [item] : []))
    const found = layoutOf(records.slice(0, RECORDS_SAMPLED), hints)
    return found === undefined ? [] : [{ name: sheet.name, items, ...found, rows: records.length }]
  })
}

/** The hidden rows of an .ods table, from 0, which the library does not report. */
function hiddenRows(table: string): ReadonlySet<number> {
  const hidden = new Set<number>()
  let row = 0
  for (const [tag] of table.matchAll(/<table:table-row[ >][^>]*/g)) {
    const end = row + Number(/ table:number-rows-repeated="(\d{1,7})"/.exec(tag)?.[1] ?? 1)
    const isHidden = / table:visibility="(?:filter|collapse)"/.test(tag)
    if (isHidden) for (let one = row; one < Math.min(end, MOST_ROWS_OF_SHEET); one += 1) hidden.add(one)
    row = end
  }
  return hidden
}

function itemsOf({ rows, cells, merges = [], rowDefs }: Sheet, hidden: ReadonlySet<number>): readonly SourceItem[] {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  if (width > MOST_COLUMNS) throw new UnreadableFile(`The sheet has more than ${MOST_COLUMNS} columns; export fewer.`)
  const records = rows.map((row, y) =>
    Array.from({ length: width }, (_, x) => textOf(row[x] ?? null, cells?.get(`${y},${x}`))),
  )
  for (const { startRow, endRow, startCol, endCol } of merges) {
    // A title that spans columns is one cell. A value that spans rows belongs to each.
    const value = records[startRow]?.[startCol] ?? ''
    for (const record of records.slice(startRow + 1, endRow + 1)) record.fill(value, startCol, endCol + 1)
  }
  return records.map((record, y): SourceItem => {
    const isHidden = hidden.has(y) || rowDefs?.get(y)?.hidden === true
    return isHidden && !isBlank(record) ? { line: y + 1, isHidden } : { line: y + 1, record }
  })
}

/** A value as the sheet shows it, except that dates begin with the year and 9.85E+14 has all its digits. */
function textOf(value: CellValue, cell?: Cell): string {
  if (value === null) return cell?.formula !== undefined && cell.formulaResult == null ? NO_RESULT : ''
  if (value instanceof Date) {
    const [day = '', time = ''] = Number.isNaN(value.getTime()) ? [] : value.toISOString().split(/T|\.\d+Z$/)
    return time === '00:00:00' ? day : `${day} ${time}`.trim()
  }
  if (typeof value === 'boolean') return String(value).toUpperCase()
  const { numFmt = 'General' } = cell?.style ?? {}
  const isShown = typeof value === 'number' && numFmt !== 'General' && !/E[+-]/.test(numFmt)
  return isShown ? formatValue(value, numFmt) : String(value)
}
