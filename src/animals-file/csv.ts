/**
 * Reads animals from CSV as other systems and spreadsheets write it: any separator, headings in several languages,
 * titles above them, totals below, and unrelated columns. Problems are reported by line.
 */
import { promisify } from 'node:util'
import { parse } from 'csv-parse'
import { foldWord } from '../common/fold.ts'
import { findColumns } from './columns.ts'
import { type CsvReport, headingsText } from './csv-report.ts'
import { Deduplicator } from './deduplicator.ts'
import { findLayout, isBlank, type Layout } from './layout.ts'
import { type Field, fieldName, READY_MAPS, readRules, readyFor } from './mapping.ts'
import { onOneLine, type ReadOptions, type ReadRow, UnreadableFile } from './row.ts'
import { RowReader } from './rows.ts'
import { speciesOf } from './species.ts'

/**
 * Prepares reading. `start` is the beginning of the file, with at least its first line. `repeats` is undefined if each
 * row is an animal of its own. Throws UnreadableFile if a column is missing or ambiguous.
 */
export async function interpret(start: string, options: ReadOptions, facts: CsvReport) {
  const { mapping: asked, reference, withIds, rowLimit, isSync = false } = options
  if (start.length > rowLimit && !/[\r\n]/.test(start)) throw rowTooLong(1, rowLimit)
  const layout = await findLayout(start, options)
  if (layout === undefined) {
    throw new UnreadableFile('The file is empty; it should begin with the line name,categoryId,status.')
  }
  const { header } = layout
  const line = `Line ${layout.headerLine}`
  if (asked.columns.size === 0 && isHeadless(layout)) {
    throw new UnreadableFile(`${line}: the file has no line of headings; write one above it, as name,category,status.`)
  }
  const ready = asked.columns.size === 0 ? readyFor(header) : undefined
  const mapping = ready === undefined ? asked : readRules(READY_MAPS.get(ready)?.rules ?? [], asked)
  const columns = await findColumns(layout, mapping, options)
  const table = { layout, columns, mapping, ready }
  facts.table = table
  const { at, unclear } = columns
  for (const field of ['name', 'categoryId', 'status', 'reference'] as const) {
    const isMissing =
      field === 'status' ? columns.status.some((one) => one === -1) || columns.status.length === 0 : at[field] === -1
    const named = mapping.columns.get(field) ?? (field === 'reference' ? reference : undefined)
    if (isMissing && named !== undefined && named !== '') throw missingColumn(layout, named, field)
    const some = unclear.get(field)
    // Only a sync, or an animal without a name, needs the reference.
    if (some !== undefined && (field !== 'reference' || isSync)) {
      const names = some.map((index) => `"${onOneLine(header[index] ?? '')}"`).join(' and ')
      const advice = `Say which one is${field === 'status' ? ', or nothing if none is' : ''}.`
      throw new UnreadableFile(`${line}: ${names} could each be the ${fieldName(field)}.`, advice)
    }
  }
  if (withIds && at.id === -1) throw missingColumn(layout, 'id', 'id')
  if (isSync && at.reference === -1) throw missingColumn(layout, 'of references', 'reference')
  const isSaid = columns.commonSpecies !== undefined || mapping.values.get('categoryId')?.has('') === true
  const hasKind = at.categoryId !== -1 || columns.hasSections || isSaid
  const open = [...(at.name === -1 && at.reference === -1 ? ['name'] : []), ...(hasKind ? [] : ['category'])]
  if (open.length > 0) {
    const advice = hasKind ? undefined : 'If it is the same for all animals, say --category NAME.'
    const what = `no column is understood as the ${open.join(', nor as the ')}`
    throw new UnreadableFile(`${line}: ${what}; the headings are: ${headingsText(header)}.`, advice)
  }
  const reader = new RowReader(table, options, facts)
  const isWanted = isSync || columns.guessed.has('reference') || mapping.columns.has('reference')
  const hasRepeats = at.reference !== -1 && isWanted
  return { reader, repeats: hasRepeats ? new Deduplicator(isSync || columns.isSureReference) : undefined }
}

/** Whether the file has no heading: the first row holds values like those below it. */
function isHeadless({ header, sample }: Layout): boolean {
  const rows = sample.filter((record) => record.some((value, at) => foldWord(value) !== foldWord(header[at] ?? '')))
  const isValue = (cell: string, at: number) =>
    cell.trim() !== '' && rows.some((record) => foldWord(record[at] ?? '') === foldWord(cell))
  const isKind = header.some((cell, at) => {
    const kinds =
      speciesOf(cell) === undefined ? [] : rows.filter((record) => speciesOf(record[at] ?? '') !== undefined)
    return kinds.length > rows.length / 2
  })
  return isKind || header.filter(isValue).length >= 2
}

type Done = (error?: Error | null) => void

/**
 * Yields the rows of each chunk together, since a step of an async iterator for each row takes as long as parsing it.
 * Throws UnreadableFile if the rest cannot be read.
 */
export async function* readCsv(
  chunks: AsyncIterable<string>,
  reader: RowReader,
  { rowLimit }: ReadOptions,
  facts: CsvReport,
): AsyncIterable<readonly ReadRow[]> {
  const { separator, isSpaced, headerLine } = reader.table.layout
  let rows: ReadRow[] = []
  let lastLine = 0
  const records = parse({
    delimiter: separator,
    ltrim: isSpaced,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: rowLimit,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error === undefined) return
      const line = Number(error.lines)
      if (error.code === 'CSV_MAX_RECORD_SIZE') throw rowTooLong(lastLine + 1, rowLimit)
      // A stray quote inside a field spoils only its own row. After other mistakes the end of the row is unknown.
      if (error.code !== 'INVALID_OPENING_QUOTE') {
        const broken = error.code === 'CSV_QUOTE_NOT_CLOSED' ? lastLine + 1 : line
        const advice = 'so nothing after it can be read; correct the row and try again.'
        throw new UnreadableFile(`Line ${broken}: the quotes of this row are broken, ${advice}`)
      }
      // The parser reports each stray quote; one problem for each row is enough.
      if (line !== lastLine && line > headerLine)
        rows.push({ line, problems: ['has a quote inside a field that is not quoted'] })
      lastLine = line
    },
    // Returns nothing, so that the parser does not output the record.
    on_record: (record: readonly string[], { lines }) => {
      lastLine = lines
      if (lines <= headerLine) return
      const isEmpty = isBlank(record)
      if (isEmpty) facts.blankRows += 1
      const row = isEmpty ? undefined : reader.read(record, lines)
      if (row !== undefined) rows.push(row)
    },
  })
  records.on('error', () => {}) // each write below throws the error
  for await (const chunk of chunks) {
    await promisify((done: Done) => records.write(chunk, done))()
    yield rows
    rows = []
  }
  await promisify((done: Done) => records.end(done))()
  yield rows
}

function missingColumn({ headerLine, header }: Layout, wanted: string, field: Field): UnreadableFile {
  const other = `If it has another name, say --map "${fieldName(field)}=COLUMN".`
  const advice = field === 'reference' ? 'Name the column of the references with --ref.' : other
  const what = `the header has no column ${onOneLine(wanted)}; it is: ${headingsText(header)}.`
  return new UnreadableFile(`Line ${headerLine}: ${what}`, advice)
}

function rowTooLong(line: number, rowLimit: number): UnreadableFile {
  const what = `the row that begins here is longer than ${rowLimit} bytes; is a quote not closed?`
  return new UnreadableFile(`Line ${line}: ${what}`, 'If the row is right, set a larger --body-limit.')
}
