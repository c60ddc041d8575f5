/** What the page calls statuses, categories and animals, and how texts of others are made safe to stand in it. */
import type { PetStatus } from '../contract/schemas.ts'
import { BRIEF_NAME } from '../store/bounds.ts'
import type { StoredPet } from '../store/rows.ts'
import type { StatusWords } from '../store/words.ts'
import { plainWord } from '../store/words.ts'

export function statusWord(status: PetStatus, words: StatusWords): string {
  return words[status] ?? plainWord(status)
}

export function categoryWord(id: string, labels: ReadonlyMap<bigint, string>): string {
  return labels.get(BigInt(id)) ?? `Category ${id}`
}

/** Its name, shortened, or its number if it has none. */
export function nameOf({ id, name }: StoredPet): string {
  const shown = visible(name)
  if (shown === '') return `Animal ${id}`
  if (shown.length <= BRIEF_NAME) return shown
  const letters = [...shown.slice(0, 2 * BRIEF_NAME + 1)]
  return letters.length <= BRIEF_NAME ? shown : `${letters.slice(0, BRIEF_NAME).join('')}…`
}

/** Text as the content or the value of an attribute of HTML or XML. */
export function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * Spaces and ends of lines become one space; what would reorder the text around goes; what neither HTML nor XML may
 * hold becomes U+FFFD.
 */
function visible(text: string): string {
  return text
    .replace(/[\s\u0085]+/gu, ' ')
    .trim()
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, '\ufffd')
}
