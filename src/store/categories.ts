/**
 * The categories: names for their numbers, which only people see (O1), and what animals are in them. No two get one
 * name, by whomever; those that had one before this rule keep it.
 */
import type { Eventual } from '../common/eventual.ts'
import type { Author } from './author.ts'

/** How many animals have the number of a category. */
export interface CategoryUse {
  readonly animals: number
  readonly removed: number
}

/** A category that was to have the name of another one. */
export interface SharedName {
  readonly id: bigint
  readonly other: bigint
  /** As the other one has it: without regard to case, accents, spaces and hyphens it is the same. */
  readonly label: string
}

export interface Merged {
  readonly n: bigint
  readonly animals: number
}

export interface MergeRecord extends Merged {
  readonly atMs: number
  readonly who: string
  readonly from: bigint
  /** The name that `from` had. */
  readonly label: string | undefined
  readonly into: bigint
  /** Unix ms. */
  readonly undoneAtMs: number | undefined
}

/** Of the animals of a merge: those taken back, and those that somebody has changed since, or that are no more. */
export interface UnmergedAnimals {
  readonly back: number
  readonly kept: number
}

export interface CategoryStore {
  /** By number in ascending order. */
  names(): Eventual<ReadonlyMap<bigint, string>>
  /** The categories of animals, removed ones included; looks at all of them, and lets others go on meanwhile. */
  used(): Promise<ReadonlyMap<bigint, CategoryUse>>
  /**
   * Gives these categories these names, or takes their names away if undefined; all or none, in one commit. If one of
   * the names would be that of another category too, it is returned, and nothing is done.
   */
  name(names: ReadonlyMap<bigint, string | undefined>, by: Author): Eventual<SharedName | undefined>
  /**
   * Gives all animals of the category `from`, removed ones too, to `into`, and takes the name of `from` away, in one
   * commit. Undefined, and nothing is done, if `from` has neither animals nor a name.
   */
  merge(from: bigint, into: bigint, by: Author): Eventual<Merged | undefined>
  /** Newest first. */
  merges(limit: number): Eventual<readonly MergeRecord[]>
  /**
   * Takes back those of its animals that nobody has changed since, and the name if no other category has it by then, in
   * one commit. Undefined if there is no such merge, or it is already undone.
   */
  undoMerge(n: bigint, by: Author): Eventual<UnmergedAnimals | undefined>
}
