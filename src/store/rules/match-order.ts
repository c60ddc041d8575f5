/**
 * How well a name matches what is searched for: it equals the text, begins with it, has its words each at the beginning
 * of a word, or has them elsewhere. It is the same on every engine, whatever its locale.
 */
import { fold, wordsOf } from './fold.ts'

/** The keys of names, the best first. */
export const MATCHES = { equal: '0', begins: '1', words: '2', within: '3' } as const

/** A word begins behind these, in a name as it is compared; each is one character. */
export const BETWEEN_WORDS =
  '\t\n\r !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~\u00ab\u00bb\u2010\u2013\u2014\u2018\u2019\u201c\u201d\u201e'

const ANY_BETWEEN = new RegExp(`[${RegExp.escape(BETWEEN_WORDS)}]`, 'g')

/** What begins or equals a name that matches well: the words of the search in their order. */
export function soughtOf(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** The key of a name among those that a search finds. */
export function matchKey(text: string): (name: string) => string {
  const sought = fold(soughtOf(text))
  const words = wordsOf(text).map((word) => spaced(fold(word)))
  return (name) => {
    const folded = fold(name)
    if (folded === sought) return MATCHES.equal
    if (folded.startsWith(sought)) return MATCHES.begins
    const beginnings = spaced(folded)
    return words.every((word) => beginnings.includes(word)) ? MATCHES.words : MATCHES.within
  }
}

/** With a space ahead of each word. */
function spaced(text: string): string {
  return ` ${text.replace(ANY_BETWEEN, ' ')}`
}
