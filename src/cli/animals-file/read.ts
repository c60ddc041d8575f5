/**
 * Reads animals from a file as a stream: CSV or NDJSON (one NewPet a line, or one Pet where ids are kept), in the encoding that
 * it has. Rows are held to the same rules as a body over HTTP. What is wrong is said by line, and what was understood in one.
 */
import type { Checked } from '../../contract/validate.ts'
import type { ImportedPet } from '../../store/imports.ts'
import { CommandFailed } from '../options.ts'
import { type CsvFacts, describeCsv, readCsv } from './csv.ts'
import type { Mapping } from './mapping.ts'
import { readNdjson } from './ndjson.ts'
import { Text } from './text.ts'

/** Either an animal, or what is wrong with the row at `line` (counted from 1). */
export type Row = { readonly line: number } & Checked<ImportedPet>

export interface ReadOptions {
  /** Most bytes of one row, so that memory and time follow the rows whatever the file holds. */
  readonly rowLimit: number
  /** Each row brings the id of its animal. */
  readonly withIds: boolean
  readonly mapping: Mapping
}

export class AnimalsFile {
  readonly #text: Text
  readonly #options: ReadOptions
  readonly #csv: CsvFacts = { separator: ',', columns: [], blankRows: 0 }
  #format: 'CSV' | 'NDJSON' | undefined

  constructor(bytes: AsyncIterable<Buffer>, options: ReadOptions) {
    this.#text = new Text(bytes)
    this.#options = options
  }

  /** What the file was taken for, once its rows have been read; undefined when nothing of it could be. */
  get understood(): string | undefined {
    if (this.#format === undefined) return undefined
    const format = this.#format === 'CSV' ? describeCsv(this.#csv) : 'NDJSON'
    return `Read as ${this.#text.encoding}, ${format}.`
  }

  /** A file whose first character is `{` is NDJSON, any other one CSV. Throws CommandFailed when it cannot be read on. */
  async *rows(): AsyncIterable<Row> {
    const { rowLimit, mapping } = this.#options
    const chunks = this.#text.chunks()
    const start = await readStart(chunks, rowLimit)
    if (start.trimStart().startsWith('[')) {
      throw new CommandFailed('The file is a JSON array; write one JSON object on each line (NDJSON), or CSV.')
    }
    if (!start.trimStart().startsWith('{')) {
      this.#format = 'CSV'
      yield* readCsv(start, chunks, this.#options, this.#csv)
      return
    }
    if (mapping.columns.size > 0 || mapping.values.size > 0) {
      throw new CommandFailed('--map is for CSV, and the file is NDJSON; import it without --map.')
    }
    this.#format = 'NDJSON'
    yield* readNdjson(start, chunks, this.#options)
  }
}

/** As much as holds the first line that is not blank, or all there is. */
async function readStart(chunks: AsyncGenerator<string>, rowLimit: number): Promise<string> {
  let start = ''
  for (;;) {
    const text = start.trimStart()
    if (text.includes('\n') || text.length > rowLimit) return start
    if (text === '' && start.length > rowLimit) {
      throw new CommandFailed(`The file begins with more than ${rowLimit} blank characters; remove them and try again.`)
    }
    const next = await chunks.next()
    if (next.done) return start
    start += next.value
  }
}
