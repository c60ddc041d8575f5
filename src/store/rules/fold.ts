/**
 * How a search compares names and labels. It may change with what people type; the fold that identifies people may not,
 * and is separate (../../domain/person-names.ts).
 */

/** Letters that Unicode does not decompose, and what people type instead. */
export const FOLDED_LETTERS: readonly (readonly [string, string])[] = [
  ['\u00f8', 'o'],
  ['\u0142', 'l'],
  ['\u0111', 'd'],
  ['\u00df', 'ss'],
  ['\u00e6', 'ae'],
  ['\u0153', 'oe'],
]

/** Most text. For it this takes a third of the time, which counts when a search compares many. */
const PLAIN_ASCII = /^[ -~]*$/

/** The words of a search, the longest first. */
export function wordsOf(text: string): readonly string[] {
  const words = new Set(text.split(/\s+/).filter((word) => word !== ''))
  return [...words].sort((a, b) => b.length - a.length)
}

/** The text as a search compares it: lower case, without accents. PostgreSQL has the same as `pets_fold`. */
export function fold(text: string): string {
  if (PLAIN_ASCII.test(text)) return text.toLowerCase()
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  return FOLDED_LETTERS.reduce((folded, [letter, typed]) => folded.replaceAll(letter, typed), plain)
}

/** Whether the name has each of these words, which are folded. */
export function hasWords(name: string, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const folded = fold(name)
  return words.every((word) => folded.includes(word))
}
