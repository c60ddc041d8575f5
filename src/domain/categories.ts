/** Refusals of names of categories and of words for statuses, and of what animals are called by, in words. */
import { printable, UNPRINTABLE } from '../common/printable.ts'
import type { SharedName } from '../store/categories.ts'
import type { SharedWord } from '../store/words.ts'

/** Why a category cannot have the name of another one. */
export function sharedNameSentence({ id, other, label }: SharedName): string {
  return `Category ${id} cannot have this name, because category ${other} is ${printable(label)}; choose another name.`
}

/** Why a status cannot have a word. */
export function sharedWordSentence({ status, other }: SharedWord): string {
  return `The status ${status} cannot have this word, because it is taken for ${other}; choose another word.`
}

/** Whether a status can be called this; short, because it stands on buttons. */
export function isStatusWord(text: string): boolean {
  return [...text].length <= WORD_LENGTH && text.trim() !== '' && text.search(UNPRINTABLE) === -1
}

const WORD_LENGTH = 20
export const WORD_RULE = `a word is 1 to ${WORD_LENGTH} printable characters`
