/**
 * What a table of a language says. Each entry is a list of words or phrases, separated by commas, in small letters,
 * with accents or without. `adopt*` stands for every word that begins so. All languages count for every file.
 */

/** Words of headings. A heading is understood if all its words are. */
interface Headings {
  /** An animal: "pet" in "Pet name". */
  readonly animal: string
  readonly name: string
  /** What kind of animal, as "species"; `type` only beside it, or alone. */
  readonly species: string
  readonly type: string
  /** What becomes of the animal, as "status". */
  readonly status: string
  /** The same, of animals that have left: "outcome". */
  readonly outcome: string
  /** "number" in "Animal number". */
  readonly number: string
  /** A number that somebody else has given to the animal. */
  readonly chip: string
  /** When it came; with or without `date`. */
  readonly came: string
  readonly date: string
  /** Words that change nothing, as "current" and "of". */
  readonly small: string
  /** Words that make a heading one of something else: persons, breeds, health, places. */
  readonly other: string
}

/** Words of statuses, by what is stored. */
interface Statuses {
  readonly available: string
  /** Spoken for: on hold, reserved, on trial. */
  readonly pending: string
  /** With a family that fosters it: pending too, unless it is said to be available. */
  readonly foster: string
  readonly sold: string
  /** It is not in the shelter any more, and has not been adopted there. */
  readonly gone: string
  /** It is there, and nobody can have it now. */
  readonly none: string
  /** Turns what follows into its opposite. */
  readonly not: string
}

export interface Language {
  readonly headings: Headings
  readonly statuses: Statuses
  /** Words for the same kind of animal, by its English name; `each` has others, each of its own kind. */
  readonly species: Readonly<Record<string, string>>
  readonly yes: string
  readonly no: string
  /** How a line of sums begins. */
  readonly total: string
}
