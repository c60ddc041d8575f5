/**
 * Reads animals from a file as a stream, whatever its form: CSV, JSON, or a workbook, packed or not, in any supported
 * encoding. Problems are reported by line, the recognised format in one line.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { foldWord } from '../common/fold.ts'
import type { FileRow, StagedFile } from '../store/staging.ts'
import { findColumns } from './columns.ts'
import { openContainer, refuseMarkup } from './container.ts'
import { openCsv } from './csv.ts'
import { CsvReport, headingsText, type Note, type Table } from './csv-report.ts'
import { openJson } from './json.ts'
import { READY_MAPS } from './languages/systems.ts'
import { FIELDS, type Field, fieldName, isOwn, readRules, readyFor, rulesOf } from './mapping.ts'
import { BadRows, type CheckedRow, onOneLine, type ReadOptions, type Source, UnreadableFile, withFirst } from './row.ts'
import { RowReader } from './rows.ts'
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
    const { note } = this.#text ?? {}
    return [...this.facts.notes, ...(note === undefined ? [] : [{ text: note }])]
  }

  /** The rows in order, those of a piece of the file together. Throws UnreadableFile if it cannot be read. */
  async *rows(): AsyncIterable<readonly CheckedRow[]> {
    const source = await this.#open()
    if (source === undefined) {
      throw new UnreadableFile('The file is empty; it should begin with the line name,categoryId,status.')
    }
    try {
      this.facts.table = await openTable(source, this.#options)
      refuseOpen(this.facts.table, this.#options)
      const reader = new RowReader(this.facts.table, this.#options, this.facts)
      for await (const items of source.items) yield reader.rows(items)
    } finally {
      await source.close?.()
    }
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
        const { line } = row
        if ('value' in row) {
          const { status = this.facts.hasStatus ? null : undefined } = row.value
          batch.push({ ...row.value, line, status })
        } else {
          this.badRows += 1
          if (this.badRows <= PROBLEMS_SHOWN) this.problems.push({ line, text: row.problems.join('; ') })
        }
        if (batch.length < ROWS_PER_BATCH) continue
        if (isWanted()) yield batch
        batch = []
      }
    }
    if (!isWanted()) throw new BadRows(this.badRows, this.#options.isSync)
    yield batch
  }

  /** Notes what the store has found in the rows. Throws UnreadableFile if the references do not identify animals. */
  accept<T extends { readonly file: StagedFile }>(outcome: T): T {
    const { older, ambiguous } = outcome.file
    if (ambiguous !== undefined) {
      const what = `The column "${this.facts.reference}" does not tell the animals apart: ${ambiguous.rows} of ${ambiguous.of} rows have the reference of an animal with another name.`
      throw new UnreadableFile(what, 'Name the right one with --ref.')
    }
    Object.assign(this.facts.rows.older, { count: older.rows, first: older.lines })
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
    const all = inTurns(withFirst(start, chunks))
    return /^\s*[[{]/.test(start) ? openJson(start, all, options) : openCsv(start, all, options)
  }
}

/** Yields pieces of a few ms of work, each in its own turn of the event loop, so that an import delays no request. */
async function* inTurns(texts: AsyncIterable<string>): AsyncIterable<string> {
  for await (const text of texts) {
    for (const [piece] of text.matchAll(/.{1,8192}/gsu)) {
      yield piece
      await nextTurn()
    }
  }
}

/** The table with its columns, by what was asked, or by what is known of the system that writes such files. */
async function openTable({ format, layout }: Source, options: ReadOptions): Promise<Table> {
  const { header } = layout
  const { mapping: before } = options
  const status = header.some((heading) => foldWord(heading) === 'status') ? 'status' : ''
  const own = ['name=name', 'category=categoryId', `status=${status}`, 'reference=']
  const ready = before.columns.size > 0 || isOwn(header) ? undefined : readyFor(header)
  const rules = READY_MAPS.get(ready ?? '') ?? (isOwn(header) ? own : [])
  const mapping = readRules([...rules, ...rulesOf(before)])
  const columns = await findColumns(layout, mapping, options)
  return { format, layout, columns, mapping, ready }
}

/** Throws UnreadableFile if a column is missing or unclear. */
function refuseOpen({ layout, columns, mapping }: Table, { withIds, isSync = false, reference }: ReadOptions): void {
  const { at, open, statuses } = columns
  const line = layout.headerLine === 0 ? 'The first object' : `Line ${layout.headerLine}`
  const headings = headingsText(layout.header)
  if (columns.isHeadless && layout.headerLine > 0 && mapping.columns.size === 0)
    throw new UnreadableFile(`${line}: the file has no line of headings; write one above it, as name,category,status.`)
  for (const [field, some] of open) {
    if (some.length === 0) continue
    const names = some.map((index) => `"${onOneLine(layout.header[index] ?? '')}"`).join(' and ')
    const none = field === 'status' || (field === 'reference' && !isSync) ? ', or nothing if none is' : ''
    throw new UnreadableFile(`${line}: ${names} could each be the ${fieldName(field)}.`, `Say which one is${none}.`)
  }
  const needed: Partial<Record<Field, string>> = {
    ...(withIds && { id: 'id' }),
    ...(isSync && { reference: 'of references' }),
  }
  for (const field of FIELDS) {
    const isThere = field === 'status' ? statuses.every((one) => one.at !== -1) : at[field] !== -1
    const heading = (field === 'reference' && reference) || mapping.columns.get(field) || needed[field]
    if (isThere || heading === undefined) continue
    const other = `If it has another name, say --map "${fieldName(field)}=COLUMN".`
    const advice = field === 'reference' ? 'Name the column of the references with --ref.' : other
    throw new UnreadableFile(`${line}: the header has no column ${onOneLine(heading)}; it is: ${headings}.`, advice)
  }
  if (open.size === 0) return
  const advice = open.has('categoryId') ? 'If it is the same for all animals, say --category NAME.' : undefined
  const what = `no column is understood as the ${[...open.keys()].map(fieldName).sort().reverse().join(', nor as the ')}`
  throw new UnreadableFile(`${line}: ${what}; the headings are: ${headings}.`, advice)
}
