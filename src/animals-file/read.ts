/**
 * Reads animals from a file as a stream: CSV or NDJSON (one NewPet per line, or one Pet where ids are kept), in any
 * supported encoding. Rows follow the same rules as a body over HTTP. Problems are reported by line, the recognised
 * format in one line.
 */

import { type CsvFacts, describeCsv, readCsv } from './csv.ts'
import { readNdjson } from './ndjson.ts'
import type { ReadOptions, Row } from './row.ts'
import { UnreadableFile } from './row.ts'
import { Text } from './text.ts'

export class AnimalsFile {
  readonly #text: Text
  readonly #options: ReadOptions
  readonly #csv: CsvFacts = { separator: ',', columns: [], blankRows: 0 }
  #format: 'CSV' | 'NDJSON' | undefined

  constructor(bytes: AsyncIterable<Buffer>, options: ReadOptions) {
    this.#text = new Text(bytes)
    this.#options = options
  }

  /** The recognised format, once the rows have been read; undefined if nothing could be read. */
  get understood(): string | undefined {
    if (this.#format === undefined) return undefined
    const format = this.#format === 'CSV' ? describeCsv(this.#csv) : 'NDJSON'
    return `Read as ${this.#text.encoding}, ${format}.`
  }

  /**
   * The rows, in order, as many together as a piece of the file holds. A file whose first character is `{` is NDJSON,
   * any other one CSV. Throws UnreadableFile if it cannot be read.
   */
  async *rows(): AsyncIterable<readonly Row[]> {
    const { rowLimit, mapping } = this.#options
    const chunks = this.#text.chunks()
    const start = await readStart(chunks, rowLimit)
    if (start.trimStart().startsWith('[')) {
      throw new UnreadableFile('The file is a JSON array; write one JSON object on each line (NDJSON), or CSV.')
    }
    if (!start.trimStart().startsWith('{')) {
      this.#format = 'CSV'
      yield* readCsv(start, chunks, this.#options, this.#csv)
      return
    }
    if (mapping.columns.size > 0 || mapping.values.size > 0) {
      throw new UnreadableFile('A mapping is for CSV, and the file is NDJSON; import it without one.')
    }
    this.#format = 'NDJSON'
    yield* readNdjson(start, chunks, this.#options)
  }
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
