/**
 * Imports: many animals that appear at the same instant or not at all. An import has a number, by which its animals can
 * be removed again unless they were changed since.
 */
import type { Eventual } from '../common/eventual.ts'
import type { NewPet } from '../contract/schemas.ts'
import type { Author } from './author.ts'

/** An animal to add; with an id if the import keeps ids (an export that is read back). */
export type ImportedPet = NewPet & { readonly id?: bigint }

export interface ImportOptions {
  readonly by: Author
  /** The source of the animals, as `pets imports` shows it. */
  readonly source: string
  /** Every animal keeps the id that it has in the file; ids assigned later are greater. */
  readonly withIds: boolean
  /**
   * Also imports animals whose name and category exist already. Animals with ids from the file are never taken for
   * duplicates.
   */
  readonly allowDuplicates: boolean
  /** Where duplicates are not allowed: imports the others, rather than nothing. */
  readonly leaveOutDuplicates?: boolean
  /**
   * Names for categories, given in the commit of the animals; looked at when `batches` has ended. If one of the
   * categories or names is there by then, nothing is imported. They stay when the import is undone.
   */
  readonly newCategories?: ReadonlyMap<bigint, string>
  /** Reports what would happen and imports nothing. */
  readonly dryRun: boolean
}

export interface ImportOutcome {
  /** The number of the import; undefined if nothing was imported. */
  readonly n: bigint | undefined
  /** The number of animals in `batches`. */
  readonly animals: number
  /** The number of them that exist already by name and category; not counted if duplicates are allowed. */
  readonly duplicates: number
  /** Some of their ids that are taken or appear twice; if there are any, nothing is imported. */
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

/**
 * The result of undoing: animals removed, and animals kept because somebody changed or removed them after the import.
 */
export interface Undone {
  readonly removed: number
  /** Of a sync: animals that were there before, and are again as they were. */
  readonly putBack?: number
  readonly kept: number
}

export interface PetImports {
  /** Adds all animals, in order, or none, also if `batches` or the engine fails. */
  add(batches: AsyncIterable<readonly ImportedPet[]>, options: ImportOptions): Promise<ImportOutcome>
  /** Newest first. */
  list(limit: number): Eventual<readonly ImportRecord[]>
  /**
   * Removes exactly the animals of the import that nobody has changed since; they can be restored like any removed
   * animal. Undefined if there is no such import, or it is already undone. An interrupted undo is completed by running
   * it again. Of a sync, the animals that were there before are put back as they were, in one transaction.
   */
  undo(n: bigint, by: Author): Promise<Undone | undefined>
}
