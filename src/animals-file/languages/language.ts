/**
 * The table of a language. Each entry is a list of words or phrases in lower case, separated by commas; accents are
 * optional. `adopt*` matches every word that begins so. Each file is compared with all languages. The tables only make
 * proposals, which a person confirms.
 */

/** What words of headings mean; a word of several roles has the first. A heading is recognised if all its words are. */
export const ROLES = [
  'name',
  /** The species. A word of `type` means it only next to a word of `animal`, or alone. */
  'species',
  /** The status of an animal: "status". */
  'status',
  /** How an animal left: "outcome". */
  'outcome',
  /** About what was before, or how and why an animal came: never a status. */
  'past',
  /** A number that was not given by the shelter, such as a microchip number. */
  'chip',
  /** "number" in "Animal number". */
  'number',
  /** An animal: "pet" in "Pet name". */
  'animal',
  'type',
  /** Intake; with or without a word of `date`. */
  'came',
  'date',
  /** What is counted or numbered, but is no animal: "kennel" in "Kennel No". */
  'unit',
  /** Where an animal is, or how well. */
  'place',
  'breed',
  /** Words of headings about something else: people, breeds, health, places. */
  'other',
  /** Fillers, such as "current" and "of". */
  'small',
] as const
export type Role = (typeof ROLES)[number]

/** `none`: in the shelter, without a status. `gone`: has left the shelter. `skip`: the row is no animal. */
export const MEANINGS = ['available', 'pending', 'sold', 'none', 'gone', 'skip'] as const
export type Meaning = (typeof MEANINGS)[number]

/** What families of words mean in values of a status; a word of several families is of the first. */
export const FAMILIES = {
  available: 'available',
  /** On hold, reserved, on trial. */
  pending: 'pending',
  /** In foster care: pending, unless the value also has another status. */
  foster: 'pending',
  sold: 'sold',
  /** Has left, as a status; as the way in which an animal came it means nothing ("Transfer"). */
  moved: 'gone',
  /** Left the shelter, but was not adopted. */
  gone: 'gone',
  /** Not to be adopted now; also where it heads a column of yes and no. */
  withheld: 'none',
  /** How or why an animal came, and what is not known: no status, and nothing in a column of yes and no. */
  came: 'none',
  /** In the shelter, but not available: stored without a status. */
  none: 'none',
  /** Negation, as in "not available" and "adoption fell through": what it negates is asked. */
  not: 'none',
} as const satisfies Readonly<Record<string, Meaning>>
export type Family = keyof typeof FAMILIES

export interface Language {
  /** The code page of files that are not in Unicode, if not Windows-1252. */
  readonly page?: string
  readonly headings: Readonly<Partial<Record<Role, string>>>
  readonly statuses: Readonly<Partial<Record<Family, string>>>
  /** Breeds, by the English name of their species. */
  readonly breeds?: Readonly<Record<string, string>>
  readonly yes?: string
  readonly no?: string
  /** How a line of totals begins. */
  readonly total?: string
  /** The twelve months in order, each as words separated by spaces. */
  readonly months?: string
}
