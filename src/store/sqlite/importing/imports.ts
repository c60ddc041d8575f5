/** Imports into SQLite: all animals at the same instant or none, while other writers wait only for moments. */

import type { Clock } from '../../../common/clock.ts'
import { INT64_MIN } from '../../../contract/int64.ts'
import type { ImportedPet, ImportOptions, ImportOutcome } from '../../imports.ts'
import { TAKEN_SHOWN } from '../../rules/bounds.ts'
import { assertRoom } from '../file/room.ts'
import type { FlatPets, IdRange } from '../rows/pets.ts'
import type { ImportFacts, Put } from '../writing/publishing.ts'
import type { Writer } from '../writing/writer.ts'
import { claimImporting, finishUndos, ignoreUnavailable, pause } from './steps.ts'

/** Rows copied in one transaction: it holds the write lock for about 15 ms on a machine that has time for it. */
const ROWS_PER_STEP = 10_000
/** A step that takes longer than this, in ms, is followed by an equal pause and smaller steps: the machine is busy. */
const STEP_MS = 20
const FEWEST_ROWS_PER_STEP = 1_000
/** Looking an animal up in the staged ones takes longer than copying one. */
const ROWS_PER_LOOK = 5_000

/** Bytes of a row and its index entries besides the name, and of the room that pages leave empty. */
const BYTES_PER_ROW = 48
const FILLED = 0.9
/** Free room is checked each time this many more bytes are staged. */
const LOOK_EVERY_BYTES = 4 << 20

/** The staged animals: their number, in total and by status, and about how many bytes they take in the file. */
interface Staged {
  readonly bytes: number
  readonly animals: number
  readonly counts: ReadonlyMap<string, number>
}

/** The file that is imported into. */
interface Target {
  readonly path: string
  readonly clock: Clock
  hasAnimals(): boolean
}

export class Importer {
  readonly #target: Target
  readonly #writer: Writer

  constructor(target: Target, writer: Writer) {
    this.#target = target
    this.#writer = writer
  }

  /** Throws StoreUnusable, StoreUnavailable, or what `batches` throws. */
  async add(batches: AsyncIterable<readonly ImportedPet[]>, options: ImportOptions): Promise<ImportOutcome> {
    const { path } = this.#target
    const { release } = claimImporting(path)
    try {
      await this.#writer.run('beginStaging')
      // With no animals stored there can be no duplicates.
      const counts = !options.withIds && !options.allowDuplicates && this.#target.hasAnimals()
      const staged = await this.#stage(batches, counts)
      const { animals } = staged
      if (!options.dryRun) {
        await this.#removeUnfinished(await this.#writer.run('unfinishedImports'))
        await finishUndos(this.#writer, this.#target.clock)
      }
      const taken = options.withIds ? await this.#writer.run('stagedIdsTaken', TAKEN_SHOWN) : []
      const duplicates = counts && animals > 0 ? await this.#countDuplicates(animals) : 0
      const leavesOut = options.leaveOutDuplicates === true && duplicates < animals
      const isRefused = options.dryRun || animals === 0 || taken.length > 0 || (duplicates > 0 && !leavesOut)
      if (isRefused) return { n: undefined, animals, duplicates, taken }
      const wanted = duplicates > 0 ? await this.#leaveOutDuplicates(staged) : staged
      const put = await this.#addStaged(wanted, options)
      return { animals, duplicates, ...put }
    } finally {
      await Promise.resolve(this.#writer.run('endStaging')).catch(ignoreUnavailable)
      release()
    }
  }

  async #stage(batches: AsyncIterable<readonly ImportedPet[]>, countsKinds: boolean): Promise<Staged> {
    let animals = 0
    let bytes = 0
    let lookedAt = 0
    const counts = new Map<string, number>()
    for await (const pets of batches) {
      const flat: FlatPets = []
      for (const { name, categoryId, status, id } of pets) {
        flat.push(name, categoryId, status ?? null, id ?? null)
        counts.set(status ?? 'none', (counts.get(status ?? 'none') ?? 0) + 1)
        bytes += (Buffer.byteLength(name) + BYTES_PER_ROW) / FILLED
      }
      if (bytes - lookedAt >= LOOK_EVERY_BYTES) {
        await assertRoom(this.#target.path, bytes)
        lookedAt = bytes
      }
      await this.#writer.run('stage', flat, countsKinds)
      animals += pets.length
    }
    return { animals, counts, bytes }
  }

  /** The number of staged animals whose name and category a stored animal has. */
  async #countDuplicates(animals: number): Promise<number> {
    let last: bigint | undefined = INT64_MIN
    while (last !== undefined) last = await this.#writer.run('findStagedKinds', last, ROWS_PER_LOOK)
    let duplicates = 0
    for (let from = 1; from <= animals; from += ROWS_PER_STEP) {
      duplicates += await this.#writer.run('countStagedDuplicates', from, from + ROWS_PER_STEP - 1)
    }
    return duplicates
  }

  /** Those that are staged from now on. */
  async #leaveOutDuplicates({ animals, bytes }: Staged): Promise<Staged> {
    const counts = new Map<string, number>()
    for (let from = 1; from <= animals; from += ROWS_PER_STEP) {
      for (const [status, n] of await this.#writer.run('findOthers', from, from + ROWS_PER_STEP - 1)) {
        counts.set(status, (counts.get(status) ?? 0) + n)
      }
    }
    await this.#writer.run('stageOthers')
    return { animals: counts.values().reduce((sum, n) => sum + n, 0), counts, bytes }
  }

  async #addStaged(
    { animals, counts, bytes }: Staged,
    { by, source, withIds, newCategories = new Map() }: ImportOptions,
  ): Promise<Put> {
    const facts: ImportFacts = { by, source, animals, newCategories }
    const { clock, path } = this.#target
    // A transaction is in the log as a whole before it is copied into the file.
    await assertRoom(path, withIds ? 2 * bytes : bytes)
    if (withIds) return this.#writer.run('putStaged', counts, facts)
    const firstId = await this.#writer.run('reserveIds', animals)
    try {
      let rows = ROWS_PER_STEP
      for (let from = 1; from <= animals; ) {
        await assertRoom(path, 0) // others use the disk too
        const to = Math.min(animals, from + rows - 1)
        const startMs = clock.monotonic()
        await this.#writer.run('copyStaged', firstId, from, to)
        const tookMs = clock.monotonic() - startMs
        rows = rowsAfter(rows, tookMs)
        from = to + 1
        await pause(clock, tookMs > STEP_MS ? tookMs : undefined)
      }
      return { n: await this.#writer.run('publishImport', firstId, counts, facts), taken: [] }
    } catch (error) {
      const own = { first: firstId, last: firstId + BigInt(animals) - 1n }
      await this.#removeUnfinished([own]).catch(ignoreUnavailable) // the next import does it if this one cannot
      throw error
    }
  }

  async #removeUnfinished(imports: readonly IdRange[]): Promise<void> {
    for (const unfinished of imports) {
      while (await this.#writer.run('removeUnfinished', unfinished, ROWS_PER_STEP)) await pause(this.#target.clock)
    }
  }
}

/** The number of rows for the next step, after one of `rows` that took `ms`. */
function rowsAfter(rows: number, ms: number): number {
  return Math.max(FEWEST_ROWS_PER_STEP, Math.min(ROWS_PER_STEP, Math.floor((rows * STEP_MS) / ms)))
}
