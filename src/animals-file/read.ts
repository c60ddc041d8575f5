/**
 * Reads animals from a file as a stream, whatever its form: CSV, JSON, or a workbook, packed or not, in any supported
 * encoding. Problems are reported by line, the recognised format in one line.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FileRow, StagedFile } from '../store/staging.ts'
import { openContainer, refuseMarkup } from './container.ts'
import { openCsv } from './csv.ts'
import { CsvReport, type Note } from './csv-report.ts'
import { openJson } from './json.ts'
import { type ReadOptions, type Row, type Source, UnreadableFile } from './row.ts'
import { openTable } from './table.ts'
import { TextDecoding } from './text-decoding.ts'
import { openWorkbook } from './workbook.ts'

/** The number of characters from the start that determine format, separator, heading and columns. */
const START = 1 << 18
const ROWS_PER_BATCH = 1_000
/** Problems beyond this number are only counted. */
const PROBLEMS_SHOWN = 20

export class AnimalsFile {
  readonly facts = new CsvReport()
  badRows = 0
  readonly problems: { readonly line: number; readonly text: string }[] = []
  readonly #bytes: AsyncIterable<Buffer>
  readonly #options: ReadOptions
  /** Undefined for a workbook, and before the file is opened. */
  #text: TextDecoding | undefined

  constructor(bytes: AsyncIterable<Buffer>, options: ReadOptions) {
    this.#bytes = bytes
    this.#options = options
  }

  /** The recognised format as a sentence, once the rows have been read; undefined if nothing could be read. */
  get understood(): string | undefined {
    const { description } = this.facts
    if (description === undefined) return undefined
    return `Read as ${this.#text === undefined ? '' : `${this.#text.encoding}, `}${description}.`
  }

  get notes(): readonly Note[] {
    const { otherEncoding, otherLines = [] } = this.#text ?? {}
    if (otherEncoding === undefined) return this.facts.notes
    const [first, ...others] = otherLines
    const lines = others.length === 0 ? `Line ${first} is` : `Lines ${otherLines.join(', ')} and perhaps others are`
    return [...this.facts.notes, { text: `${lines} not UTF-8, and read as ${otherEncoding}.` }]
  }

  /** The rows in order, those of a piece of the file together. Throws UnreadableFile if it cannot be read. */
  async *rows(): AsyncIterable<readonly Row[]> {
    const source = await this.#open()
    if (source === undefined) {
      throw new UnreadableFile('The file is empty; it should begin with the line name,categoryId,status.')
    }
    const reader = await openTable(source, this.#options, this.facts)
    for await (const items of source.items) yield reader.rows(items)
  }

  /** The first bad rows as lines, and how many more there are. */
  get problemLines(): readonly string[] {
    const more = this.badRows - this.problems.length
    const lines = this.problems.map(({ line, text }) => `Line ${line}: ${text}.\n`)
    return more > 0 ? [...lines, `… and ${more} more.\n`] : lines
  }

  /**
   * The rows for the store. Reads the whole file even after an invalid row, so that all problems are reported in one run.
   * Throws UnreadableFile, and BadRows at the end.
   */
  async *batches(): AsyncIterable<readonly FileRow[]> {
    let batch: FileRow[] = []
    const isWanted = () => this.#options.skipInvalid || this.badRows === 0
    for await (const rows of this.rows()) {
      for (const row of rows) {
        if ('problems' in row) {
          this.badRows += 1
          const problem = { line: row.line, text: row.problems.join('; ') }
          if (this.problems.length < PROBLEMS_SHOWN) this.problems.push(problem)
        } else
          batch.push({
            ...row.value,
            line: row.line,
            status: row.value.status ?? (this.facts.hasStatus ? null : undefined),
          })
        if (batch.length < ROWS_PER_BATCH) continue
        if (isWanted()) yield batch
        batch = []
      }
    }
    if (!isWanted()) throw new BadRows(`the file has ${badRows(this)}`)
    yield batch
  }

  /** Notes what the store has found in the rows. Throws UnreadableFile if the references do not identify animals. */
  accept<T extends { readonly file: StagedFile }>(outcome: T): T {
    const { older, ambiguous } = outcome.file
    if (ambiguous !== undefined) {
      const what = `The column "${this.facts.reference}" does not tell the animals apart: ${ambiguous.rows} of ${ambiguous.of} rows have the reference of an animal with another name.`
      throw new UnreadableFile(what, 'Name the right one with --ref.')
    }
    this.facts.olderRows = older
    return outcome
  }

  /** Undefined if the file is empty. */
  async #open(): Promise<Source | undefined> {
    const options = this.#options
    const file = await openContainer(this.#bytes)
    if ('workbook' in file) return openWorkbook(file.workbook, options)
    this.#text = new TextDecoding(file.text)
    const chunks = this.#text.chunks()
    let start = ''
    while (start.length < START) {
      const next = await chunks.next()
      if (next.done === true) break
      start += next.value
    }
    refuseMarkup(start)
    const all = following(start, chunks)
    return /^\s*[[{]/.test(start) ? openJson(start, all, options) : openCsv(start, all, options)
  }
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
