/** Recognises species in any language: "Hund", "Dogs" and "canine" are the same. Breeds belong to a species. */
import { fold } from '../common/fold.ts'
import { wordsFor } from './languages/language.ts'
import { SPECIES } from './languages/species.ts'
import { Lexicon, wordsOf } from './lexicon.ts'

const LONGEST_KIND = 40
/** A species by its English name, and its name in the language of the word: "Cane" for "cani". */
type Species = { readonly kind: string; readonly label: string }
const LEXICON = new Lexicon<Species>()
const BREEDS = new Lexicon<string>()
for (const [kind, languages] of SPECIES) {
  for (const words of languages.split(' | ')) LEXICON.add(words, { kind, label: titled(words.replace(/,.*/s, '')) })
}
for (const kind of ['dog', 'cat', 'rabbit'] as const) for (const words of wordsFor(kind)) BREEDS.add(words, kind)

export function titled(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

export function speciesIn(text: string): Species | undefined {
  const words = wordsOf(text)
  const last = words.at(-1) ?? ''
  const candidates = words.length === 0 ? [] : [last, ...singularsOf(last)]
  return candidates.map((one) => LEXICON.get([...words.slice(0, -1), one])).find((species) => species !== undefined)
}

export function speciesOf(text: string): string | undefined {
  return speciesIn(text)?.kind
}

/** Whether the text is a species or contains one, as in "Barn Cat" and "Rabbit, Domestic". */
export function isSpecies(text: string): boolean {
  if (text.length > LONGEST_KIND) return false
  const last = wordsOf(text).at(-1) ?? ''
  return [text, last, ...fold(text).split(/[,()/]/)].some((part) => speciesOf(part) !== undefined)
}

/** The species of a breed: cat for "Cat - DSH Tabby" and "Siamese". Undefined if there are two. */
export function speciesOfBreed(text: string): string | undefined {
  const words = wordsOf(text)
  const labels = words.flatMap((word) => speciesIn(word)?.label ?? []).filter((label) => label !== 'Other')
  const breeds = BREEDS.partsOf(words).flatMap(({ meaning }) => meaning ?? [])
  const [kind, ...others] = new Set(labels.length > 0 ? labels : breeds.map(titled))
  return others.length === 0 ? kind : undefined
}

function singularsOf(word: string): readonly string[] {
  const ends = Object.entries({ ies: 'y', es: '', s: '' })
  return ends.flatMap(([end, one]) => (word.endsWith(end) ? [word.slice(0, -end.length) + one] : []))
}
