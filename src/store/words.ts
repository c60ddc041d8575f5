/** The shelter's own words for statuses, as people see them. The interface and files keep theirs. */
import type { Eventual } from '../common/eventual.ts'
import type { PetStatus } from '../contract/schemas.ts'
import type { Author } from './author.ts'

/** By status; a status without a word is called as the interface calls it. */
export type StatusWords = Readonly<Partial<Record<PetStatus, string>>>

/** A status that was to have a word that is taken: by another status, or by what is said beside the statuses. */
export interface SharedWord {
  readonly status: PetStatus
  readonly other: string
}

export interface WordStore {
  ofStatuses(): Eventual<StatusWords>
  /**
   * Sets the words of these statuses, or takes them away if undefined; all or none. If what people would then see is
   * not distinct (./rules/status-words.ts), it is returned, and nothing is done.
   */
  set(words: ReadonlyMap<PetStatus, string | undefined>, by: Author): Eventual<SharedWord | undefined>
}
