/**
 * The operator's side of the animals: find, edit, remove and restore them, and the journal. None of it is an operation
 * of the interface (O3), which shows only the results. A change and its journal entry are one transaction. A removed
 * animal disappears from the interface at once and can be restored until it is purged; its id is never given again
 * (R4).
 */
import type { Eventual } from '../common/eventual.ts'
import type { NewPet, PetStatus } from '../contract/schemas.ts'
import type { Author } from './author.ts'
import type { StoredPet } from './rows.ts'
import type { JournalAct } from './rules/journal.ts'
import type { Order, Place } from './rules/name-order.ts'

/** New values of an animal. An absent member stays unchanged; a status of null removes it (O4). */
export interface PetChanges {
  readonly name?: string
  readonly categoryId?: bigint
  readonly status?: PetStatus | null
}

export interface PetRecord extends StoredPet {
  /** The number of its latest journal entry, 0 if there is none: it grows with every change. */
  readonly version: bigint
  /** Unix ms; undefined while the interface shows the animal. */
  readonly removedAtMs: number | undefined
}

/** An animal to be changed; with the version that the author read, if the change depends on it. */
export type Target = bigint | { readonly id: bigint; readonly version: bigint }

/**
 * What happens to the others if some animals are missing or have another version. With 'all that can be', a change that
 * sets no name returns only the beginnings of names (BRIEF_NAME, ./rules/bounds.ts).
 */
export type Reach = 'all or none' | 'all that can be'

/**
 * Whose animals a removal or a return may reach: with `own`, those that the author has added (or removed, to bring them
 * back), if nobody else has changed them since. Others are told as conflicts.
 */
export type Whose = 'any' | 'own'

export interface ChangeOutcome {
  /** Animals that did not have the values already. */
  readonly changed: number
  /** All animals reached, as they are now; none if nothing was done. */
  readonly pets: readonly PetRecord[]
  readonly missing: readonly bigint[]
  /** Animals with another version than the author read, or not the author's own if they must be, as they are now. */
  readonly conflicts: readonly PetRecord[]
}

export interface Added {
  /** Undefined if it has been purged since. */
  readonly pet: PetRecord | undefined
  /** False if it was there already: the same form was sent again. */
  readonly isNew: boolean
}

export interface JournalEntry {
  /** Counts up from 1. */
  readonly n: bigint
  readonly atMs: number
  readonly who: string
  readonly act: JournalAct
  /** Decimal; undefined if the entry is not about a single animal. */
  readonly petId: string | undefined
  readonly keyId: string | undefined
  /** The values before and after, as JSON objects. */
  readonly from: string | undefined
  readonly to: string | undefined
}

export interface JournalQuery {
  readonly petId: bigint | undefined
  readonly keyId: string | undefined
  /** The author, in full. */
  readonly who?: string | undefined
  /** Only entries of these acts. */
  readonly acts?: readonly JournalAct[]
  /** Unix ms; only entries since then. */
  readonly sinceMs: number | undefined
  /** Unix ms; only entries before then. */
  readonly untilMs?: number | undefined
  /** Only entries from this one on: bounds what a filter that finds little looks at. */
  readonly from?: bigint
  /** Only entries older than this one: where the previous page ended. */
  readonly before: bigint | undefined
  /** Returns only the beginnings of names (BRIEF_NAME). */
  readonly isBrief?: boolean
  readonly limit: number
}

/** Which animals of a list are meant. */
export interface Choice {
  /** Words in any order, each a part of the name, ignoring case and accents; without words every animal is found. */
  readonly text: string
  /** `none` means animals without a status; undefined means any status, but not removed. */
  readonly status: PetStatus | 'none' | 'removed' | undefined
  readonly categoryId?: bigint | undefined
}

/** All animals but the removed. */
export const ALL_ANIMALS: Choice = { text: '', status: undefined }

export interface FindQuery extends Choice {
  /** The text is the whole name, its words in this order. */
  readonly isWhole?: boolean
  readonly limit: number
  /** Only animals with a smaller id. */
  readonly before?: bigint | undefined
  /** Only animals with a greater id, and of them the nearest to it, or to the end. Not together with `before`. */
  readonly after?: bigint | 'end' | undefined
  /** Returns only the beginnings of names (BRIEF_NAME). */
  readonly isBrief?: boolean
  /** Ends the search after this time, in ms, with what it has found; without it the search waits for the index. */
  readonly withinMs?: number
}

export interface FoundPets {
  /** Newest first. */
  readonly pets: readonly PetRecord[]
  /** The `before` or `after` with which to continue if the time was over; otherwise undefined. */
  readonly stoppedAt: bigint | undefined
}

export interface OrderedQuery extends Choice {
  readonly order: Order
  readonly limit: number
  /** Only animals behind this place. */
  readonly before?: Place | undefined
  /** Only animals ahead of this place, and of them the nearest to it, or to the end. Not together with `before`. */
  readonly after?: Place | 'end' | undefined
  readonly withinMs: number
}

/** An animal with its key in the order asked for. */
export interface OrderedPet {
  readonly pet: PetRecord
  readonly key: string
}

export interface TallyQuery extends Choice {
  /** To count how many of the list stand ahead of it. */
  readonly place: Place | undefined
  /** That of the place, if it has a key; by name unless told. */
  readonly order?: Order | undefined
  readonly withinMs: number
}

export interface Tally {
  /** By status, whatever the status chosen; of removed animals, if those are chosen, `removed` only. */
  readonly counts: Readonly<Record<PetStatus | 'none' | 'removed', number>>
  /** Of those of the status chosen. */
  readonly ahead: number
  /** False if the time was over: there are at least as many. */
  readonly isComplete: boolean
}

export interface PetRecords {
  /** An animal, removed or not; undefined if it never existed or has been purged. */
  get(id: bigint): Eventual<PetRecord | undefined>
  /**
   * Adds an animal for a person. `once` is the token of a form: the same token again adds nothing and returns the same
   * animal (FORMS_KEPT).
   */
  add(pet: NewPet, by: Author, once: string): Eventual<Added>
  /** Who added or removed these animals last, and when; only those of which the journal says it. */
  authors(act: 'add' | 'remove', ids: readonly bigint[]): Eventual<ReadonlyMap<bigint, Author>>
  /** All of these animals or none, unless `reach` says otherwise, in one transaction. */
  change(pets: readonly Target[], changes: PetChanges, by: Author, reach?: Reach): Eventual<ChangeOutcome>
  /** All of these animals or none. */
  remove(pets: readonly Target[], by: Author, whose?: Whose): Eventual<ChangeOutcome>
  /** Brings removed animals back as they were; all of them or none. */
  restore(pets: readonly Target[], by: Author, whose?: Whose): Eventual<ChangeOutcome>
  /** Deletes animals for good that were removed before `beforeMs`; resolves to their number. */
  purge(beforeMs: number, by: Author): Eventual<number>
  /** Writes the journal entry of an export in this format, of these animals. */
  noteExport(format: string, animals: Choice, by: Author): Eventual<void>
  /** The beginnings of the names of these animals, as they are or were when removed, as far as they are there. */
  names(ids: readonly bigint[]): Eventual<ReadonlyMap<bigint, string>>
  /** Newest first. */
  journal(query: JournalQuery): Eventual<readonly JournalEntry[]>
  /**
   * Animals whose names contain the words. The index that makes this fast is brought up to date first, or meanwhile if
   * the time is limited; `onIndexed` is called with the number of names that each step has added.
   */
  find(query: FindQuery, onIndexed?: (names: number) => void): Eventual<FoundPets>
  /** Animals in such an order (./rules/name-order.ts); undefined if the time does not suffice to look at all. */
  findInOrder(query: OrderedQuery): Eventual<readonly OrderedPet[] | undefined>
  /** How many animals there are of those chosen. */
  tally(query: TallyQuery): Eventual<Tally>
}
