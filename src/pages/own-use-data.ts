/** What the service tells the front desk of a key's requests. */

/** By day (UTC), today last; days without requests are among them. */
export interface OwnUse {
  readonly days: readonly {
    /** As in `2026-11-24`. */
    readonly day: string
    readonly admitted: number
    /** By a limit, or while the key was banned. */
    readonly refused: number
  }[]
}
