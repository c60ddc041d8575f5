/**
 * Interprets a status in any of the languages: the whole text, or its parts, separated by " - ", ":", brackets and the
 * like. Numbers are ignored, and some unknown words are accepted.
 */
import type { PetStatus } from '../contract/schemas.ts'
import { headingWords, isKnown } from './headings.ts'
import { LANGUAGES } from './languages/index.ts'
import { Lexicon, type Part, phrasesOf, splitWord, wordsOf } from './lexicon.ts'

/** `none`: in the shelter, without a status. `gone`: has left the shelter. */
export type Meaning = PetStatus | 'none' | 'gone'
export const MEANINGS = ['available', 'pending', 'sold', 'none', 'gone'] as const satisfies readonly Meaning[]

const FAMILIES = ['available', 'pending', 'foster', 'sold', 'gone', 'none', 'not'] as const
type Family = (typeof FAMILIES)[number]
const LEXICON = new Lexicon<Family>()
for (const family of FAMILIES) for (const { statuses } of LANGUAGES) LEXICON.add(statuses[family], family)

/** In a text of more words, the known ones do not determine its meaning. */
const MOST_WORDS = 8

export function statusOf(text: string): Meaning | undefined {
  const whole = LEXICON.get(withoutNumbers(wordsOf(text)))
  const family = whole === 'not' || whole === undefined ? familyOf(text) : whole
  if (family === 'not') return 'none'
  return family === 'foster' ? 'pending' : family
}

/** The status that a flag's heading names ("Adopted?", "ANIMALNOTFORADOPTION"); undefined if it names none. */
export function flagMeaning(heading: string): Meaning | undefined {
  const isPart = (word: string) => isKnown(word) || LEXICON.get([word]) !== undefined
  const words = headingWords(heading).flatMap((word) => splitWord(word, isPart) ?? [word])
  const said = words.filter((word) => !FLAG_FRAME.has(word))
  const isWhole = said.length > 0 && LEXICON.partsOf(said).every(({ meaning }) => meaning !== undefined)
  return isWhole ? statusOf(said.join(' ')) : undefined
}

const FLAG_FRAME = new Set(
  'animal pet is has was been already currently date on of at datum am fecha de data da di del le op dnia'.split(' '),
)

/** Petfinder's codes. They are recognised only if a column holds all of them and nothing else. */
export const LETTER_CODES: ReadonlyMap<string, Meaning> = new Map(
  Object.entries({ a: 'available', h: 'pending', x: 'sold', f: 'none' } as const),
)

function withoutNumbers(words: readonly string[]): readonly string[] {
  return words.filter((word) => !/^\d+$/.test(word))
}

function familyOf(text: string): Family | undefined {
  const [head = '', ...rest] = text
    .replaceAll('_', ' ')
    .split(/\s[-\u2013\u2014]+\s|[:;,/()[\]|]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const first = familyOfPart(head)
  const others = rest.map(familyOfPart).filter((family) => family !== undefined)
  if (first === undefined) return others[0]
  if ((first === 'sold' || first === 'available') && others.includes('pending')) return 'pending'
  if (first === 'foster') return others.find((family) => family === 'available' || family === 'sold') ?? first
  return first === 'none' ? (others.find((family) => family !== 'not') ?? first) : first
}

function familyOfPart(text: string): Family | undefined {
  const words = withoutNumbers(wordsOf(text))
  const parts = LEXICON.partsOf(words)
  const known = parts.filter(({ meaning }) => meaning !== undefined)
  // A known word must be near the beginning or at the end: "Adopted by the Smiths".
  const isNear = [parts[0], parts[1], parts.at(-1)].some((part) => part?.meaning !== undefined)
  return words.length <= MOST_WORDS && isNear ? combined(known) : undefined
}

function combined(parts: readonly Part<Family>[]): Family | undefined {
  const found = new Set(parts.map(({ meaning }) => meaning))
  if (found.has('not')) return found.size === 1 ? undefined : 'not'
  if (found.has('pending')) return 'pending'
  if (found.has('gone')) return found.has('available') ? 'none' : 'gone'
  if (found.has('available')) return found.has('none') ? 'none' : 'available'
  if (found.has('sold')) return parts[0]?.meaning === 'none' ? 'none' : 'sold'
  return found.has('foster') ? 'foster' : 'none'
}

const [YES, NO] = [phrasesOf('yes'), phrasesOf('no')]

/** Whether the value of a flag means yes; undefined if it means neither yes nor no. */
export function flagOf(text: string): boolean | undefined {
  const word = wordsOf(text).join(' ')
  if (word === '') return /[\u2713\u2714\u2611]/.test(text) || (['', '-'].includes(text.trim()) ? false : undefined)
  return NO.has(word) ? false : YES.has(word) ? true : undefined
}
