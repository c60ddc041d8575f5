/**
 * A workbook (.xlsx or .ods) as a table: what people see in it is what is read. Hidden rows are skipped, a merged cell
 * has its value for all its rows, and the sheet is chosen where several could be the list.
 */
import { type CellValue, formatValue, type Sheet, type SheetFilterInfo } from 'hucre'
import { readOds } from 'hucre/ods'
import { readXlsx } from 'hucre/xlsx'
import { counted } from '../common/counted.ts'
import { foldWord } from '../common/fold.ts'
import { MOST_CELLS, MOST_COLUMNS } from './bounds.ts'
import { type Parts, zipOf } from './container.ts'
import { UnreadableFile } from './file-errors.ts'
import { layoutOf, RECORDS_SAMPLED } from './layout.ts'
import { isBlank, type Layout, type Setting, type SourceItem, type Table, type TableHints } from './table.ts'

/** A workbook with more sheets has its list among the first. */
const SHEETS_TRIED = 20
const ROWS_SENT = 500
/** What stands for a formula whose result is not in the file. */
const NO_RESULT = '#FORMULA'
/** All sheets with one header. */
const ALL = '*'

interface SheetRead {
  readonly name: string
  readonly items: readonly SourceItem[]
  readonly score: number
  readonly layout: Layout
  readonly rows: number
}

/** Undefined if it is empty. Throws UnreadableFile. */
export async function openWorkbook(parts: Parts, hints: TableHints): Promise<Table | undefined> {
  const { sheets, hidden } = await sheetsOf(parts, hints)
  const tables = sheets.filter(({ score }) => score >= 1)
  const [first] = tables.length > 0 ? tables : sheets
  if (first === undefined) return undefined
  const candidates = sheets.map(({ name, rows, layout }) => {
    return { value: name, shows: `${rows} rows: ${layout.header.slice(0, 6).join(', ')}` }
  })
  const key = ({ layout }: SheetRead) => layout.header.map(foldWord).join('\n')
  const isSame = tables.length > 1 && tables.every((sheet) => key(sheet) === key(first))
  const all = isSame ? [{ value: ALL, shows: 'all sheets with this header row' }] : []
  const named = sheets.find(({ name }) => foldWord(name) === foldWord(hints.sheet ?? ''))
  const isAll = hints.sheet === ALL && isSame
  const isClear = hints.sheet === undefined ? tables.length < 2 : named !== undefined || isAll
  const value = isAll ? ALL : isClear ? (named ?? first).name : '?'
  const setting: Setting = { name: 'sheet', value, candidates: [...all, ...candidates] }
  const chosen = named ?? first
  const read = isAll ? tables : [chosen]
  return {
    format: 'workbook',
    layout: chosen.layout,
    settings: sheets.length > 1 || hints.sheet !== undefined ? [setting] : [],
    notes: hidden > 0 ? [`${counted(hidden, 'hidden row')} skipped.`] : [],
    async *items() {
      for (const [n, { items, layout }] of read.entries()) {
        const rows = n === 0 ? items : items.filter(({ line }) => line > layout.headerLine)
        // Rows of further sheets are never above the header of the first one.
        const shift = n === 0 ? 0 : chosen.layout.headerLine
        for (let at = 0; at < rows.length; at += ROWS_SENT) {
          yield rows.slice(at, at + ROWS_SENT).map((item) => ({ ...item, line: item.line + shift }))
        }
      }
    },
  }
}

/** Those that are not hidden and not empty. */
async function sheetsOf(parts: Parts, hints: TableHints) {
  const content = parts.get('content.xml')
  const isOds = content !== undefined
  const { xml, hidden } = content === undefined ? NOT_HIDDEN : withoutHidden(content)
  const file = zipOf(content === undefined ? parts : new Map([...parts, ['content.xml', xml]]))
  const isSeen = ({ hidden = false, veryHidden = false }: SheetFilterInfo, at: number) =>
    at < SHEETS_TRIED && !hidden && !veryHidden
  const options = { sheets: isSeen, readStyles: true }
  const { sheets } = await (isOds ? readOds(file, options) : readXlsx(file, options)).catch(() => {
    throw new UnreadableFile('The workbook is damaged or has a password; export its list as CSV.')
  })
  let cells = 0
  const read = sheets.flatMap((sheet): SheetRead[] => {
    const items = itemsOf(sheet)
    const records = items.flatMap((item) => ('record' in item && !isBlank(item.record) ? [item] : []))
    cells += sheet.rows.length * (records[0]?.record.length ?? 0)
    if (cells > 4 * MOST_CELLS) throw new UnreadableFile('The workbook has too many cells; export its list as CSV.')
    const found = layoutOf(records.slice(0, RECORDS_SAMPLED), hints)
    return found === undefined ? [] : [{ name: sheet.name, items, ...found, rows: records.length }]
  })
  return { sheets: read, hidden }
}

const NOT_HIDDEN = { xml: Buffer.alloc(0), hidden: 0 }
const ROW = '<table:table-row'

/** The sheets of an .ods with empty rows in place of those that a filter or a person has hidden. */
function withoutHidden(content: Buffer): { readonly xml: Buffer; readonly hidden: number } {
  let hidden = 0
  const [head = '', ...rows] = content.toString().split(ROW)
  const seen = rows.map((row) => {
    const tag = row.slice(0, row.indexOf('>'))
    if (!/ table:visibility="(?:filter|collapse)"/.test(tag)) return ROW + row
    const [, repeated = '1'] = / table:number-rows-repeated="(\d{1,7})"/.exec(tag) ?? []
    const end = tag.endsWith('/') ? tag.length + 1 : row.indexOf('</table:table-row>') + '</table:table-row>'.length
    if (!tag.endsWith('/')) hidden += Number(repeated)
    return `${ROW} table:number-rows-repeated="${repeated}"/>${row.slice(end)}`
  })
  return { xml: Buffer.from(head + seen.join('')), hidden }
}

function itemsOf({ rows, cells, merges = [], rowDefs }: Sheet): readonly SourceItem[] {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  if (width > MOST_COLUMNS) throw new UnreadableFile(`The sheet has more than ${MOST_COLUMNS} columns; export fewer.`)
  const text = (y: number, x: number) => textOf(rows[y]?.[x] ?? null, cells?.get(`${y},${x}`))
  const merged = new Map<number, Map<number, string>>()
  for (const { startRow, endRow, startCol, endCol } of merges) {
    // A title that spans columns is one cell; what spans rows is the value of each.
    for (let y = startRow + 1; y <= Math.min(endRow, rows.length - 1); y += 1) {
      const row = merged.get(y) ?? new Map<number, string>()
      for (let x = startCol; x <= Math.min(endCol, width - 1); x += 1) row.set(x, text(startRow, startCol))
      merged.set(y, row)
    }
  }
  return rows.map((row, y): SourceItem => {
    const line = y + 1
    if (rowDefs?.get(y)?.hidden && row.some((value) => value !== null)) return { line, isHidden: true }
    const record = Array.from({ length: width }, (_, x) => merged.get(y)?.get(x) ?? text(y, x))
    return { line, record }
  })
}

/**
 * A value as the sheet shows it; a date with the year first, which no country reads otherwise, and a number that it
 * shortens (9.85E+14) with all its digits.
 */
function textOf(
  value: CellValue,
  cell?: { formula?: string; formulaResult?: CellValue; style?: { numFmt?: string } },
): string {
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
