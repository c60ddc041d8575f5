/**
 * Short texts that people give to keys, categories, statuses and the shelter: what one can be, and the sentences that
 * refuse it. Names of people have a stricter rule (domain/person-names.ts).
 */
import { printable, UNPRINTABLE } from '../common/printable.ts'
import { LABEL_LENGTH } from './bounds.ts'
import type { SharedName, SharedWord } from './names.ts'

/** As part of a sentence. */
export const LABEL_FORM = `1 to ${LABEL_LENGTH} printable characters`
export const LABEL_RULE = `a label is ${LABEL_FORM}, without line breaks and control characters`

/** Why a text cannot be a label, in a sentence or about a row of a file. */
export const UNNAMABLE = `cannot be the name of a category: ${LABEL_RULE}`

/** The words of statuses must be short enough for buttons. */
const WORD_LENGTH = 20
export const WORD_FORM = `1 to ${WORD_LENGTH} printable characters`
export const WORD_RULE = `a word is ${WORD_FORM}`

/** The trimmed text; undefined if it cannot be a label. */
export function labelOf(text: string): string | undefined {
  return lineOf(text, LABEL_LENGTH)
}

/** The same for the word of a status. */
export function wordOf(text: string): string | undefined {
  return lineOf(text, WORD_LENGTH)
}

/**
 * By their Unicode properties these are excluded: controls, formats (which reverse or hide text), surrogates, private
 * and unassigned code points, line and paragraph separators. The two joiners are allowed, since Persian and Indian names
 * and many emoji are spelled with them.
 */
function lineOf(text: string, most: number): string | undefined {
  const line = text.trim()
  return line !== '' && [...line].length <= most && line.search(UNPRINTABLE) === -1 ? line : undefined
}

/** Says that another category has this name. */
export function sharedNameSentence({ id, other, label }: SharedName): string {
  return `Category ${id} cannot have this name, because category ${other} is ${printable(label)}; choose another name.`
}

/** Says that another status has this word. */
export function sharedWordSentence({ status, other }: SharedWord): string {
  return `The status ${status} cannot have this word, because it is taken for ${other}; choose another word.`
}
