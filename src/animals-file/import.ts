/**
 * An import from a file, as the command and the office both do it: the animals in batches, the first of them for a
 * look, and the bad rows, of which the first are kept and the others counted.
 */
import type { ImportedPet } from '../store/imports.ts'
import type { ListedPet } from '../store/sync.ts'
import type { AnimalsFile } from './read.ts'
import type { FilePet } from './row.ts'

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
  readonly file: AnimalsFile
  /** The first animals. */
  readonly preview: ImportedPet[] = []
  /** The first bad rows. */
  readonly problems: Problem[] = []
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
        if ('problems' in row) this.#note(row.line, row.problems.join('; '))
        else {
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

  #note(line: number, text: string): void {
    this.badRows += 1
    if (this.problems.length < PROBLEMS_SHOWN) this.problems.push({ line, text })
  }
}

export function badRows({ badRows }: FileImport): string {
  return badRows === 1 ? '1 bad row' : `${badRows} bad rows`
}
