/** What a sync refuses unless it is agreed to: a list that does not seem to speak of the animals that are here. */

/** Animals and rows of a sync, counted before it does anything. */
export interface SyncFigures {
  /** Animals that have a reference. */
  readonly referenced: number
  /** Of them those that would change, be marked or be removed. */
  readonly touched: number
  /** Of them those that would get another name and category at once. */
  readonly reassigned: number
  /** Of them those whose reference the list does not have any more. */
  readonly vanished: number
  /** Of the vanished those that are alike to new rows. */
  readonly vanishedAlike: number
  /** New rows that are alike to animals without a reference. */
  readonly alike: number
}

export interface SyncConsent {
  /** Goes on although the other system seems to have given its animals new references. */
  readonly agrees?: boolean
  /** Goes on although many animals would get another name and category at once: they are the same ones. */
  readonly renames?: boolean
  /**
   * Whether an animal without a reference takes that of the one new row with its name and category, where it is the
   * only such animal and not sold; or the references of the rows of which it does. Undefined: nothing is done if there
   * are animals with the name and the category of a new row.
   */
  readonly adopts: boolean | readonly string[] | undefined
  /** The sync is refused if a larger share of the referenced animals would change or be removed; 0 to 1. */
  readonly maxChangedShare: number
}

/** Fewer animals may get another name and category at once: a mistake that was corrected. */
const LEAST_REASSIGNED = 2
/** Of all that have a reference, whatever share may change otherwise. */
const MOST_REASSIGNED = 0.1

/** The first reason against a sync. `renumbered`: half of the vanished, who are more than half of all, seem new rows. */
export function whyRefused(
  { referenced, touched, reassigned, vanished, vanishedAlike, alike }: SyncFigures,
  { agrees = false, renames = false, adopts, maxChangedShare }: SyncConsent,
): 'renumbered' | 'reassigned' | 'too many' | 'alike' | undefined {
  if (!agrees && 2 * vanished > referenced && 2 * vanishedAlike >= vanished) return 'renumbered'
  if (!renames && reassigned >= LEAST_REASSIGNED && reassigned > MOST_REASSIGNED * referenced) return 'reassigned'
  if (touched > maxChangedShare * referenced) return 'too many'
  return adopts === undefined && alike > 0 ? 'alike' : undefined
}
