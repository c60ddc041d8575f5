/**
 * What a heading says: its words are looked up in the tables of languages, whatever its case, its brackets, and how its
 * words are joined, so "Pet name", "AnimalName", "ANIMALNAME" and "Tiername" say the same.
 */
import { LANGUAGES } from './languages/index.ts'
import { Lexicon, splitWord, wordsOf } from './lexicon.ts'

/** Roles in the order in which a word that several tables have is given one. */
const ROLES = [
  ...(['name', 'species', 'status', 'outcome', 'chip', 'number', 'animal', 'type', 'came', 'date'] as const),
  ...(['other', 'small'] as const),
]
type Role = (typeof ROLES)[number]

const LEXICON = new Lexicon<Role>()
for (const role of ROLES) for (const { headings } of LANGUAGES) LEXICON.add(headings[role], role)
// "Dog's name": a kind of animal is an animal.
for (const { species } of LANGUAGES) {
  for (const [kind, words] of Object.entries(species))
    if (kind !== 'other' && kind !== 'each') LEXICON.add(words, 'animal')
}

/** `isPartial`: whether there is a word that no table has. */
type Heading = { readonly roles: ReadonlySet<Role>; readonly isPartial: boolean }

/** The words of a heading, also of those that are written together. */
export function headingWords(heading: string): readonly string[] {
  const spaced = heading.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
  return wordsOf(spaced).map((word) => word.replace(/'s$/, ''))
}

export function readHeading(heading: string): Heading {
  const roles = new Set<Role>()
  let isPartial = false
  const words = headingWords(heading)
  let at = 0
  for (const { meaning, words: length } of LEXICON.partsOf(words)) {
    const word = words[at] ?? ''
    const found = meaning === undefined ? splitWord(word, isKnown)?.map((part) => LEXICON.get([part])) : [meaning]
    for (const role of found ?? []) if (role !== undefined) roles.add(role)
    if (found === undefined && !/^\d+$/.test(word)) isPartial = true
    at += length
  }
  return { roles, isPartial }
}

export function isKnown(word: string): boolean {
  return LEXICON.get([word]) !== undefined
}

export type ColumnKind = 'name' | 'category' | 'status' | 'outcome' | 'reference' | 'came' | 'date'

/** How well a heading fits to each kind of column, from 0. */
export function scoresOf({ roles, isPartial }: Heading): Readonly<Record<ColumnKind, number>> {
  const has = (...some: readonly Role[]) => some.some((role) => roles.has(role))
  const scores = { name: 0, category: 0, status: 0, outcome: 0, reference: 0, came: 0, date: 0 }
  if (has('date') || (has('came') && !has('number', 'type', 'status', 'animal'))) {
    if (has('other', 'name', 'number') || isPartial) return scores
    return { ...scores, [has('came') ? 'came' : 'date']: has('outcome', 'status', 'animal') ? 2 : 1 }
  }
  if (has('other')) return scores
  if (has('number', 'chip') && !has('status', 'name', 'species', 'outcome')) {
    const plain = has('animal') ? 4 : isPartial ? 2 : 3
    return { ...scores, reference: has('chip') ? 1.5 : has('came') ? 1 : plain }
  }
  if (has('came', 'chip', 'number')) return scores
  if (has('status')) return { ...scores, status: has('name', 'species') ? 0 : isPartial ? 1 : 4 }
  if (has('outcome')) return { ...scores, outcome: has('name', 'species') ? 0 : isPartial ? 1 : has('type') ? 4 : 3 }
  if (has('species')) return { ...scores, category: isPartial ? 1 : 4 }
  if (has('type')) return { ...scores, category: isPartial ? 0.5 : has('animal') ? 3 : 2 }
  if (has('name')) return { ...scores, name: isPartial ? 1 : has('animal') ? 4 : 3 }
  // "Animal", "Dog": which of both it is, its values tell.
  return has('animal') && !isPartial ? { ...scores, name: 0.5, category: 1.5 } : scores
}

/** Whether it is a word of headings at all, as "Breed". */
export function isHeading({ roles, isPartial }: Heading): boolean {
  return !isPartial && roles.size > 0 && !(roles.size === 1 && roles.has('small'))
}
