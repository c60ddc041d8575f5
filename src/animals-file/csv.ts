/**
 * Animals from CSV as spreadsheets write it: separated by commas, semicolons or tabs, the header in any case and order,
 * with an optional `sep=` line before it, other columns, and blank rows. Problems are reported by line.
 */

import { parse } from 'csv-parse'
import { foldWord } from '../common/fold.ts'
import { isPetStatus, PetStatus } from '../contract/schemas.ts'
import { type Checked, isStorableText, NAME_RULE } from '../contract/validate.ts'
import { Categories } from './categories.ts'
import type { CsvFacts, Separator } from './facts.ts'
import { findColumns, findReference } from './header.ts'
import type { Field } from './mapping.ts'
import type { FilePet, ReadOptions, Row } from './row.ts'
import { ID_RULE, importedId, REFERENCE_RULE, referenceOf, shown, UnreadableFile } from './row.ts'
import { STATUS_WORDS } from './words.ts'

const SEPARATORS: readonly Separator[] = [',', ';', '\t']

/** What each known word means, as `foldWord` writes it. */
const STATUSES = new Map(
  PetStatus.enum.flatMap((status) => STATUS_WORDS[status].map((word) => [foldWord(word), status] as const)),
)

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
  let toAnimal: ((record: readonly string[], line: number) => Checked<FilePet> | undefined) | undefined
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
      // The parser tells of each quote of the row.
      if (line !== lastLine) rows.push({ line, problems: ['has a quote inside a field that is not quoted'] })
      lastLine = line
    },
    // Nothing is returned, so that the parser passes nothing on.
    on_record: (record: readonly string[], { lines }) => {
      lastLine = lines
      if (toAnimal === undefined && isSeparatorLine(record)) return
      if (record.every((value) => value.trim() === '')) facts.blankRows += 1
      else if (toAnimal === undefined) toAnimal = readHeader(record, options, facts)
      else {
        const read = toAnimal(record, lines)
        if (read !== undefined) rows.push({ line: lines, ...read })
      }
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
  const named = SEPARATORS.find((one) => line.replace(/"/g, '').trimEnd() === `sep=${one}`.trimEnd())
  const bare = line.replace(/"[^"]*"/g, '')
  const counted = SEPARATORS.toSorted((a, b) => bare.split(b).length - bare.split(a).length)
  return named ?? counted[0] ?? ','
}

function isSeparatorLine(record: readonly string[]): boolean {
  return record[0] === 'sep=' || /^sep=.?$/.test(record.join(''))
}

/** Reads rows below the header: undefined is a row that repeats it. */
function readHeader(
  header: readonly string[],
  { mapping, withIds, reference, categories = new Categories(new Map()) }: ReadOptions,
  facts: CsvFacts,
): (record: readonly string[], line: number) => Checked<FilePet> | undefined {
  facts.found.header = header
  const { at, guessed } = findColumns(header, mapping, withIds)
  const referenceAt = reference === undefined ? -1 : findReference(header, reference)
  facts.setColumns(header, { ...at, reference: referenceAt }, guessed)
  const statusOf = (word: string): PetStatus | undefined => {
    const meant = STATUSES.get(foldWord(word))
    if (meant !== undefined) facts.guessStatus(word, meant)
    return meant
  }
  return (record, line) => {
    if (record.length < header.length || record.slice(header.length).some((value) => value.trim() !== '')) {
      return { problems: [`has ${record.length} fields where the header has ${header.length}`] }
    }
    if (header.every((heading, index) => heading === record[index])) {
      facts.headerRows.add(line)
      return undefined
    }
    const value = (field: Field) => record[at[field]] ?? ''
    const mapped = (field: Field) => mapping.values.get(field)?.get(foldWord(value(field)))
    const meant = (field: Field) => mapped(field) ?? value(field).trim()
    const problems: string[] = []
    const name = value('name')
    if (!isStorableText(name)) problems.push(`name: ${shown(name)} ${NAME_RULE}`)
    else if (name.trim() === '') facts.unnamed.add(line)
    const category = meant('categoryId')
    const found = category === '' ? { problem: 'is empty' } : categories.of(category)
    if ('problem' in found) {
      problems.push(category === '' ? 'categoryId: is empty' : `categoryId: ${shown(category)} ${found.problem}`)
      if (category !== '') facts.unknownCategories.add(category, line)
    } else if (found.as !== undefined) facts.guessCategory(category, found.id, found.as)
    facts.found.note('categoryId', value('categoryId'), 'problem' in found ? undefined : found.id.toString())
    const said = meant('status').toLowerCase()
    const status = said === '' || isPetStatus(said) ? said : mapped('status') === undefined ? statusOf(said) : undefined
    facts.found.note('status', value('status'), status)
    if (status === undefined) {
      problems.push(`status: ${shown(meant('status'))} is not one of ${PetStatus.enum.join(', ')}, nor empty`)
      facts.unknownStatuses.add(meant('status'), line)
    }
    const id = withIds ? importedId(meant('id')) : undefined
    if (withIds && id === undefined) problems.push(`${ID_RULE}, not ${shown(meant('id'))}`)
    const referred = referenceAt === -1 ? undefined : referenceOf(record[referenceAt] ?? '')
    if (referenceAt !== -1 && referred === undefined) problems.push(REFERENCE_RULE)
    if (problems.length > 0 || 'problem' in found) return { problems }
    const rest = { ...(status ? { status } : {}), ...(id === undefined ? {} : { id }) }
    return {
      value: { name, categoryId: found.id, ...rest, ...(referred === undefined ? {} : { reference: referred }) },
    }
  }
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
