/**
 * Interprets a status in any of the languages: the whole text, or its parts, separated by " - ", ":", brackets and the
 * like. Numbers are ignored, and some unknown words are accepted.
 */
import { LONGEST_WORD } from './bounds.ts'
import { headingWords, isFrame, isKnown } from './headings.ts'
import { LANGUAGES } from './languages/index.ts'
import { FAMILIES, type Family, type Meaning } from './languages/language.ts'
import { Lexicon, type Phrase, phrasesOf, splitWord, wordsOf } from './lexicon.ts'

const LEXICON = new Lexicon<Family>()
for (const family of Object.keys(FAMILIES) as Family[]) {
  for (const { statuses } of LANGUAGES) LEXICON.add(statuses[family] ?? '', family)
}
/** Only a column of statuses has such words; the others also say how an animal came, or what was done with it. */
const DECISIVE: ReadonlySet<Family | undefined> = new Set(['available', 'foster', 'sold', 'gone'])

/** In a text of more words, the known ones do not determine its meaning. */
const MOST_WORDS = 8

export function statusOf(text: string): Meaning | undefined {
  const family = familyOf(text)
  return family && FAMILIES[family]
}

/** Whether the text is a status, and could hardly be anything else. */
export function isDecisive(text: string): boolean {
  return DECISIVE.has(familyOf(text))
}

/** Whether a place is called as those who left: "Reclaimed", "DOA". */
export function hasLeft(text: string): boolean {
  return LEXICON.get(withoutNumbers(wordsOf(text))) === 'gone'
}

function familyOf(text: string): Family | undefined {
  const words = withoutNumbers(wordsOf(text))
  const whole = LEXICON.get(words)
  // A phrase that only begins as a known one may go on with a negation: "Adopted, fell through".
  const isNegated = words.length > 1 && whole !== undefined && isDoubtful(words, whole)
  if (whole !== 'not' && !isNegated && whole !== undefined) return whole
  const family = words.length === 0 ? undefined : familyOfParts(text)
  return family !== undefined && isDoubtful(words, family) ? undefined : family
}

/** Whether words that negate stand next to what they may negate: such a text is asked. */
function isDoubtful(words: readonly string[], family: Family): boolean {
  const families = LEXICON.partsOf(words).map(({ meaning }) => meaning)
  const isOpen = family === 'available' || family === 'pending' || family === 'sold' || family === 'foster'
  return isOpen && families.includes('not')
}

/**
 * The status that the heading of a column of yes and no, or of dates, names ("Adopted?", "ANIMALNOTFORADOPTION").
 * Undefined if it names none, or only how an animal came or what is done with it ("Spayed", "Returned").
 */
export function flagMeaning(heading: string): Meaning | 'foster' | undefined {
  const isPart = (word: string) => isKnown(word) || LEXICON.get([word]) !== undefined
  const split = (word: string) =>
    splitWord(word, isPart) ?? (/^is.{3}/.test(word) ? splitWord(word.slice(2), isPart) : undefined)
  const whole = (word: string) => (/^is.{3}/.test(word) && isPart(word.slice(2)) ? [word.slice(2)] : [word])
  const words = headingWords(heading).flatMap((word) =>
    LEXICON.get([word]) === undefined ? (split(word) ?? whole(word)) : [word],
  )
  const parts = LEXICON.partsOf(words).filter(
    ({ meaning, words: [word = ''] }) => meaning !== undefined || !isFrame(word),
  )
  const family = parts.some(({ meaning }) => meaning === undefined) ? undefined : combined(parts)
  if (family === 'not' && !parts.some(({ meaning }) => DECISIVE.has(meaning))) return undefined
  if (family === undefined || family === 'moved' || (isHere(family) && family !== 'withheld')) return undefined
  return family === 'foster' ? family : FAMILIES[family]
}

const PRESENCE = new Set(['in custody', 'in care', 'in shelter', 'at shelter', 'on site'])

/** Whether a heading asks if an animal is there: "In custody". */
export function asksPresence(heading: string): boolean {
  return PRESENCE.has(headingWords(heading).join(' '))
}

/** Whether an animal of the family is there, and not to be had. */
function isHere(family: Family | undefined): boolean {
  return family === 'none' || family === 'came' || family === 'withheld'
}

function withoutNumbers(words: readonly string[]): readonly string[] {
  return words.filter((word) => !/^\d+$/.test(word))
}

function familyOfParts(text: string): Family | undefined {
  if (text.length > LONGEST_WORD) return undefined
  const parts = text.replaceAll('_', ' ').split(/\s[-\u2013\u2014]+\s|[:;,/()[\]|]/)
  const [first, ...rest] = parts.filter((part) => part.trim() !== '').map(familyOfPart)
  const others = rest.filter((family) => family !== undefined)
  if (first === undefined) return others[0]
  if ((first === 'sold' || first === 'available') && others.includes('pending')) return 'pending'
  if (first === 'foster') return others.find((family) => family === 'available' || family === 'sold') ?? first
  return isHere(first) ? (others.find((family) => family !== 'not') ?? first) : first
}

function familyOfPart(text: string): Family | undefined {
  const words = withoutNumbers(wordsOf(text))
  const parts = LEXICON.partsOf(words)
  const understood = parts.filter(({ meaning }) => meaning !== undefined)
  // A known word must be near the beginning or at the end: "Adopted by the Smiths".
  const isNear = [parts[0], parts[1], parts.at(-1)].some((part) => part?.meaning !== undefined)
  return words.length <= MOST_WORDS && isNear ? combined(understood) : undefined
}

function combined(parts: readonly Phrase<Family>[]): Family | undefined {
  const families = new Set(parts.map(({ meaning }) => meaning))
  if (families.has('not')) return families.size === 1 ? undefined : 'not'
  if (families.has('pending')) return 'pending'
  if (families.has('gone') || families.has('moved'))
    return families.has('available') ? 'none' : families.has('gone') ? 'gone' : 'moved'
  if (families.has('available')) return families.has('none') || families.has('withheld') ? 'none' : 'available'
  if (families.has('sold')) return families.size === 1 ? 'sold' : undefined
  return (['foster', 'withheld', 'none', 'came'] as const).find((family) => families.has(family))
}

const [YES, NO] = [phrasesOf('yes'), phrasesOf('no')]

/** Whether the value of a flag means yes; undefined if it means neither yes nor no. */
export function flagOf(text: string): boolean | undefined {
  const word = wordsOf(text).join(' ')
  if (word === '') return /[\u2713\u2714\u2611]/.test(text) || (['', '-'].includes(text.trim()) ? false : undefined)
  return NO.has(word) ? false : YES.has(word) ? true : undefined
}

/** Whether a cell is filled only to say that it is empty; so are the zero dates of databases. */
export function isNothing(text: string): boolean {
  const trimmed = text.trim()
  return (
    trimmed.length <= 40 &&
    /^(?:n\/?a|null|none|nan|undefined|\?+|[-.]*|(?:0000|0001|1899|1900)-\d\d-\d\d.*)$/i.test(trimmed)
  )
}

/** What a word means in a column of outcomes: who has one and no other status has left. */
export function meaningOfOutcome(text: string): Meaning | undefined {
  if (isNothing(text)) return 'available'
  const meaning = statusOf(text)
  return meaning === 'none' ? 'gone' : meaning
}

/** Whether a text says that an animal is not to be had, rather than only that it is there. */
export function isWithheld(text: string): boolean {
  return familyOf(text) === 'withheld'
}
