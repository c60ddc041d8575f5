/** Recognises species in any of the languages: "Hund", "Dogs" and "canine" are one. Breeds belong to a species. */
import { fold } from '../common/fold.ts'
import { LANGUAGES } from './languages/index.ts'
import { Lexicon, wordsOf } from './lexicon.ts'

const LONGEST_KIND = 40
const LEXICON = new Lexicon<string>()
/** What a language calls the species of a word: "Cane" for "cani". */
const LABELS = new Lexicon<string>()
const BREEDS = new Lexicon<string>()
for (const { species, breeds = {} } of LANGUAGES) {
  for (const [kind, words] of Object.entries(species)) {
    const [first = ''] = words.split(',')
    for (const word of words.split(',')) {
      LEXICON.add(word, kind === 'each' ? word.trim() : kind)
      LABELS.add(word, labelOf(kind === 'each' ? word.trim() : first))
    }
  }
  for (const [kind, words] of Object.entries(breeds)) BREEDS.add(words, kind)
}

function labelOf(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** The English name of the species, if the whole text is a word for one. */
export function speciesOf(text: string): string | undefined {
  return find(LEXICON, text)
}

/** The same, as the language of the word calls it. */
export function speciesLabel(text: string): string | undefined {
  return find(LABELS, text)
}

function find(lexicon: Lexicon<string>, text: string): string | undefined {
  const words = wordsOf(text)
  const last = words.at(-1) ?? ''
  const tried = words.length === 0 ? [] : [last, ...singularsOf(last)]
  return tried.map((one) => lexicon.get([...words.slice(0, -1), one])).find((kind) => kind !== undefined)
}

/** Whether the text is a species or contains one, as "Barn Cat" and "Rabbit, Domestic" do. */
export function isSpecies(text: string): boolean {
  if (text.length > LONGEST_KIND) return false
  const last = wordsOf(text).at(-1) ?? ''
  return [text, last, ...fold(text).split(/[,()/]/)].some((part) => speciesOf(part) !== undefined)
}

/** The species that a breed says or belongs to: of "Cat - DSH Tabby" and "Siamese" a cat. Undefined if they are two. */
export function speciesOfBreed(text: string): string | undefined {
  const words = wordsOf(text)
  const said = words.map(speciesLabel).filter((kind) => kind !== undefined && kind !== 'Other')
  const breeds = BREEDS.partsOf(words).flatMap(({ meaning }) => meaning ?? [])
  const [kind, ...others] = new Set(said.length > 0 ? said : breeds.map(labelOf))
  return others.length === 0 ? kind : undefined
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
