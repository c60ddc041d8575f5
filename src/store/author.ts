/** The author of a change, for the journal. */

export interface Author {
  /** A person's name, or `cli` and the name of the system user. */
  readonly who: string
  /** Unix ms. */
  readonly atMs: number
  /**
   * The hash of the author's session in the office. The transaction of the journal entry checks it and throws
   * SessionEnded (./people.ts). Undefined for commands.
   */
  readonly session?: string | undefined
  /** The act on several animals to which the change belongs: its number or, for its first part, its data. */
  readonly partOf?: bigint | ActEntry | undefined
}

/** The entry of an act on several animals. The entry of each animal refers to it. */
export interface ActEntry {
  readonly act: 'edit several' | 'remove several' | 'restore several' | 'undo several' | 'sync' | 'undo import'
  readonly importN?: bigint
  /** Values before and after, as JSON objects. */
  readonly from?: string
  readonly to?: string
  /** The entry of the act that this one undoes. */
  readonly undoes?: bigint | undefined
}

/** A long change without a time gets the time of its transaction. */
export type LateAuthor = Omit<Author, 'atMs'> & Partial<Pick<Author, 'atMs'>>
