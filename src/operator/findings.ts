/** What is wrong with the service, as `/readyz`, `pets health` and the office report it: one list for all three. */

export interface Finding {
  /** `cannot serve` fails `/readyz`. `look at it` needs a person. */
  readonly kind: 'cannot serve' | 'look at it'
  readonly sentence: string
}

/** Problems of the database come first. */
export type ReadFindings = () => Promise<readonly Finding[]>
