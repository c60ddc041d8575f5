/** Who changes something: every change names its author, for the journal. */

/** The author of a change, and its time. */
export interface Author {
  /** A person's name, or `cli` and the name of the system user. */
  readonly who: string
  /**
   * Unix ms. It may be a getter: it is read when the transaction is about to commit, not when the change was asked for.
   */
  readonly atMs: number
  /**
   * The hash of the author's session in the office. The transaction that writes the journal entry checks that it still
   * holds; if not, it throws SessionEnded (./people.ts) and changes nothing. Undefined for commands.
   */
  readonly session?: string | undefined
}
