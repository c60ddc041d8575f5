/**
 * Imports, as the store offers them: what was imported is read here; what adds animals (../importing/imports.ts) is
 * loaded with the first import.
 */

import type { Author } from '../../author.ts'
import type { ImportedPet, ImportOptions, ImportOutcome, ImportRecord, PetImports, Undone } from '../../imports.ts'
import { finishUndos, ignoreUnavailable } from '../importing/steps.ts'
import type { Writer } from '../writing/writer.ts'
import type { Database } from './database.ts'

type ImportRow = [n: bigint, atMs: bigint, who: string, source: string, animals: bigint, undoneAtMs: bigint | null]

export class SqliteImports implements PetImports {
  readonly #database: Database
  readonly #writer: Writer
  readonly #list

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
    this.#list = database.prepare(
      'SELECT n, at_ms, who, source, animals, undone_at_ms FROM imports ORDER BY n DESC LIMIT ? + 0',
    )
  }

  /** Throws StoreUnusable, StoreUnavailable, or what `batches` throws. */
  async add(batches: AsyncIterable<readonly ImportedPet[]>, options: ImportOptions): Promise<ImportOutcome> {
    const { Importer } = await import('../importing/imports.ts')
    const any = this.#database.prepare('SELECT 1 FROM pets LIMIT 1')
    const target = {
      path: this.#database.connection.path,
      clock: this.#database.clock,
      hasAnimals: () => this.#database.read(() => any.get()) !== undefined,
    }
    return new Importer(target, this.#writer).add(batches, options)
  }

  list(limit: number): readonly ImportRecord[] {
    const rows = this.#database.read(() => this.#list.all(limit)) as unknown as ImportRow[]
    return rows.map(([n, atMs, who, source, animals, undoneAtMs]) => ({
      n,
      atMs: Number(atMs),
      who,
      source,
      animals: Number(animals),
      undoneAtMs: undoneAtMs === null ? undefined : Number(undoneAtMs),
    }))
  }

  /**
   * The first commit is the undo; if the steps after it fail, the next undo, import, restoration or start goes on with
   * them.
   */
  async undo(n: bigint, by: Author): Promise<Undone | undefined> {
    const undone = await this.#writer.run('beginUndo', n, by)
    if (undone !== undefined) await finishUndos(this.#writer, this.#database.clock).catch(ignoreUnavailable)
    return undone
  }
}
