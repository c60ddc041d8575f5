/**
 * The meaning of words in lists, for all languages together. The words only make proposals, which a person confirms. An
 * entry of words.ts contains phrases separated by commas; accents are optional, and `adopt*` stands for every word that
 * begins so.
 */
import { TEXTS } from './words.ts'

/** Words of headers. A word with several roles has the first. A header is recognised if all its words are. */
export const ROLES = [
  'name',
  /** A word of `type` has this role only next to a word of `animal`, or alone. */
  'species',
  'status',
  /** How an animal left. */
  'outcome',
  /** A microchip number, which is the reference if there is no other number. */
  'chip',
  'number',
  'animal',
  'type',
  /** Intake; with or without a word of `date`. */
  'came',
  'date',
  'breed',
  /** Words without a meaning, such as "current" and "of". */
  'small',
  /** People, places and the past: never the name, the status or the reference. */
  'other',
] as const
export type Role = (typeof ROLES)[number]

/** `none`: in the shelter, without a status. `gone`: has left the shelter. `skip`: the row is not an animal. */
export const MEANINGS = ['available', 'pending', 'sold', 'none', 'gone', 'skip'] as const
export type Meaning = (typeof MEANINGS)[number]

/** Words of statuses. A word of several families belongs to the first. */
export const FAMILIES = {
  available: 'available',
  pending: 'pending',
  /** In foster care: pending, unless the value also has another status. */
  foster: 'pending',
  sold: 'sold',
  /** Has left, as a status. As the way in which an animal came, it means nothing ("Transfer"). */
  moved: 'gone',
  gone: 'gone',
  /** Not for adoption now, also as the header of a column of yes and no. */
  withheld: 'none',
  none: 'none',
  /** Negations, as in "not available" and "adoption fell through". A negated word is a question. */
  not: 'none',
} as const satisfies Readonly<Record<string, Meaning>>
export type Family = keyof typeof FAMILIES

/** Breeds, by species. */
const OTHERS = ['yes', 'no', 'total', 'months', 'dog', 'cat', 'rabbit'] as const
type Use = Role | Family | (typeof OTHERS)[number]
const USES: ReadonlySet<string> = new Set([...ROLES, ...Object.keys(FAMILIES), ...OTHERS])

const LANGUAGES = TEXTS.map((text) => new Map(text.split(/[;\n]/).map(toEntry)))

function toEntry(entry: string): readonly [string, string] {
  const [use = '', words = ''] = entry.trim().split(': ')
  if (!USES.has(use)) throw new Error(`languages/words.ts: "${use}" is not a use of words`)
  return [use, words]
}

export function wordsFor(use: Use): readonly string[] {
  return LANGUAGES.flatMap((language) => language.get(use) ?? [])
}

/** All phrases with letters beyond ASCII. */
export function phrasesBeyondAscii(): ReadonlySet<string> {
  const phrases = LANGUAGES.flatMap((language) => [...language.values()]).flatMap((words) => words.split(', '))
  return new Set(phrases.filter((phrase) => /\P{ASCII}/u.test(phrase)))
}
