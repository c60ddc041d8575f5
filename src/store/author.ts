/** Who changes something: every change names its author, for the journal. */

/** The author of a change, and its time. */
export interface Author {
  /** A person's name, or `cli` and the name of the system user. */
  readonly who: string
  /** Unix ms. */
  readonly atMs: number
  /**
   * The hash of the author's session in the office. The transaction that writes the journal entry checks that it still
   * holds; if not, it throws SessionEnded (./people.ts) and changes nothing. Undefined for commands.
   */
  readonly session?: string | undefined
  /** The act on several animals that the change is a part of: the number of its entry, or, of the first part, what it says. */
  readonly partOf?: bigint | ActEntry | undefined
}

/** The entry of an act on several animals; each of them has its own, which names it. */
export interface ActEntry {
  readonly act: 'edit several' | 'remove several' | 'restore several' | 'undo several' | 'sync' | 'undo import'
  readonly importN?: bigint
  /** Values before and after, as JSON objects. */
  readonly from?: string
  readonly to?: string
  /** The number of the entry of the act that this one undoes. */
  readonly undoes?: bigint | undefined
}

/** Of a change that takes long: unless its time is given, it is that of the transaction, by the clock of the store. */
export type LateAuthor = Omit<Author, 'atMs'> & Partial<Pick<Author, 'atMs'>>
