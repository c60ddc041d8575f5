/** What is wrong with the service, as `/readyz`, `pets health` and the office report it: one list for all three. */

export interface Finding {
  /** `cannot serve`: requests fail, and `/readyz` with them. `look at it`: a person has to look at it. */
  readonly kind: 'cannot serve' | 'look at it'
  /** What is wrong, and what to do. */
  readonly sentence: string
}

/** The problem of the database comes first. */
export type ReadFindings = () => Promise<readonly Finding[]>
