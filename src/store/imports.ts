/**
 * Imports: many animals that appear at one instant or not at all. Each has a number by which it can be undone, for as long as
 * nobody has changed its animals.
 */
import type { Eventual } from '../common/eventual.ts'
import type { NewPet } from '../contract/schemas.ts'
import type { Author } from './records.ts'

/** An animal to be added; with an id where the import brings its own (an export that is taken back). */
export type ImportedPet = NewPet & { readonly id?: bigint }

export interface ImportOptions {
  readonly by: Author
  /** Where the animals come from, as `pets imports` shows it. */
  readonly source: string
  /** The animals keep the ids that they bring, all of them; ids given later are greater. */
  readonly withIds: boolean
  /** Imports animals whose name and category an animal already has. Animals with ids of their own are never taken for duplicates. */
  readonly allowDuplicates: boolean
  /** Finds out what would happen and imports nothing. */
  readonly dryRun: boolean
}

export interface ImportOutcome {
  /** The number of the import; undefined when nothing was imported. */
  readonly n: bigint | undefined
  /** Animals in `batches`. */
  readonly animals: number
  /** How many of them look like animals that are here already; not counted where they are allowed. */
  readonly duplicates: number
  /** Some of the ids that they bring and that are taken, or given twice; with any of them nothing is imported. */
  readonly taken: readonly bigint[]
}

export interface ImportRecord {
  readonly n: bigint
  readonly atMs: number
  readonly who: string
  readonly source: string
  readonly animals: number
  /** Unix ms. */
  readonly undoneAtMs: number | undefined
}

/** What undoing did: so many animals removed, so many kept since somebody has changed or removed them after the import. */
export interface Undone {
  readonly removed: number
  readonly kept: number
}

export interface PetImports {
  /** Adds all animals, in order, or none: when `batches` or the engine fails, too. */
  add(batches: AsyncIterable<readonly ImportedPet[]>, options: ImportOptions): Promise<ImportOutcome>
  /** Newest first. */
  list(limit: number): Eventual<readonly ImportRecord[]>
  /**
   * Removes exactly the animals of the import that nobody has changed since; they can be restored like any removed animal.
   * Undefined when there is no such import, or it was undone before. One that was cut off is finished by doing it again.
   */
  undo(n: bigint, by: Author): Promise<Undone | undefined>
}

/** Ids of which a message names some. */
export const TAKEN_SHOWN = 10
