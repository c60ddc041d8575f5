/**
 * Reads animals from a file as a stream: CSV or NDJSON (one NewPet per line, or one Pet where ids are kept), in any
 * supported encoding. Rows follow the same rules as a body over HTTP. Problems are reported by line, the recognised
 * format in one line.
 */

import { readCsv } from './csv.ts'
import { CsvFacts, type Note } from './facts.ts'
import { readNdjson } from './ndjson.ts'
import { Repeats } from './repeats.ts'
import type { ReadOptions, ReadRow, Row } from './row.ts'
import { UnreadableFile } from './row.ts'
import { Text } from './text.ts'

export class AnimalsFile {
  /** What is known of a CSV file, once it has been read. */
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

  /** What a person should know of what was read so far. */
  get notes(): readonly Note[] {
    const { otherEncoding, otherLines } = this.#text
    const lines =
      otherLines.length === 1 ? `Line ${otherLines[0]} is` : `Lines ${otherLines.join(', ')} and perhaps others are`
    const mixed = otherEncoding === undefined ? [] : [{ text: `${lines} not UTF-8, and read as ${otherEncoding}.` }]
    return [...this.facts.notes, ...mixed]
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

/** The start of the file up to the end of the first line that is not blank, or all of it. */
async function readStart(chunks: AsyncGenerator<string>, rowLimit: number): Promise<string> {
  let start = ''
  for (;;) {
    const text = start.trimStart()
    if (text.includes('\n') || text.length > rowLimit) return start
    if (text === '' && start.length > rowLimit) {
      throw new UnreadableFile(
        `The file begins with more than ${rowLimit} blank characters; remove them and try again.`,
      )
    }
    const next = await chunks.next()
    if (next.done) return start
    start += next.value
  }
}
