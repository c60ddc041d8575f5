/**
 * Reads animals from a file as a stream: CSV or NDJSON (one NewPet per line, or one Pet where ids are kept), in any
 * supported encoding. Rows follow the same rules as a body over HTTP. Problems are reported by line, the recognised
 * format in one line.
 */
import { numberText, parseJson } from '../contract/json.ts'
import { type Checked, checkNewPet, parseNewPet } from '../contract/validate.ts'
import type { ImportedPet } from '../store/imports.ts'
import type { ListedPet } from '../store/sync.ts'
import { readCsv } from './csv.ts'
import { CsvFacts, type Note } from './facts.ts'
import { Repeats } from './repeats.ts'
import {
  type FilePet,
  ID_RULE,
  importedId,
  REFERENCE_RULE,
  type ReadOptions,
  type ReadRow,
  type Row,
  referenceOf,
  UnreadableFile,
} from './row.ts'
import { Text } from './text.ts'

const ROWS_PER_BATCH = 1_000
/** Problems beyond this number are only counted. */
const PROBLEMS_SHOWN = 20
const PREVIEWED = 10

export class AnimalsFile {
  readonly facts = new CsvFacts()
  readonly #text: Text
  readonly #options: ReadOptions
  #format: 'CSV' | 'NDJSON' | undefined

  constructor(bytes: AsyncIterable<Buffer>, options: ReadOptions) {
    this.#text = new Text(bytes)
    this.#options = options
  }

  /** The recognised format, once the rows have been read; undefined if nothing could be read. */
  get understood(): string | undefined {
    if (this.#format === undefined) return undefined
    const format = this.#format === 'CSV' ? this.facts.description : 'NDJSON'
    return `Read as ${this.#text.encoding}, ${format}.`
  }

  get notes(): readonly Note[] {
    const { otherEncoding, otherLines } = this.#text
    if (otherEncoding === undefined) return this.facts.notes
    const [first, ...others] = otherLines
    const lines = others.length === 0 ? `Line ${first} is` : `Lines ${otherLines.join(', ')} and perhaps others are`
    return [...this.facts.notes, { text: `${lines} not UTF-8, and read as ${otherEncoding}.` }]
  }

  /**
   * The animals, in order, as many together as a piece of the file holds; without those that are gone. A file whose
   * first character is `{` is NDJSON, any other one CSV. Throws UnreadableFile if it cannot be read.
   */
  async *rows(): AsyncIterable<readonly Row[]> {
    for await (const rows of this.#read()) yield rows.flatMap(toRow)
  }

  async *#read(): AsyncIterable<readonly ReadRow[]> {
    const { rowLimit, mapping, isSync, reference } = this.#options
    const chunks = this.#text.chunks()
    const start = await readStart(chunks, rowLimit)
    if (start.trimStart().startsWith('[')) {
      throw new UnreadableFile('The file is a JSON array; write one JSON object on each line (NDJSON), or CSV.')
    }
    if (!start.trimStart().startsWith('{')) {
      this.#format = 'CSV'
      yield* readCsv(start, chunks, this.#options, this.facts)
      return
    }
    if (mapping.columns.size > 0 || mapping.values.size > 0) {
      throw new UnreadableFile('A mapping is for CSV, and the file is NDJSON; import it without one.')
    }
    this.#format = 'NDJSON'
    if (isSync !== true) {
      yield* readNdjson(start, chunks, this.#options)
      return
    }
    const repeats = new Repeats(true, (line) => this.facts.repeatedRows.add(line))
    for await (const rows of readNdjson(start, chunks, this.#options)) for (const row of rows) repeats.add(row)
    yield* repeats.all(reference ?? '')
  }
}

function toRow(row: ReadRow): readonly Row[] {
  if ('problems' in row) return [{ line: row.line, problems: row.problems }]
  return row.isGone === true ? [] : [{ line: row.line, value: row.value }]
}

/** The file has bad rows, and they were not to be left out. */
export class BadRows extends Error {
  override readonly name = 'BadRows'
}

/** As the command and the office both do it: in batches, with the first animals and the first bad rows to be told. */
export class FileImport {
  readonly file: AnimalsFile
  readonly preview: ImportedPet[] = []
  readonly problems: { readonly line: number; readonly text: string }[] = []
  badRows = 0
  readonly #skipInvalid: boolean

  constructor(file: AnimalsFile, { skipInvalid }: { readonly skipInvalid: boolean }) {
    this.file = file
    this.#skipInvalid = skipInvalid
  }

  /** The first bad rows as lines, and how many more there are. */
  get told(): readonly string[] {
    const more = this.badRows - this.problems.length
    const lines = this.problems.map(({ line, text }) => `Line ${line}: ${text}.\n`)
    return more > 0 ? [...lines, `… and ${more} more.\n`] : lines
  }

  /**
   * Reads the whole file even after an invalid row, so that all problems are reported in one run. Throws
   * UnreadableFile, and BadRows at the end.
   */
  batches(): AsyncIterable<readonly ImportedPet[]> {
    return this.#batches((pet) => pet)
  }

  /** The same for a sync, of a file whose references are read. */
  listed(): AsyncIterable<readonly ListedPet[]> {
    return this.#batches(({ name, categoryId, status, reference = '' }, line) => {
      const none = this.file.facts.hasStatus ? null : undefined
      return { name, categoryId, status: status ?? none, reference, line }
    })
  }

  async *#batches<T>(toItem: (pet: FilePet, line: number) => T): AsyncIterable<readonly T[]> {
    let batch: T[] = []
    for await (const rows of this.file.rows()) {
      for (const row of rows) {
        if ('problems' in row) {
          this.badRows += 1
          const problem = { line: row.line, text: row.problems.join('; ') }
          if (this.problems.length < PROBLEMS_SHOWN) this.problems.push(problem)
        } else {
          if (this.preview.length < PREVIEWED) this.preview.push(row.value)
          batch.push(toItem(row.value, row.line))
        }
        if (batch.length < ROWS_PER_BATCH) continue
        if (this.#isWanted) yield batch
        batch = []
      }
    }
    if (!this.#isWanted) throw new BadRows(`the file has ${badRows(this)}`)
    yield batch
  }

  get #isWanted(): boolean {
    return this.#skipInvalid || this.badRows === 0
  }
}

export function badRows({ badRows }: FileImport): string {
  return badRows === 1 ? '1 bad row' : `${badRows} bad rows`
}

/** The start of the file up to the end of the first line that is not blank, or all of it. */
async function readStart(chunks: AsyncGenerator<string>, rowLimit: number): Promise<string> {
  let start = ''
  for (;;) {
    const text = start.trimStart()
    if (text.includes('\n') || text.length > rowLimit) return start
    const blank = `more than ${rowLimit} blank characters; remove them and try again.`
    if (text === '' && start.length > rowLimit) throw new UnreadableFile(`The file begins with ${blank}`)
    const next = await chunks.next()
    if (next.done) return start
    start += next.value
  }
}

/** The rows of each chunk together, as those of CSV. A line that is too long is reported and skipped. */
async function* readNdjson(
  start: string,
  chunks: AsyncIterable<string>,
  { rowLimit, withIds, reference }: ReadOptions,
): AsyncIterable<readonly ReadRow[]> {
  let line = 0
  let rest = ''
  const row = (text: string): ReadRow[] => {
    line += 1
    if (Buffer.byteLength(text) > rowLimit) return [{ line, problems: [`is longer than ${rowLimit} bytes`] }]
    if (text.trim() === '') return []
    const read = readLine(text, withIds, reference)
    return [{ line, ...read, same: 'value' in read ? read.value.reference : undefined }]
  }
  const rows = function* (chunk: string): Iterable<ReadRow> {
    let from = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      yield* row(rest + chunk.slice(from, end))
      rest = ''
      from = end + 1
    }
    // Of a line that is already too long, keep only enough to report it.
    rest = (rest + chunk.slice(from)).slice(0, rowLimit + 1)
  }
  yield [...rows(start)]
  for await (const chunk of chunks) yield [...rows(chunk)]
  yield row(rest)
}

function readLine(text: string, withIds: boolean, reference: string | undefined): Checked<FilePet> {
  const isPlain = !withIds && reference === undefined
  let sent: unknown
  try {
    sent = isPlain ? parseNewPet(text) : parseJson(text)
  } catch {
    return { problems: ['is not JSON'] }
  }
  if (isPlain || typeof sent !== 'object' || sent === null) return checkNewPet(sent)
  const { id: given, ...rest } = sent as { id?: unknown }
  const checked = checkNewPet(rest)
  if ('problems' in checked) return checked
  if (reference !== undefined) {
    const member = (sent as Readonly<Record<string, unknown>>)[reference]
    const referred = referenceOf(typeof member === 'string' ? member : (numberText(member) ?? ''))
    return referred === undefined
      ? { problems: [REFERENCE_RULE] }
      : { value: { ...checked.value, reference: referred } }
  }
  const id = importedId(numberText(given) ?? '')
  return id === undefined ? { problems: [ID_RULE] } : { value: { ...checked.value, id } }
}
