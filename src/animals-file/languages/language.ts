/**
 * What words of lists mean, in all languages together. The words only make proposals, which a person confirms. An entry
 * of words.ts is phrases in lower case, separated by commas; accents are optional, and `adopt*` is every word that
 * begins so.
 */
import { TEXTS } from './words.ts'

/** What words of headings mean; a word of several roles has the first. A heading is recognised if all its words are. */
export const ROLES = [
  'name',
  /** A word of `type` means it only next to a word of `animal`, or alone. */
  'species',
  'status',
  /** How an animal left. */
  'outcome',
  /** A microchip number, which is the reference where there is no other number. */
  'chip',
  'number',
  'animal',
  'type',
  /** Intake; with or without a word of `date`. */
  'came',
  'date',
  'breed',
  /** Fillers, such as "current" and "of". */
  'small',
  /** About people, places and the past: never the name, the status or the reference. */
  'other',
] as const
export type Role = (typeof ROLES)[number]

/** `none`: in the shelter, without a status. `gone`: has left the shelter. `skip`: the row is no animal. */
export const MEANINGS = ['available', 'pending', 'sold', 'none', 'gone', 'skip'] as const
export type Meaning = (typeof MEANINGS)[number]

/** What families of words mean in a status; a word of several families is of the first. */
export const FAMILIES = {
  available: 'available',
  pending: 'pending',
  /** In foster care: pending, unless the value also has another status. */
  foster: 'pending',
  sold: 'sold',
  /** Has left, as a status; as the way in which an animal came it means nothing ("Transfer"). */
  moved: 'gone',
  gone: 'gone',
  /** Not to be adopted now; also where it heads a column of yes and no. */
  withheld: 'none',
  none: 'none',
  /** Negation, as in "not available" and "adoption fell through": what it negates is asked. */
  not: 'none',
} as const satisfies Readonly<Record<string, Meaning>>
export type Family = keyof typeof FAMILIES

/** Breeds stand under their species. */
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
