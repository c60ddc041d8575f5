/**
 * The names of people: which are equal, and which may be given. So that one person is not taken for another, a new name
 * has no invisible character, and no word that mixes scripts (Unicode TS 39, single script). Names given by the older
 * rule of `personName` keep working.
 */
import { UNPRINTABLE } from '../common/printable.ts'

const NAME_LENGTH = 60

const NAME_RULE = `a name is 1 to ${NAME_LENGTH} printable characters with a letter or digit among them, without spaces at its ends, and is not \`service\` and does not begin with \`cli\` and a space`

/** In the journal these names stand for the service and the users of commands. */
const TAKEN = /^(?:service$|cli )/

/**
 * Letters that Unicode does not decompose, and what people type instead. Stored names are folded with this table and
 * every node has it, so it never changes; a search has a table of its own (../store/search.ts).
 */
const LETTERS: readonly (readonly [string, string])[] = [
  ['\u00f8', 'o'],
  ['\u0142', 'l'],
  ['\u0111', 'd'],
  ['\u00df', 'ss'],
  ['\u00e6', 'ae'],
  ['\u0153', 'oe'],
]

/** The form in which names are compared and stored: compatible forms, case, accents and spaces do not count. */
export function foldName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  return LETTERS.reduce((folded, [letter, typed]) => folded.replaceAll(letter, typed), plain)
    .replace(/\s+/g, ' ')
    .trim()
}

/** The text as the name of a person there may be; undefined if no person can have it. */
export function personName(text: string): string | undefined {
  const name = text.normalize('NFC')
  const isName =
    [...name].length <= NAME_LENGTH &&
    name.trim() === name &&
    /[\p{L}\p{N}]/u.test(name) &&
    name.search(UNPRINTABLE) === -1 &&
    !TAKEN.test(foldName(name))
  return isName ? name : undefined
}

/** Joiners, fillers and selectors, and the blank pattern of Braille. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]/u

/** The recommended scripts of Unicode Annex 31, with those written together. Words in other scripts are not checked. */
const SCRIPTS = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Thaana', 'Ethiopic', 'Devanagari'],
  ...['Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao'],
  ...['Tibetan', 'Myanmar', 'Khmer', 'Han Hiragana Katakana', 'Han Hangul', 'Han Bopomofo'],
].map((scripts) => scripts.split(' ').map((script) => `\\p{scx=${script}}`))
const IN_ONE_SCRIPT = SCRIPTS.map((its) => new RegExp(`^[${its.join('')}\\p{sc=Common}\\p{sc=Inherited}]*$`, 'u'))
const OF_A_SCRIPT = new RegExp(`(?![\\p{sc=Common}\\p{sc=Inherited}])[${SCRIPTS.flat().join('')}]`, 'u')

type NewName = { readonly name: string } | { readonly refusal: string }

/** A new person's name, or why it cannot be one: half a sentence, without a full stop. */
export function newPersonName(text: string): NewName {
  const name = text.normalize('NFKC')
  const [unseen] = UNSEEN.exec(name) ?? []
  if (unseen !== undefined) {
    const code = unseen.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    return { refusal: `the name contains an invisible character (U+${code}); leave it out` }
  }
  if (personName(name) === undefined) return { refusal: NAME_RULE }
  const mixed = name.split(/\s+/).find((word) => OF_A_SCRIPT.test(word) && !IN_ONE_SCRIPT.some((one) => one.test(word)))
  if (mixed === undefined) return { name }
  return { refusal: `the word “${mixed}” mixes letters of several scripts; write each word in one` }
}
