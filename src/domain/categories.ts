/** Error sentences about names of categories and words of statuses, and the rule for such a word. */
import { printable, UNPRINTABLE } from '../common/printable.ts'
import type { SharedName, SharedWord } from '../rules/names.ts'
import { LABEL_RULE } from './keys.ts'

/** Said of a name that is no label. */
export const UNNAMABLE = `A category cannot have this name: ${LABEL_RULE}.`

/** Says that another category has this name. */
export function sharedNameSentence({ id, other, label }: SharedName): string {
  return `Category ${id} cannot have this name, because category ${other} is ${printable(label)}; choose another name.`
}

/** Says that another status has this word. */
export function sharedWordSentence({ status, other }: SharedWord): string {
  return `The status ${status} cannot have this word, because it is taken for ${other}; choose another word.`
}

/** Whether the text can be the word of a status, which must be short enough for buttons. */
export function isStatusWord(text: string): boolean {
  return [...text].length <= WORD_LENGTH && text.trim() !== '' && text.search(UNPRINTABLE) === -1
}

const WORD_LENGTH = 20
export const WORD_RULE = `a word is 1 to ${WORD_LENGTH} printable characters`
