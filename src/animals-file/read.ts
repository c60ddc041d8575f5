/**
 * Reads animals from a file as a stream: CSV or NDJSON (one NewPet per line, or one Pet where ids are kept), in any
 * supported encoding. Rows follow the same rules as a body over HTTP. Problems are reported by line, the recognised
 * format in one line.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { numberText, parseJson } from '../contract/json.ts'
import { type Checked, checkNewPet, parseNewPet } from '../contract/validate.ts'
import type { ImportedPet } from '../store/imports.ts'
import type { ListedPet } from '../store/sync.ts'
import { openCsv } from './csv.ts'
import { CsvReport, type Note } from './csv-report.ts'
import { Deduplicator } from './deduplicator.ts'
import {
  type FilePet,
  ID_RULE,
  importedId,
  REFERENCE_RULE,
  type ReadOptions,
  type ReadRow,
  type Row,
  referenceOf,
  type Source,
  UnreadableFile,
} from './row.ts'
import type { RowReader } from './rows.ts'
import { openTable } from './table.ts'
import { TextDecoding } from './text-decoding.ts'

/** The number of characters from the start that determine format, separator, heading and columns. */
const START = 1 << 18
const ROWS_PER_BATCH = 1_000
/** Problems beyond this number are only counted. */
const PROBLEMS_SHOWN = 20
const PREVIEWED = 10

export class AnimalsFile {
  readonly facts = new CsvReport()
  readonly preview: ImportedPet[] = []
  badRows = 0
  readonly problems: { readonly line: number; readonly text: string }[] = []
  readonly #text: TextDecoding
  readonly #options: ReadOptions
  #format: 'CSV' | 'NDJSON' | undefined

  constructor(bytes: AsyncIterable<Buffer>, options: ReadOptions) {
    this.#text = new TextDecoding(bytes)
    this.#options = options
  }

  /** The recognised format as a sentence, once the rows have been read; undefined if nothing could be read. */
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
   * The rows in order, without animals that are gone; each batch holds the rows of one piece of the file. A file whose
   * first character is `{` is NDJSON, any other one CSV. Throws UnreadableFile if it cannot be read.
   */
  async *rows(): AsyncIterable<readonly Row[]> {
    for await (const rows of this.#read()) yield rows.filter(({ isGone }) => isGone !== true)
  }

  /** The first bad rows as lines, and how many more there are. */
  get problemLines(): readonly string[] {
    const more = this.badRows - this.problems.length
    const lines = this.problems.map(({ line, text }) => `Line ${line}: ${text}.\n`)
    return more > 0 ? [...lines, `… and ${more} more.\n`] : lines
  }

  /**
   * Reads the whole file even after an invalid row, so that all problems are reported in one run. Throws
   * UnreadableFile, and BadRows at the end.
   */
  importBatches(): AsyncIterable<readonly ImportedPet[]> {
    return this.#batches((pet) => pet)
  }

  /** The same for a sync, with the reference and the line of each row. */
  syncBatches(): AsyncIterable<readonly ListedPet[]> {
    return this.#batches(({ name, categoryId, status, reference = '' }, line) => {
      const none = this.facts.hasStatus ? null : undefined
      return { name, categoryId, status: status ?? none, reference, line }
    })
  }

  async *#batches<T>(toItem: (pet: FilePet, line: number) => T): AsyncIterable<readonly T[]> {
    let batch: T[] = []
    const isWanted = () => this.#options.skipInvalid || this.badRows === 0
    for await (const rows of this.rows()) {
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
        if (isWanted()) yield batch
        batch = []
      }
    }
    if (!isWanted()) throw new BadRows(`the file has ${badRows(this)}`)
    yield batch
  }

  async *#read(): AsyncIterable<readonly ReadRow[]> {
    const options = this.#options
    const chunks = this.#text.chunks()
    let start = ''
    while (start.length < START) {
      const next = await chunks.next()
      if (next.done === true) break
      start += next.value
    }
    const first = start.trimStart()[0]
    if (first === '[') {
      throw new UnreadableFile('The file is a JSON array; write one JSON object on each line (NDJSON), or CSV.')
    }
    this.#format = first === '{' ? 'NDJSON' : 'CSV'
    const all = following(start, chunks)
    let rows: AsyncIterable<readonly ReadRow[]>
    let repeats: Deduplicator | undefined
    if (this.#format === 'NDJSON') {
      rows = readNdjson(all, options)
      repeats = options.isSync ? new Deduplicator(true) : undefined
    } else {
      const source = await openCsv(start, all, options)
      if (source === undefined) {
        throw new UnreadableFile('The file is empty; it should begin with the line name,categoryId,status.')
      }
      const table = await openTable(source, options, this.facts)
      repeats = table.repeats
      rows = rowsOf(source, table.reader)
    }
    if (repeats === undefined) yield* rows
    else for await (const some of rows) for (const row of some) repeats.add(row, this.facts.repeatedRows)
    if (repeats !== undefined) yield* repeats.all(this.facts.reference ?? options.reference ?? '')
  }
}

async function* rowsOf({ items }: Source, reader: RowReader): AsyncIterable<readonly ReadRow[]> {
  for await (const some of items) yield reader.rows(some)
}

/** The file has bad rows, and `skipInvalid` is not set. */
export class BadRows extends Error {
  override readonly name = 'BadRows'
}

export function badRows({ badRows }: AnimalsFile): string {
  return badRows === 1 ? '1 bad row' : `${badRows} bad rows`
}

/** Yields pieces of a few ms of work, each in its own turn of the event loop, so that an import delays no request. */
async function* following(start: string, chunks: AsyncGenerator<string>): AsyncIterable<string> {
  let next: IteratorResult<string> = { value: start }
  while (next.done !== true) {
    for (const [piece] of next.value.matchAll(/.{1,8192}/gsu)) {
      yield piece
      await nextTurn()
    }
    next = await chunks.next()
  }
}

/** Yields the rows of each chunk together, as `readCsv` does. A line that is too long is reported and skipped. */
async function* readNdjson(
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
