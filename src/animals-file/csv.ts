/**
 * Animals from CSV as spreadsheets write it: separated by commas, semicolons or tabs, the header in any case and order,
 * with an optional `sep=` line before it, other columns, and blank rows. Problems are reported by line.
 */
import { parse } from 'csv-parse'
import { distance } from 'fastest-levenshtein'
import { printable } from '../common/printable.ts'
import { PetStatus } from '../contract/schemas.ts'
import { type Checked, checkNewPetText } from '../contract/validate.ts'
import type { ImportedPet } from '../store/imports.ts'
import { type Field, type Mapping, plain } from './mapping.ts'
import type { ReadOptions, Row } from './row.ts'
import { ID_RULE, importedId, UnreadableFile } from './row.ts'

const SEPARATORS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' } as const
type Separator = keyof typeof SEPARATORS

/** A message shows at most this much of a value. */
const SHOWN = 60

/** What the reader recognised in a file, reported in one line. */
export interface CsvFacts {
  separator: Separator
  /** Fields, and the headings under which they were found. */
  columns: readonly (readonly [Field, string])[]
  blankRows: number
}

export function describeCsv({ separator, columns, blankRows }: CsvFacts): string {
  const found = columns.map(([field, heading]) => (field === heading ? field : `${field} from "${printable(heading)}"`))
  const blank = blankRows === 0 ? '' : `; ${blankRows} blank ${blankRows === 1 ? 'row' : 'rows'} skipped`
  return `CSV with ${SEPARATORS[separator]}: ${found.join(', ')}${blank}`
}

/**
 * `start` holds the first line, if the file has one. Yields the rows of each chunk together, since a step of an async
 * iterator for each row takes as long as parsing it. Throws UnreadableFile if the rest cannot be read.
 */
export async function* readCsv(
  start: string,
  chunks: AsyncIterable<string>,
  options: ReadOptions,
  facts: CsvFacts,
): AsyncIterable<readonly Row[]> {
  facts.separator = separatorOf(start)
  let rows: Row[] = []
  let lastLine = 0
  let toAnimal: ((record: readonly string[]) => Checked<ImportedPet>) | undefined
  const records = parse({
    delimiter: facts.separator,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: options.rowLimit,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error === undefined) return
      const line = Number(error.lines)
      if (error.code === 'CSV_MAX_RECORD_SIZE') throw rowTooLong(lastLine + 1, options.rowLimit)
      // A stray quote inside a field spoils only its own row. After other mistakes the end of the row is unknown.
      if (error.code !== 'INVALID_OPENING_QUOTE')
        throw quotesBroken(error.code === 'CSV_QUOTE_NOT_CLOSED' ? lastLine + 1 : line)
      rows.push({ line, problems: ['has a quote inside a field that is not quoted'] })
      lastLine = line
    },
    // Nothing is returned, so that the parser passes nothing on.
    on_record: (record: readonly string[], { lines }) => {
      lastLine = lines
      if (toAnimal === undefined && isSeparatorLine(record)) return
      if (record.every((value) => value.trim() === '')) facts.blankRows += 1
      else if (toAnimal === undefined) toAnimal = readHeader(record, options, facts)
      else rows.push({ line: lines, ...toAnimal(record) })
    },
  })
  records.on('error', () => {}) // each write below throws it
  for await (const chunk of following(start, chunks)) {
    await new Promise<void>((resolve, reject) => records.write(chunk, settle(resolve, reject)))
    yield rows
    rows = []
  }
  await new Promise<void>((resolve, reject) => records.end(settle(resolve, reject)))
  yield rows
  if (toAnimal === undefined)
    throw new UnreadableFile('The file is empty; it should begin with the line name,categoryId,status.')
}

async function* following(start: string, chunks: AsyncIterable<string>): AsyncIterable<string> {
  yield start
  yield* chunks
}

function settle(resolve: () => void, reject: (error: Error) => void): (error?: Error | null) => void {
  return (error) => (error ? reject(error) : resolve())
}

/** The separator that occurs most in the first line, or the one that `sep=` names, as spreadsheets write it. */
function separatorOf(start: string): Separator {
  const line = start.slice(0, start.indexOf('\n') === -1 ? undefined : start.indexOf('\n'))
  const named = Object.keys(SEPARATORS).find((one) => line.replace(/"/g, '').trimEnd() === `sep=${one}`.trimEnd())
  const bare = line.replace(/"[^"]*"/g, '')
  const counted = (Object.keys(SEPARATORS) as Separator[]).toSorted(
    (a, b) => bare.split(b).length - bare.split(a).length,
  )
  return (named as Separator | undefined) ?? counted[0] ?? ','
}

function isSeparatorLine(record: readonly string[]): boolean {
  return record[0] === 'sep=' || /^sep=.?$/.test(record.join(''))
}

function readHeader(
  header: readonly string[],
  { mapping, withIds }: ReadOptions,
  facts: CsvFacts,
): (record: readonly string[]) => Checked<ImportedPet> {
  const headings = header.map(plain)
  const columnOf = (field: Field) => headings.indexOf(plain(mapping.columns.get(field) ?? field))
  const at = {
    name: columnOf('name'),
    categoryId: columnOf('categoryId'),
    status: columnOf('status'),
    id: columnOf('id'),
  }
  const needed: readonly Field[] = [
    ...(withIds ? (['id'] as const) : []),
    'name',
    'categoryId',
    ...(mapping.columns.has('status') ? (['status'] as const) : []),
  ]
  const missing = needed.filter((field) => at[field] === -1)
  if (missing.length > 0) throw noColumn(missing, header, mapping)
  const known: readonly Field[] = withIds ? ['id', 'name', 'categoryId', 'status'] : ['name', 'categoryId', 'status']
  facts.columns = known.flatMap((field) =>
    at[field] === -1 ? [] : [[field, (header[at[field]] ?? '').trim()] as const],
  )
  return (record) => {
    if (record.length < header.length || record.slice(header.length).some((value) => value.trim() !== '')) {
      return { problems: [`has ${record.length} fields where the header has ${header.length}`] }
    }
    const value = (field: Field) => record[at[field]] ?? ''
    const mapped = (field: Field) => mapping.values.get(field)?.get(plain(value(field))) ?? value(field).trim()
    const status = mapped('status').toLowerCase()
    const problem = status === '' ? undefined : statusProblem(status, value('status'), mapping)
    const checked = checkNewPetText({
      name: value('name'),
      categoryId: mapped('categoryId'),
      status: problem ? '' : status,
    })
    const problems = [...('problems' in checked ? checked.problems : []), ...(problem === undefined ? [] : [problem])]
    const id = withIds ? importedId(mapped('id')) : undefined
    if (withIds && id === undefined) problems.push(ID_RULE)
    if (problems.length > 0 || 'problems' in checked) return { problems }
    return { value: id === undefined ? checked.value : { ...checked.value, id } }
  }
}

function noColumn(missing: readonly Field[], header: readonly string[], mapping: Mapping): UnreadableFile {
  const wanted = missing.map((field) => mapping.columns.get(field) ?? field).join(', ')
  const example = missing.map((field) => `${field}=COLUMN`).join(',')
  const there = printable(header.join(', ').slice(0, 100))
  return new UnreadableFile(
    `Line 1: the header has no column ${printable(wanted)}; it is: ${there}.`,
    `If a column has another name, name it with --map "${example}".`,
  )
}

/** The problem with a status, or undefined. */
function statusProblem(status: string, value: string, mapping: Mapping): string | undefined {
  const statuses: readonly string[] = PetStatus.enum
  if (statuses.includes(status)) return undefined
  const words = [...statuses, ...(mapping.values.get('status')?.keys() ?? [])]
  const nearest = words.toSorted((a, b) => distance(status, a) - distance(status, b))[0]
  const shown = printable(value.trim().slice(0, SHOWN))
  return `status: "${shown}" is not one of ${statuses.join(', ')}, nor empty; the nearest is "${nearest}" (the mapping "status:${shown}=…" says what it means)`
}

function quotesBroken(line: number): UnreadableFile {
  return new UnreadableFile(
    `Line ${line}: the quotes of this row are broken, so nothing after it can be read; correct the row and try again.`,
  )
}

function rowTooLong(line: number, rowLimit: number): UnreadableFile {
  return new UnreadableFile(
    `Line ${line}: the row that begins here is longer than ${rowLimit} bytes; is a quote not closed?`,
    'If the row is right, set a larger --body-limit.',
  )
}
