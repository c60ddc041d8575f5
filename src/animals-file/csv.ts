/** CSV as other systems and spreadsheets write it: any separator, blanks behind it, rows of any length. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parse } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { layoutOf, RECORDS_SAMPLED } from './layout.ts'
import { type ReadOptions, type Source, type SourceItem, type TableRecord, UnreadableFile } from './row.ts'

const SEPARATORS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' } as const
/** `ltrim`: whether spaces after a separator are ignored, as in `"a", "b"`. */
type Dialect = { readonly delimiter: string; readonly ltrim: boolean }
const PARSING = { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, skip_empty_lines: true }
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
  let best: { readonly score: number; readonly source: Source } | undefined
  for (const [delimiter, name] of Object.entries(SEPARATORS)) {
    const plain = sampleOf(start, { delimiter, ltrim: false })
    const ltrim = plain.some(
      ({ record: [, ...others] }) => others.length > 0 && others.every((value) => /^ +".*"$/s.test(value)),
    )
    const candidate = layoutOf(ltrim ? sampleOf(start, { delimiter, ltrim }) : plain, options)
    if (candidate !== undefined && candidate.score > (best?.score ?? -1)) {
      const items = csvItems(chunks, { delimiter, ltrim }, rowLimit)
      best = { score: candidate.score, source: { format: `CSV with ${name}`, layout: candidate.layout, items } }
    }
    await nextTurn()
  }
  return best?.source
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
  } catch {} // the last record is cut, or a quote is not closed: the records before it suffice
  return sampled
}

/**
 * Yields the records of each chunk together, since a step of an async iterator for each takes as long as parsing it.
 * Throws UnreadableFile if the rest cannot be read.
 */
async function* csvItems(
  chunks: AsyncIterable<string>,
  dialect: Dialect,
  rowLimit: number,
): AsyncIterable<readonly SourceItem[]> {
  let items: SourceItem[] = []
  let [lastLine, copied] = [0, 0]
  const records = parse({
    ...PARSING,
    ...dialect,
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
  const advice = 'so nothing after it can be read; correct the row and try again.'
  return new UnreadableFile(`Line ${line}: the quotes of this row are broken, ${advice}`)
}

function rowTooLong(line: number, rowLimit: number): UnreadableFile {
  const what = `the row that begins here is longer than ${rowLimit} bytes; is a quote not closed?`
  return new UnreadableFile(`Line ${line}: ${what}`, 'If the row is right, set a larger --body-limit.')
}
