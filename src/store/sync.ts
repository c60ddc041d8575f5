/**
 * A sync makes the animals agree with another system's list, whose rows each have a reference: that system's id of the
 * animal. The reference is kept beside the animal and is never on the interface. All that a sync does is seen at the
 * same instant, or nothing is done; it has the number of an import, by which it can be undone.
 */
import type { NewPet, PetStatus } from '../contract/schemas.ts'
import type { Author } from './author.ts'

/** A row of the list. */
export interface ListedPet extends Omit<NewPet, 'status'> {
  /** Null for none; undefined if the list does not say it, which leaves the animal's as it is. */
  readonly status: PetStatus | null | undefined
  readonly reference: string
  /** Where the list has it, counted from 1. */
  readonly line: number
}

/** What becomes of an animal whose reference the list does not have any more. */
export const MISSING = ['keep', 'sold', 'remove'] as const
export type Missing = (typeof MISSING)[number]

export interface SyncOptions {
  readonly by: Author
  /** Names of categories that the list brings, by number; complete once the list is read. */
  readonly newCategories?: ReadonlyMap<bigint, string>
  /** The source of the list, as `pets imports` shows it. */
  readonly source: string
  readonly missing: Missing
  /**
   * Whether an animal without a reference takes that of the one new row with its name and category, where it is the
   * only such animal. Undefined: nothing is done if there are animals with the name and the category of a new row.
   */
  readonly adopts: boolean | undefined
  /** The greatest share of the referenced animals that may change or go, from 0 to 1. */
  readonly most: number
  /** Reports what would happen and does nothing. */
  readonly dryRun: boolean
}

/** What a sync does with an animal. */
export const SYNC_KINDS = ['added', 'adopted', 'changed', 'restored', 'marked', 'removed'] as const
export type SyncKind = (typeof SYNC_KINDS)[number]

/** One animal that a sync changes, as it is then and as it was before. */
export interface SyncChange {
  readonly kind: SyncKind
  /** Undefined for one that is added. */
  readonly id: bigint | undefined
  readonly reference: string
  readonly now: PetValues
  /** Undefined for one that is added. */
  readonly before: PetValues | undefined
}

export interface PetValues {
  readonly name: string
  readonly categoryId: bigint
  readonly status: string | null
}

/** Why nothing was done. */
export type SyncRefusal =
  /** Rows with the same reference differ. */
  | { readonly why: 'repeated'; readonly lines: ReadonlyMap<string, readonly number[]> }
  | { readonly why: 'alike'; readonly adoptable: number }
  | { readonly why: 'too many'; readonly touched: number; readonly referenced: number }

export interface SyncOutcome {
  /** The number by which it can be undone; undefined if nothing was done. */
  readonly n: bigint | undefined
  /** Rows of the list, without those that repeat another. */
  readonly rows: number
  /** Rows that say the same of an animal as one before them, which counts alone. */
  readonly repeats: number
  readonly counts: Readonly<Record<SyncKind, number>>
  /** New rows with the name and the category of animals that have no reference, and do not take it. */
  readonly alike: number
  /** Animals whose reference the list does not have any more. */
  readonly unlisted: number
  /** The first animals that change. */
  readonly changes: readonly SyncChange[]
  readonly refusal: SyncRefusal | undefined
}

export interface PetSync {
  /** Does all of it or nothing, also if `batches` or the engine fails. */
  run(batches: AsyncIterable<readonly ListedPet[]>, options: SyncOptions): Promise<SyncOutcome>
  /** Runs `work`, unless another node does so now. */
  alone(work: () => Promise<void>): Promise<void>
}
