/** CSV as other systems and spreadsheets write it: any separator, blanks behind it, rows of any length. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parse } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { layoutOf, RECORDS_SAMPLED } from './layout.ts'
import { type Line, type ReadOptions, type Source, type SourceItem, UnreadableFile } from './row.ts'

const SEPARATORS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' } as const
type Separator = keyof typeof SEPARATORS
/** `isSpaced`: whether spaces after a separator are ignored, as in `"a", "b"`. */
type Dialect = { readonly separator: Separator; readonly isSpaced: boolean }
const LINE_ENDS = ['\r\n', '\n', '\r']
/** In characters of a row: for each stray quote the parser copies the field so far into an error. */
const MOST_COPIED = 1 << 20

/** The separator that splits the first records into known columns; undefined if the text has no record. */
export async function openCsv(
  start: string,
  chunks: AsyncIterable<string>,
  options: ReadOptions,
): Promise<Source | undefined> {
  const { rowLimit } = options
  if (start.length > rowLimit && !/[\r\n]/.test(start)) throw rowTooLong(1, rowLimit)
  const all = Object.keys(SEPARATORS) as Separator[]
  const named = all.find((one) => new RegExp(`^"?sep=${one === '|' ? '\\|' : one}"?\\s{0,9}[\\r\\n]`).test(start))
  let best: { readonly score: number; readonly dialect: Dialect; readonly source: Source } | undefined
  for (const separator of named === undefined ? all : [named]) {
    const plain = sampleOf(start, { separator, isSpaced: false })
    const isSpaced = plain.some(
      ({ record: [, ...others] }) => others.length > 0 && others.every((value) => /^ +".*"$/s.test(value)),
    )
    const dialect = { separator, isSpaced }
    const isSeparator = ({ record }: Line) => record[0] === 'sep=' || /^sep=.?$/.test(record.join(''))
    const lines = (isSpaced ? sampleOf(start, dialect) : plain).filter((line) => !isSeparator(line))
    const found = layoutOf(lines, options)
    if (found !== undefined && found.score > (best?.score ?? -1)) {
      const items = csvItems(chunks, dialect, rowLimit)
      const format = `CSV with ${SEPARATORS[separator]}`
      best = { score: found.score, dialect, source: { format, layout: found.layout, items } }
    }
    await nextTurn()
  }
  return best?.source
}

function sampleOf(start: string, { separator: delimiter, isSpaced }: Dialect): readonly Line[] {
  const sampled: Line[] = []
  try {
    parseSync(start, {
      ...{ delimiter, ltrim: isSpaced, record_delimiter: LINE_ENDS, relax_column_count: true, relax_quotes: true },
      skip_empty_lines: true,
      to: RECORDS_SAMPLED,
      on_record: (record: readonly string[], { lines }) => {
        sampled.push({ record, line: lines })
        return null
      },
    })
  } catch {} // the last record is cut, or a quote is not closed: the records before it suffice
  return sampled
}

type Done = (error?: Error | null) => void

/**
 * Yields the records of each chunk together, since a step of an async iterator for each takes as long as parsing it.
 * Throws UnreadableFile if the rest cannot be read.
 */
async function* csvItems(
  chunks: AsyncIterable<string>,
  { separator: delimiter, isSpaced }: Dialect,
  rowLimit: number,
): AsyncIterable<readonly SourceItem[]> {
  let items: SourceItem[] = []
  let [lastLine, copied] = [0, 0]
  const records = parse({
    ...{ delimiter, ltrim: isSpaced, record_delimiter: LINE_ENDS, relax_column_count: true, skip_empty_lines: true },
    max_record_size: rowLimit,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error === undefined) return
      const line = Number(error.lines)
      if (error.code === 'CSV_MAX_RECORD_SIZE') throw rowTooLong(lastLine + 1, rowLimit)
      // A stray quote inside a field spoils only its own row. After other mistakes the end of the row is unknown.
      if (error.code !== 'INVALID_OPENING_QUOTE') {
        throw brokenQuotes(error.code === 'CSV_QUOTE_NOT_CLOSED' ? lastLine + 1 : line)
      }
      // The parser reports each stray quote; one problem for each row is enough.
      if (line !== lastLine) items.push({ line, problem: 'has a quote inside a field that is not quoted' })
      copied = (line === lastLine ? copied : 0) + error.message.length
      if (copied > MOST_COPIED) throw brokenQuotes(line)
      lastLine = line
    },
    // Returns nothing, so that the parser does not output the record.
    on_record: (record: readonly string[], { lines: line }) => {
      lastLine = line
      items.push({ line, record })
    },
  })
  records.on('error', () => {}) // each write below throws the error
  for await (const chunk of chunks) {
    await promisify((done: Done) => records.write(chunk, done))()
    yield items
    items = []
  }
  await promisify((done: Done) => records.end(done))()
  yield items
}

function brokenQuotes(line: number): UnreadableFile {
  const advice = 'so nothing after it can be read; correct the row and try again.'
  return new UnreadableFile(`Line ${line}: the quotes of this row are broken, ${advice}`)
}

function rowTooLong(line: number, rowLimit: number): UnreadableFile {
  const what = `the row that begins here is longer than ${rowLimit} bytes; is a quote not closed?`
  return new UnreadableFile(`Line ${line}: ${what}`, 'If the row is right, set a larger --body-limit.')
}
