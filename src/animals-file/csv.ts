/** CSV as other systems and spreadsheets write it: any separator, spaces around quotes, and rows of any length. */
import { promisify } from 'node:util'
import { parse } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { MOST_COLUMNS } from './bounds.ts'
import { UnreadableFile } from './file-errors.ts'
import { layoutOf, RECORDS_SAMPLED } from './layout.ts'
import type { SourceItem, Table, TableHints, TableRecord } from './table.ts'

const SEPARATORS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' } as const
const PARSING = { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, skip_empty_lines: true }
type Dialect = { readonly delimiter: string; readonly trim: boolean }
/** The longest row, in characters: for each stray quote the parser copies the cell into an error. */
const MOST_COPIED = 1 << 20

export function openCsv(start: string, chunks: () => AsyncIterable<string>, hints: TableHints): Table | undefined {
  const tables = Object.entries(SEPARATORS).flatMap(([delimiter, name]) => {
    const plain = sampleOf(start, { delimiter, trim: false })
    const trim = plain.some(({ record }) => record.some((cell) => /^ +"|" +$/.test(cell)))
    const found = layoutOf(trim ? sampleOf(start, { delimiter, trim }) : plain, hints)
    const items = () => csvItems(chunks(), { delimiter, trim }, hints.rowLimit)
    return found === undefined ? [] : [{ ...found, format: `CSV with ${name}`, items }]
  })
  const [best] = tables.sort((a, b) => b.score - a.score)
  if (best === undefined && start.length > hints.rowLimit) throw tooLong(1, hints.rowLimit)
  return best && { ...best, unit: 'line', settings: [] }
}

function sampleOf(start: string, dialect: Dialect): readonly TableRecord[] {
  const sampled: TableRecord[] = []
  try {
    parseSync(start, {
      ...PARSING,
      ...dialect,
      relax_quotes: true,
      to: RECORDS_SAMPLED,
      on_record: (record: readonly string[], { lines: line }) => void sampled.push({ record, line }),
    })
  } catch {} // The last record is incomplete; the records before it suffice.
  return sampled
}

/** Throws UnreadableFile if a row is too long or its quotes are broken. */
async function* csvItems(
  chunks: AsyncIterable<string>,
  dialect: Dialect,
  rowLimit: number,
): AsyncIterable<readonly SourceItem[]> {
  let items: SourceItem[] = []
  let [last, copied] = [0, 0]
  const records = parse({
    ...PARSING,
    ...dialect,
    max_record_size: rowLimit,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error === undefined) return
      const line = Number(error.lines)
      if (error.code === 'CSV_MAX_RECORD_SIZE') throw tooLong(last + 1, rowLimit)
      // A stray quote inside a cell spoils only its own row. After other mistakes the end of the row is unknown.
      if (error.code !== 'INVALID_OPENING_QUOTE') throw brokenQuotes(last + 1)
      // The parser reports each stray quote, but one problem per row is enough.
      if (line !== last) items.push({ line, problem: 'has a quote inside a cell that is not in quotes' })
      copied = (line === last ? copied : 0) + error.message.length
      if (copied > MOST_COPIED) throw brokenQuotes(line)
      last = line
    },
    // Nothing is returned, so that the parser keeps no record.
    on_record: (record: readonly string[], { lines: line }) => {
      if (record.length > MOST_COLUMNS)
        throw new UnreadableFile(`Line ${line}: the file has more than ${MOST_COLUMNS} columns; export fewer.`)
      last = line
      items.push({ line, record })
    },
  })
  records.on('error', () => {}) // each write below throws the error
  const write = promisify((chunk: string | undefined, done: (error?: Error | null) => void) =>
    chunk === undefined ? records.end(done) : records.write(chunk, done),
  )
  for await (const chunk of chunks) {
    await write(chunk)
    yield items
    items = []
  }
  await write(undefined)
  yield items
}

function brokenQuotes(line: number): UnreadableFile {
  const advice = 'so nothing after it can be read. Correct the row and try again.'
  return new UnreadableFile(`Line ${line}: the quotes of this row are broken, ${advice}`)
}

function tooLong(line: number, rowLimit: number): UnreadableFile {
  const what = `the row that begins here is longer than ${rowLimit} bytes. Is a quote not closed?`
  return new UnreadableFile(`Line ${line}: ${what}`)
}
