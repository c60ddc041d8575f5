/** Recognises species in any of the languages: "Hund", "Dogs" and "canine" are one. */
import { fold } from '../common/fold.ts'
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

/** The English name of the species, if the whole text is a word for one. */
export function speciesOf(text: string): string | undefined {
  const words = wordsOf(text)
  const last = words.at(-1) ?? ''
  const tried = words.length === 0 ? [] : [last, ...singularsOf(last)]
  return tried.map((one) => LEXICON.get([...words.slice(0, -1), one])).find((kind) => kind !== undefined)
}

/** Whether the text is a species or contains one, as "Barn Cat" and "Rabbit, Domestic" do. */
export function isSpecies(text: string): boolean {
  if (text.length > LONGEST_KIND) return false
  const last = wordsOf(text).at(-1) ?? ''
  return [text, last, ...fold(text).split(/[,()/]/)].some((part) => speciesOf(part) !== undefined)
}

export function pluralOf(name: string): string {
  if (/(s|x|z|ch|sh)$/.test(name)) return `${name}es`
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`
}

/** The possible singulars of a word. */
export function singularsOf(word: string): readonly string[] {
  const ends = Object.entries({ ies: 'y', es: '', s: '' })
  return ends.flatMap(([end, one]) => (word.endsWith(end) ? [word.slice(0, -end.length) + one] : []))
}
