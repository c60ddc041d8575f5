/**
 * An import from a file, as the command and the office both do it: the animals in batches, the first of them for a
 * look, and the bad rows, of which the first are kept and the others counted.
 */
import type { ImportedPet } from '../store/imports.ts'
import type { AnimalsFile } from './read.ts'

const ROWS_PER_BATCH = 1_000
/** Problems beyond this number are only counted. */
const PROBLEMS_SHOWN = 20
const PREVIEWED = 10

/** The file has bad rows, and they were not to be left out. */
export class BadRows extends Error {
  override readonly name = 'BadRows'
}

interface Problem {
  /** Counted from 1. */
  readonly line: number
  readonly text: string
}

export class FileImport {
  /** The first animals. */
  readonly preview: ImportedPet[] = []
  /** The first bad rows. */
  readonly problems: Problem[] = []
  badRows = 0
  readonly #file: AnimalsFile
  readonly #skipInvalid: boolean

  constructor(file: AnimalsFile, { skipInvalid }: { readonly skipInvalid: boolean }) {
    this.#file = file
    this.#skipInvalid = skipInvalid
  }

  /** The recognised format in one line; undefined if nothing could be read. */
  get understood(): string | undefined {
    return this.#file.understood
  }

  /**
   * Reads the whole file even after an invalid row, so that all problems are reported in one run. Throws
   * UnreadableFile, and BadRows at the end.
   */
  async *batches(): AsyncIterable<readonly ImportedPet[]> {
    let batch: ImportedPet[] = []
    for await (const rows of this.#file.rows()) {
      for (const row of rows) {
        if ('problems' in row) this.#note(row.line, row.problems.join('; '))
        else batch.push(row.value)
        if (batch.length < ROWS_PER_BATCH) continue
        if (this.#isWanted) yield this.#previewed(batch)
        batch = []
      }
    }
    if (!this.#isWanted) throw new BadRows(`the file has ${this.badRows} bad rows`)
    yield this.#previewed(batch)
  }

  get #isWanted(): boolean {
    return this.#skipInvalid || this.badRows === 0
  }

  #note(line: number, text: string): void {
    this.badRows += 1
    if (this.problems.length < PROBLEMS_SHOWN) this.problems.push({ line, text })
  }

  #previewed(batch: readonly ImportedPet[]): readonly ImportedPet[] {
    this.preview.push(...batch.slice(0, PREVIEWED - this.preview.length))
    return batch
  }
}
