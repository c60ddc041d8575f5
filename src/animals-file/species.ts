/** Kinds of animals, in any of the languages: "Hund", "Dogs" and "canine" are one. */
import { fold } from '../common/fold.ts'
import { headingWords } from './headings.ts'
import { LANGUAGES } from './languages/index.ts'
import { Lexicon, wordsOf } from './lexicon.ts'

const LONGEST_KIND = 40
const LEXICON = new Lexicon<string>()
for (const { species } of LANGUAGES) {
  for (const [kind, words] of Object.entries(species)) {
    if (kind !== 'each') LEXICON.add(words, kind)
    else for (const word of words.split(',')) LEXICON.add(word, word.trim())
  }
}

/** The kind that the whole text is a word for, by its English name. */
export function kindOf(text: string): string | undefined {
  const words = wordsOf(text)
  const last = words.at(-1) ?? ''
  const tried = words.length === 0 ? [] : [last, ...singularsOf(last)]
  return tried.map((one) => LEXICON.get([...words.slice(0, -1), one])).find((kind) => kind !== undefined)
}

/** Whether it is a word for a kind of animal, or ends with one or holds it, as "Barn Cat", "Rabbit, Domestic". */
export function isKind(text: string): boolean {
  if (text.length > LONGEST_KIND) return false
  const last = wordsOf(text).at(-1) ?? ''
  return [text, last, ...fold(text).split(/[,()/]/)].some((part) => kindOf(part) !== undefined)
}

/** The kinds that the words of a text name, as those of a title. */
export function kindsIn(text: string): ReadonlySet<string> {
  const kinds = headingWords(text).flatMap((word) => kindOf(word) ?? [])
  return new Set(kinds.filter((kind) => kind !== 'other'))
}

/** Plurals that no ending makes. */
const ODD_PLURALS = { calf: 'calves', goose: 'geese', mouse: 'mice', ox: 'oxen', wolf: 'wolves' }
const ODD: ReadonlyMap<string, string> = new Map(Object.entries(ODD_PLURALS))

export function pluralOf(name: string): string {
  const odd = ODD.get(name)
  if (odd !== undefined) return odd
  if (/(s|x|z|ch|sh)$/.test(name)) return `${name}es`
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`
}

/** The words that this one may be the plural of. */
function singularsOf(word: string): readonly string[] {
  const odd = [...ODD].filter(([, plural]) => plural === word).map(([one]) => one)
  const ends = Object.entries({ ies: 'y', es: '', s: '' })
  return [...odd, ...ends.flatMap(([end, one]) => (word.endsWith(end) ? [word.slice(0, -end.length) + one] : []))]
}
