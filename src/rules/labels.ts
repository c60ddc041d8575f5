/** The rules for short texts that people give to keys, categories, statuses and the shelter. */
import { printable, UNPRINTABLE } from '../common/printable.ts'
import { LABEL_LENGTH } from './bounds.ts'
import type { SharedName, SharedWord } from './names.ts'

export const LABEL_FORM = `1 to ${LABEL_LENGTH} printable characters`
export const LABEL_RULE = `a label is ${LABEL_FORM}, without line breaks and control characters`
export const UNNAMABLE = `cannot be the name of a category: ${LABEL_RULE}`

/** The words of statuses must be short enough for buttons. */
const WORD_LENGTH = 20
export const WORD_FORM = `1 to ${WORD_LENGTH} printable characters`
export const WORD_RULE = `a word is ${WORD_FORM}`

export function labelOf(text: string): string | undefined {
  return lineOf(text, LABEL_LENGTH)
}

export function wordOf(text: string): string | undefined {
  return lineOf(text, WORD_LENGTH)
}

function lineOf(text: string, most: number): string | undefined {
  const line = text.trim()
  return line !== '' && [...line].length <= most && line.search(UNPRINTABLE) === -1 ? line : undefined
}

export function sharedNameSentence({ id, other, label }: SharedName): string {
  return `Category ${id} cannot have this name, because category ${other} is ${printable(label)}; choose another name.`
}

export function sharedWordSentence({ status, other }: SharedWord): string {
  return `The status ${status} cannot have this word, because it is taken for ${other}; choose another word.`
}
