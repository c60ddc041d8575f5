/**
 * The meaning of words in lists, for all languages together. An entry of words.ts contains phrases separated by commas;
 * accents are optional, and `adopt*` stands for every word that begins so.
 */
import { TEXTS } from './words.ts'

/**
 * Words of headers. A word with several roles has the first. `outcome`: how an animal left. `type` is the species next to
 * a word of `animal`. `small`: without a meaning. `other`: people, places and the past, never a name, status or reference.
 */
export const ROLES = [
  ...(['name', 'species', 'status', 'outcome', 'chip', 'number', 'animal'] as const),
  ...(['type', 'came', 'date', 'breed', 'small', 'other'] as const),
]
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
  withheld: 'none',
  none: 'none',
  /** A word with a negation, such as "fell through", is a question. */
  not: 'none',
} as const satisfies Readonly<Record<string, Meaning>>
export type Family = keyof typeof FAMILIES

type Use = Role | Family | 'yes' | 'no' | 'total' | 'months' | 'dog' | 'cat' | 'rabbit'

const LANGUAGES = TEXTS.map(
  (text) => new Map(text.split(/[;\n]/).map((entry) => entry.trim().split(': ') as [string, string])),
)

export function wordsFor(use: Use): readonly string[] {
  return LANGUAGES.flatMap((language) => language.get(use) ?? [])
}

export function phrasesBeyondAscii(): ReadonlySet<string> {
  const phrases = LANGUAGES.flatMap((language) => [...language.values()]).flatMap((words) => words.split(', '))
  return new Set(phrases.filter((phrase) => /\P{ASCII}/u.test(phrase)))
}
