/**
 * The names of people: which two are one, and what may be a new one. Whoever reads a name should not take one person
 * for another, so a new name holds no character that nobody sees, and no word of it mixes scripts (Unicode TS 39,
 * single script). Names that are there already were given by the rule of `personName`, and keep working.
 */
import { UNPRINTABLE } from '../common/printable.ts'

const NAME_LENGTH = 60

const NAME_RULE = `a name is 1 to ${NAME_LENGTH} printable characters with a letter or digit among them, without spaces at its ends, and is not \`service\` and does not begin with \`cli\` and a space`

/** The journal names the service and the users of commands in the same place as people. */
const TAKEN = /^(?:service$|cli )/

/**
 * Letters that Unicode does not decompose into a letter and an accent, and what people type instead. This table is
 * stored in every name that was ever invited, and each node has it: it never changes. The fold of a search
 * (../store/rules/fold.ts) is another one.
 */
const LETTERS: readonly (readonly [string, string])[] = [
  ['\u00f8', 'o'],
  ['\u0142', 'l'],
  ['\u0111', 'd'],
  ['\u00df', 'ss'],
  ['\u00e6', 'ae'],
  ['\u0153', 'oe'],
]

/**
 * A name as it is stored to be compared: two names that differ only in compatible forms, case, accents or spaces are
 * one.
 */
export function foldName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  return LETTERS.reduce((folded, [letter, typed]) => folded.replaceAll(letter, typed), plain)
    .replace(/\s+/g, ' ')
    .trim()
}

/** The text as the name of somebody who may be there; undefined if it cannot be the name of a person. */
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

/**
 * The recommended scripts of Unicode Annex 31, and those that are written together. A word in another one is not looked
 * into.
 */
const SCRIPTS = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Thaana', 'Ethiopic', 'Devanagari'],
  ...['Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao'],
  ...['Tibetan', 'Myanmar', 'Khmer', 'Han Hiragana Katakana', 'Han Hangul', 'Han Bopomofo'],
].map((scripts) => scripts.split(' ').map((script) => `\\p{scx=${script}}`))
const IN_ONE_SCRIPT = SCRIPTS.map((its) => new RegExp(`^[${its.join('')}\\p{sc=Common}\\p{sc=Inherited}]*$`, 'u'))
const OF_A_SCRIPT = new RegExp(`(?![\\p{sc=Common}\\p{sc=Inherited}])[${SCRIPTS.flat().join('')}]`, 'u')

type NewName = { readonly name: string } | { readonly refusal: string }

/** The name of somebody who is to be invited, or why it cannot be one: half a sentence, without a full stop. */
export function newPersonName(text: string): NewName {
  const name = text.normalize('NFKC')
  const [unseen] = UNSEEN.exec(name) ?? []
  if (unseen !== undefined) {
    const code = unseen.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    return { refusal: `the name holds a character that nobody sees (U+${code}); leave it out` }
  }
  if (personName(name) === undefined) return { refusal: NAME_RULE }
  const mixed = name.split(/\s+/).find((word) => OF_A_SCRIPT.test(word) && !IN_ONE_SCRIPT.some((one) => one.test(word)))
  if (mixed === undefined) return { name }
  return { refusal: `the word “${mixed}” mixes letters of several scripts; write each word in one` }
}
