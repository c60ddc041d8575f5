/** Syncs, as the store offers them; what compares and changes (../importing/sync.ts) is loaded with the first one. */
import type { ListedPet, PetSync, SyncOptions, SyncOutcome } from '../../sync.ts'
import type { Writer } from '../writing/writer.ts'

export class SqliteSync implements PetSync {
  readonly #path: string
  readonly #writer: Writer

  constructor(path: string, writer: Writer) {
    this.#path = path
    this.#writer = writer
  }

  /** Throws StoreUnusable, StoreUnavailable, or what `batches` throws. */
  async run(batches: AsyncIterable<readonly ListedPet[]>, options: SyncOptions): Promise<SyncOutcome> {
    const { runSync } = await import('../importing/sync.ts')
    return runSync(this.#path, this.#writer, batches, options)
  }

  /** Only one service has the file. */
  alone(work: () => Promise<void>): Promise<void> {
    return work()
  }
}
