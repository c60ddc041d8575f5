/** Names of people. A new one has no invisible character and no word that mixes scripts (Unicode TS 39). */
import { normalized } from '../common/fold.ts'
import { UNPRINTABLE } from '../common/printable.ts'

const NAME_LENGTH = 60

const NAME_RULE = `a name is 1 to ${NAME_LENGTH} printable characters with a letter or digit among them, without spaces at its ends, and is not \`service\` and does not begin with \`cli\` and a space`

/** Reserved: the journal uses them for the service and for users of commands. */
const RESERVED = /^(?:service$|cli )/

/** Stored names are folded with this table on every node, so it must never change. */
const LETTERS: readonly (readonly [string, string])[] = [
  ['\u00f8', 'o'],
  ['\u0142', 'l'],
  ['\u0111', 'd'],
  ['\u00df', 'ss'],
  ['\u00e6', 'ae'],
  ['\u0153', 'oe'],
]

/** The form in which names are compared and stored. It ignores compatibility forms, case, accents and extra spaces. */
export function foldName(name: string): string {
  const plain = normalized(name, 'NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  return LETTERS.reduce((folded, [letter, typed]) => folded.replaceAll(letter, typed), plain)
    .replace(/\s+/g, ' ')
    .trim()
}

/** The normalised name; undefined if no person can have it. */
export function personName(text: string): string | undefined {
  const name = normalized(text)
  const isName =
    [...name].length <= NAME_LENGTH &&
    name.trim() === name &&
    /[\p{L}\p{N}]/u.test(name) &&
    name.search(UNPRINTABLE) === -1 &&
    !RESERVED.test(foldName(name))
  return isName ? name : undefined
}

/** Invisible characters: joiners, fillers, selectors, and the blank Braille pattern. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]/u

/** The recommended scripts of Unicode Annex 31; those used together are one entry. Other scripts are not checked. */
const SCRIPTS = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Thaana', 'Ethiopic', 'Devanagari'],
  ...['Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao'],
  ...['Tibetan', 'Myanmar', 'Khmer', 'Han Hiragana Katakana', 'Han Hangul', 'Han Bopomofo'],
].map((scripts) => scripts.split(' ').map((script) => `\\p{scx=${script}}`))
const IN_ONE_SCRIPT = SCRIPTS.map((its) => new RegExp(`^[${its.join('')}\\p{sc=Common}\\p{sc=Inherited}]*$`, 'u'))
const OF_A_SCRIPT = new RegExp(`(?![\\p{sc=Common}\\p{sc=Inherited}])[${SCRIPTS.flat().join('')}]`, 'u')

type NewName = { readonly name: string } | { readonly refusal: string }

/** A new person's name, or the reason for its refusal: part of a sentence, without a full stop. */
export function newPersonName(text: string): NewName {
  const name = normalized(text, 'NFKC')
  const [character] = UNSEEN.exec(name) ?? []
  if (character !== undefined) {
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    return { refusal: `the name contains an invisible character (U+${code}); leave it out` }
  }
  if (personName(name) === undefined) return { refusal: NAME_RULE }
  const mixed = name.split(/\s+/).find((word) => OF_A_SCRIPT.test(word) && !IN_ONE_SCRIPT.some((one) => one.test(word)))
  if (mixed === undefined) return { name }
  return { refusal: `the word “${mixed}” mixes letters of several scripts; write each word in one` }
}
