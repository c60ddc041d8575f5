/** Interprets a status in any language: the whole text, or its parts between " - ", ":" and brackets. */
import { LONGEST_WORD } from './bounds.ts'
import { headingWords, isFrame, isKnown } from './headings.ts'
import { FAMILIES, type Family, type Meaning, wordsFor } from './languages/language.ts'
import { Lexicon, type Phrase, phrasesOf, splitWord, wordsOf } from './lexicon.ts'

const LEXICON = new Lexicon<Family>()
for (const family of Object.keys(FAMILIES) as Family[]) {
  for (const words of wordsFor(family)) LEXICON.add(words, family)
}
const NEGATED: ReadonlySet<Family | undefined> = new Set(['available', 'pending', 'sold', 'foster'])
const [YES, NO] = [phrasesOf('yes'), phrasesOf('no')]
const MOST_WORDS = 8

export function statusOf(text: string): Meaning | undefined {
  const family = familyOf(text)
  return family && FAMILIES[family]
}

/** Whether a location has the name of an outcome: "Reclaimed", "DOA". */
export function hasLeft(text: string): boolean {
  return LEXICON.get(withoutNumbers(text)) === 'gone'
}

function familyOf(text: string): Family | undefined {
  const words = withoutNumbers(text)
  const whole = LEXICON.get(words)
  // A known beginning can continue with a negation: "Adopted, fell through".
  const isNegation = LEXICON.partsOf(words).some(({ meaning }) => meaning === 'not')
  const isDoubtful = (family: Family | undefined) => isNegation && NEGATED.has(family)
  if (whole !== undefined && whole !== 'not' && (words.length < 2 || !isDoubtful(whole))) return whole
  const family = words.length === 0 || text.length > LONGEST_WORD ? undefined : familyOfParts(text)
  return isDoubtful(family) ? undefined : family
}

/** The status in the header of a column of yes and no, or of dates: "Adopted?". */
export function flagMeaning(heading: string): Meaning | undefined {
  const isPart = (word: string) => isKnown(word) || LEXICON.get([word]) !== undefined
  const split = (word: string) => {
    if (LEXICON.get([word]) !== undefined) return [word]
    const rest = /^is.{3}/.test(word) ? word.slice(2) : word
    return splitWord(word, isPart) ?? splitWord(rest, isPart) ?? (isPart(rest) ? [rest] : [word])
  }
  const parts = LEXICON.partsOf(headingWords(heading).flatMap(split)).filter(
    ({ meaning, words: [word = ''] }) => meaning !== undefined || !isFrame(word),
  )
  const family = parts.some(({ meaning }) => meaning === undefined) ? undefined : combined(parts)
  const isFlag = family !== undefined && !['moved', 'none', 'foster'].includes(family)
  return isFlag ? FAMILIES[family] : undefined
}

function withoutNumbers(text: string): readonly string[] {
  return wordsOf(text).filter((word) => !/^\d+$/.test(word))
}

function familyOfParts(text: string): Family | undefined {
  const parts = text.replaceAll('_', ' ').split(/\s[-\u2013\u2014]+\s|[:;,/()[\]|]/)
  const [first, ...rest] = parts.filter((part) => part.trim() !== '').map((part) => combined(partsOf(part)))
  const others = rest.filter((family) => family !== undefined)
  if (first === undefined) return others[0]
  if ((first === 'sold' || first === 'available') && others.includes('pending')) return 'pending'
  if (first === 'foster') return others.find((family) => family === 'available' || family === 'sold') ?? first
  const isHere = first === 'none' || first === 'withheld'
  return isHere ? (others.find((family) => family !== 'not') ?? first) : first
}

/** None of a text that is too long for its known words to determine its meaning. */
function partsOf(text: string): readonly Phrase<Family>[] {
  const words = withoutNumbers(text)
  return words.length <= MOST_WORDS ? LEXICON.partsOf(words) : []
}

function combined(parts: readonly Phrase<Family>[]): Family | undefined {
  const families = new Set(parts.flatMap(({ meaning }) => meaning ?? []))
  if (families.has('not')) return families.size === 1 ? undefined : 'not'
  if (families.has('pending')) return 'pending'
  if (families.has('gone') || families.has('moved'))
    return families.has('available') ? 'none' : families.has('gone') ? 'gone' : 'moved'
  if (families.has('available')) return families.has('none') || families.has('withheld') ? 'none' : 'available'
  if (families.has('sold')) return families.size === 1 ? 'sold' : undefined
  return (['foster', 'withheld', 'none'] as const).find((family) => families.has(family))
}

/** Whether a flag means yes; undefined if it means neither yes nor no. */
export function flagOf(text: string): boolean | undefined {
  const word = wordsOf(text).join(' ')
  if (word === '') return /[\u2713\u2714\u2611]/.test(text) || (['', '-'].includes(text.trim()) ? false : undefined)
  return NO.has(word) ? false : YES.has(word) ? true : undefined
}

/** Whether a cell means "empty", as the zero dates of databases do. */
export function isNothing(text: string): boolean {
  const isWord = /^(?:n\/?a|null|none|nan|undefined|\?+|[-.]*|(?:0000|0001|1899|1900)-\d\d-\d\d.*)$/i
  return text.length <= LONGEST_WORD && isWord.test(text.trim())
}
