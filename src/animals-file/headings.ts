/** Interprets a header by its words: "Pet name", "AnimalName", "ANIMALNAME" and "Tiername" are equal. */
import { ROLES, type Role, wordsFor } from './languages/language.ts'
import { SPECIES } from './languages/species.ts'
import { Lexicon, splitWord, wordsOf } from './lexicon.ts'

const LEXICON = new Lexicon<Role>()
for (const role of ROLES) for (const words of wordsFor(role)) LEXICON.add(words, role)
// A species also stands for an animal, as in "Dog's name".
for (const [kind, words] of SPECIES) if (kind !== 'other') LEXICON.add(words.replaceAll('|', ','), 'animal')

type Heading = { readonly roles: ReadonlySet<Role>; readonly isPartial: boolean }

/** The words of a heading, split at capitals ("AnimalName"), without a possessive "'s". */
export function headingWords(heading: string): readonly string[] {
  const spaced = heading
    .replace(/^(?:acf|attributes|custom_fields|data|fields|meta)\./i, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
  return wordsOf(spaced).map((word) => word.replace(/'s$/, ''))
}

export function readHeading(heading: string): Heading {
  const roles = new Set<Role>()
  let isPartial = false
  for (const { meaning, words } of LEXICON.partsOf(headingWords(heading))) {
    const [word = ''] = words
    const meanings = meaning === undefined ? splitWord(word, isKnown)?.map((part) => LEXICON.get([part])) : [meaning]
    for (const role of meanings ?? []) if (role !== undefined) roles.add(role)
    if (meanings === undefined && !/^\d+$/.test(word)) isPartial = true
  }
  return { roles, isPartial }
}

export function isKnown(word: string): boolean {
  return LEXICON.get([word]) !== undefined
}

/** Whether the word adds no meaning: "Is", "Date", "of", "Pet". */
export function isFrame(word: string): boolean {
  return ['animal', 'date', 'small'].includes(LEXICON.get([word]) ?? '')
}

const NO_SCORES = { name: 0, category: 0, status: 0, outcome: 0, reference: 0, came: 0, date: 0 }

export function scoresOf({ roles, isPartial }: Heading): Readonly<typeof NO_SCORES> {
  const has = (...some: readonly Role[]) => some.some((role) => roles.has(role))
  if (has('breed', 'other')) return NO_SCORES
  if (has('date') || (has('came') && !has('number', 'type', 'status', 'animal'))) {
    if (has('name', 'number') || (isPartial && !has('outcome'))) return NO_SCORES
    return { ...NO_SCORES, [has('came') ? 'came' : 'date']: 1 }
  }
  if (has('number', 'chip') && !has('status', 'name', 'species', 'outcome')) {
    const plain = has('animal') ? 4 : isPartial ? 2 : 3
    return { ...NO_SCORES, reference: has('chip') ? 1.5 : has('came') ? 1 : plain }
  }
  if (has('came', 'number', 'chip')) return NO_SCORES
  if (has('status')) return { ...NO_SCORES, status: has('name', 'species') ? 0 : isPartial ? 1 : 4 }
  if (has('outcome')) return { ...NO_SCORES, outcome: has('name', 'species') ? 0 : isPartial ? 1 : has('type') ? 4 : 3 }
  if (has('species')) return { ...NO_SCORES, category: isPartial ? 1 : 4 }
  if (has('type')) return { ...NO_SCORES, category: isPartial ? 0.5 : has('animal') ? 3 : 2 }
  if (has('name')) return { ...NO_SCORES, name: isPartial ? 1 : has('animal') ? 4 : 3 }
  // "Animal" or "Dog" alone can be a column of names or of species.
  return has('animal') && !isPartial ? { ...NO_SCORES, name: 0.5, category: 1.5 } : NO_SCORES
}

export function isHeading({ roles, isPartial }: Heading): boolean {
  return !isPartial && roles.size > 0
}
