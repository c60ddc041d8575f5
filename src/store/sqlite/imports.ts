/** Imports into SQLite: all animals at the same instant or none, while other writers wait only for moments. */
import { setTimeout as sleep } from 'node:timers/promises'
import { INT64_MIN } from '../../contract/int64.ts'
import {
  type ImportedPet,
  type ImportOptions,
  type ImportOutcome,
  type ImportRecord,
  type PetImports,
  TAKEN_SHOWN,
  type Undone,
} from '../imports.ts'
import type { Author } from '../records.ts'
import { StoreUnavailable } from '../store.ts'
import { claim } from './claim.ts'
import type { Database } from './database.ts'
import type { ImportFacts } from './import-operations.ts'
import type { FlatStagedPets } from './staging-operations.ts'
import type { Writer } from './writer.ts'

/** Rows copied in one transaction: it holds the write lock for about 15 ms on a machine that has time for it. */
const ROWS_PER_STEP = 10_000
/** A step that took longer than this, because the machine is busy, is followed by as long a pause and by smaller ones. */
const STEP_MS = 20
const FEWEST_ROWS_PER_STEP = 1_000
/** Looking up an animal that is staged too takes longer than copying one. */
const ROWS_PER_LOOK = 5_000
/** Deleting an animal takes longer than copying one. */
const ROWS_PER_UNDO = 2_000
/** Long enough for a service that waits for the write lock to take it; it tries every millisecond. */
const PAUSE_MS = 4

type ImportRow = [n: bigint, atMs: bigint, who: string, source: string, animals: bigint, undoneAtMs: bigint | null]

/** The staged animals: their number, in total and by status. */
interface Staged {
  readonly animals: number
  readonly counts: ReadonlyMap<string, number>
}

export class SqliteImports implements PetImports {
  readonly #database: Database
  readonly #writer: Writer
  readonly #list
  readonly #any

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
    this.#list = database.prepare(
      'SELECT n, at_ms, who, source, animals, undone_at_ms FROM imports ORDER BY n DESC LIMIT ? + 0',
    )
    this.#any = database.prepare('SELECT 1 FROM pets LIMIT 1')
  }

  #hasAnimals(): boolean {
    return this.#database.read(() => this.#any.get()) !== undefined
  }

  /** Throws StoreUnusable, StoreUnavailable, or what `batches` throws. */
  async add(batches: AsyncIterable<readonly ImportedPet[]>, options: ImportOptions): Promise<ImportOutcome> {
    const { path } = this.#database.connection
    const release = claim(path, 'importing', `Another import into ${path} is running; wait for its end and try again.`)
    try {
      await this.#writer.run('beginStaging')
      // Where no animal is, none is there already.
      const counts = !options.withIds && !options.allowDuplicates && this.#hasAnimals()
      const staged = await this.#stage(batches, counts)
      const { animals } = staged
      if (!options.dryRun) await this.#removeUnfinished()
      const taken = options.withIds ? await this.#writer.run('stagedIdsTaken', TAKEN_SHOWN) : []
      const duplicates = counts && animals > 0 ? await this.#countDuplicates(animals) : 0
      const isRefused = options.dryRun || animals === 0 || taken.length > 0 || duplicates > 0
      const n = isRefused ? undefined : await this.#addStaged(staged, options)
      return { n, animals, duplicates, taken }
    } finally {
      await Promise.resolve(this.#writer.run('endStaging')).catch(ignore)
      release()
    }
  }

  async #stage(batches: AsyncIterable<readonly ImportedPet[]>, countsKinds: boolean): Promise<Staged> {
    let animals = 0
    const counts = new Map<string, number>()
    for await (const pets of batches) {
      const flat: FlatStagedPets = []
      for (const { name, categoryId, status, id } of pets) {
        flat.push(name, categoryId, status ?? null, id ?? null)
        counts.set(status ?? 'none', (counts.get(status ?? 'none') ?? 0) + 1)
      }
      await this.#writer.run('stage', flat, countsKinds)
      animals += pets.length
    }
    return { animals, counts }
  }

  /** The number of the staged animals with the name and the category of an animal that is there. */
  async #countDuplicates(animals: number): Promise<number> {
    let last: bigint | undefined = INT64_MIN
    while (last !== undefined) last = await this.#writer.run('findStagedKinds', last, ROWS_PER_LOOK)
    let duplicates = 0
    for (let from = 1; from <= animals; from += ROWS_PER_STEP) {
      duplicates += await this.#writer.run('countStagedDuplicates', from, from + ROWS_PER_STEP - 1)
    }
    return duplicates
  }

  async #addStaged({ animals, counts }: Staged, { by, source, withIds }: ImportOptions): Promise<bigint> {
    const facts: ImportFacts = { by, source, animals }
    if (withIds) return this.#writer.run('putStaged', counts, facts)
    const firstId = await this.#writer.run('reserveIds', animals)
    try {
      let rows = ROWS_PER_STEP
      for (let from = 1; from <= animals; ) {
        const to = Math.min(animals, from + rows - 1)
        const startMs = performance.now()
        await this.#writer.run('copyStaged', firstId, from, to)
        const tookMs = performance.now() - startMs
        rows = rowsAfter(rows, tookMs)
        from = to + 1
        await sleep(tookMs > STEP_MS ? tookMs : PAUSE_MS)
      }
      return await this.#writer.run('publishImport', firstId, counts, facts)
    } catch (error) {
      await this.#removeUnfinished().catch(ignore) // the next import does it if this one cannot
      throw error
    }
  }

  async #removeUnfinished(): Promise<void> {
    for (const unfinished of await this.#writer.run('unfinishedImports')) {
      while (await this.#writer.run('removeUnfinished', unfinished, ROWS_PER_STEP)) await sleep(PAUSE_MS)
    }
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

  async undo(n: bigint, by: Author): Promise<Undone | undefined> {
    const select = this.#database.prepare('SELECT animals, undone_at_ms FROM imports WHERE n = ?')
    const [animals, undoneAtMs] = (this.#database.read(() => select.get(n)) ?? []) as unknown as [bigint?, bigint?]
    if (animals === undefined || typeof undoneAtMs === 'bigint') return undefined
    let removed = 0
    for (;;) {
      const some = await this.#writer.run('undoSome', n, ROWS_PER_UNDO, by)
      removed += some
      if (some === 0) break
      await sleep(PAUSE_MS)
    }
    await this.#writer.run('endUndo', n, removed, by)
    return { removed, kept: Number(animals) - removed }
  }
}

/** The rows of the next step, after one of `rows` that took `ms`. */
function rowsAfter(rows: number, ms: number): number {
  return Math.max(FEWEST_ROWS_PER_STEP, Math.min(ROWS_PER_STEP, Math.floor((rows * STEP_MS) / ms)))
}

function ignore(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error
}
