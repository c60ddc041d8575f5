/**
 * Reads animals from a file as a stream, whatever its form: CSV, JSON, or a workbook, packed or not, in any supported
 * encoding. Problems are reported by line, the recognised format in one line.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ImportedPet } from '../store/imports.ts'
import type { ListedPet } from '../store/sync.ts'
import { openContainer, refuseMarkup } from './container.ts'
import { openCsv } from './csv.ts'
import { CsvReport, type Note } from './csv-report.ts'
import { openJson } from './json.ts'
import { type FilePet, type ReadOptions, type ReadRow, type Row, type Source, UnreadableFile } from './row.ts'
import { openTable } from './table.ts'
import { TextDecoding } from './text-decoding.ts'
import { openWorkbook } from './workbook.ts'

/** The number of characters from the start that determine format, separator, heading and columns. */
const START = 1 << 18
const ROWS_PER_BATCH = 1_000
/** Problems beyond this number are only counted. */
const PROBLEMS_SHOWN = 20
const PREVIEWED = 10

export class AnimalsFile {
  readonly facts = new CsvReport()
  readonly preview: ImportedPet[] = []
  /** The categories of the rows that have no name yet: what the file calls each. */
  readonly newCategories = new Map<bigint, string>()
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

  /**
   * The rows in order, without animals that are gone; each batch holds the rows of one piece of the file. Throws
   * UnreadableFile if it cannot be read.
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
    return this.#batches(({ status, reference = '', ...pet }, line) => {
      const none = this.facts.hasStatus ? null : undefined
      return { ...pet, status: status ?? none, reference, line }
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
          const newCategory = this.#options.categories?.added.get(row.value.categoryId)
          if (newCategory !== undefined) this.newCategories.set(row.value.categoryId, newCategory)
          batch.push(toItem(newCategory === undefined ? row.value : { ...row.value, newCategory }, row.line))
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
    const source = await this.#open()
    if (source === undefined) {
      throw new UnreadableFile('The file is empty; it should begin with the line name,categoryId,status.')
    }
    const { reader, repeats } = await openTable(source, options, this.facts)
    for await (const items of source.items) {
      const rows = reader.rows(items)
      if (repeats === undefined) yield rows
      else for (const row of rows) repeats.add(row, this.facts.repeatedRows)
    }
    if (repeats !== undefined) yield* repeats.all(this.facts.reference ?? '')
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
