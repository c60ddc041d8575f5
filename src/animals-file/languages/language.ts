/**
 * The table of a language. Each entry is a list of words or phrases in lower case, separated by commas; accents are
 * optional. `adopt*` matches every word that begins so. Each file is matched against all languages.
 */

/** Words of headings. A heading is understood if all its words are. */
interface Headings {
  /** An animal: "pet" in "Pet name". */
  readonly animal: string
  readonly name: string
  /** The species. A word of `type` means it only beside a word of `animal`, or alone. */
  readonly species: string
  readonly type: string
  /** The status of an animal: "status". */
  readonly status: string
  /** How an animal left: "outcome". */
  readonly outcome: string
  /** "number" in "Animal number". */
  readonly number: string
  /** A number that was not given by the shelter, such as a microchip's. */
  readonly chip: string
  /** About what was before, or how and why an animal came: never a status. */
  readonly past: string
  /** What is counted or numbered, but is no animal: "kennel" in "Kennel No". */
  readonly unit: string
  /** Where an animal is, or how well: may say that it is dead or gone, and is no status otherwise. */
  readonly place: string
  readonly breed: string
  /** Intake; with or without a word of `date`. */
  readonly came: string
  readonly date: string
  /** Fillers, such as "current" and "of". */
  readonly small: string
  /** Words of headings about something else: people, breeds, health, places. */
  readonly other: string
}

/** Words in values of a status, by what they mean. */
interface Statuses {
  readonly available: string
  /** On hold, reserved, on trial. */
  readonly pending: string
  /** In foster care: read as pending, unless the value also has another status. */
  readonly foster: string
  readonly sold: string
  /** Left the shelter, but was not adopted. */
  readonly gone: string
  /** Has left, as a status; as the way in which an animal came it means nothing ("Transfer"). */
  readonly moved: string
  /** How or why an animal came, and what is not known: no status, and nothing in a column of yes and no. */
  readonly came: string
  /** Not to be adopted now; also where it heads a column of yes and no. */
  readonly withheld: string
  /** In the shelter, but not available: stored without a status. */
  readonly none: string
  /** Negation, as in "not available". */
  readonly not: string
}

export interface Language {
  readonly headings: Headings
  readonly statuses: Statuses
  /** Breeds, by the English name of their species. */
  readonly breeds?: Readonly<Record<string, string>>
  /** The words for a species, by its English name; the first is what a new category is called. Each word of `each` is a species of its own. */
  readonly species: Readonly<Record<string, string>>
  readonly yes: string
  readonly no: string
  /** What stands in place of a name. */
  readonly unnamed?: string
  /** How a line of totals begins. */
  readonly total: string
}
