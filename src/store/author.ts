/** The author of a change, for the journal. */

export interface Author {
  /** A person's name, or `cli` and the name of the system user. */
  readonly who: string
  readonly atMs: number
  /** The hash of the office session, which is checked with the entry (SessionEnded). Undefined for commands. */
  readonly session?: string | undefined
  /** The act on several animals to which the change belongs: its number or, for its first part, its data. */
  readonly partOf?: bigint | ActEntry | undefined
}

export interface ActEntry {
  readonly act: 'edit several' | 'remove several' | 'restore several' | 'undo several' | 'sync' | 'undo import'
  readonly importN?: bigint
  readonly from?: string
  readonly to?: string
  readonly undoes?: bigint | undefined
}

/** A long change without a time gets the time of its transaction. */
export type LateAuthor = Omit<Author, 'atMs'> & Partial<Pick<Author, 'atMs'>>
