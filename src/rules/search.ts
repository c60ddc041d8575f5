/** What people search animals by: the text that they type, and what its words mean besides being parts of names. */
import { fold, foldWord } from '../common/fold.ts'
import { INT64_MAX, INT64_MIN } from '../contract/int64.ts'
import { PetStatus } from '../contract/schemas.ts'
import type { StatusWords } from './names.ts'

/** Which animals of a list are meant. */
export interface AnimalFilter {
  /**
   * Words in any order, each a part of the name or of the other system's number, or the name of its category or status
   * as people see it, in the singular or plural; ignoring case and accents. Or an id. Without words every animal is
   * found.
   */
  readonly text: string
  /** `none` means animals without a status; undefined means any status, but not removed. */
  readonly status: PetStatus | 'none' | 'removed' | undefined
  readonly categoryId?: bigint | undefined
  /** Only those that this import brought, or, as a sync, changed. */
  readonly importN?: bigint | undefined
}

/** All animals but the removed. */
export const ALL_ANIMALS: AnimalFilter = { text: '', status: undefined }

/**
 * Newest and oldest: by the day on which their wait began; animals of which nobody knows it come before all others. By
 * match: a name that equals the text, then one that begins with it, then one with its words each at the beginning of a
 * word. What an order leaves open is the greatest id first.
 */
export type Order = 'newest' | 'oldest' | 'name' | 'match' | 'id'

/** What a word is the name of. */
type Meaning = { readonly categoryId: bigint } | { readonly status: PetStatus }
export type Meanings = ReadonlyMap<string, readonly Meaning[]>

/** In UTF-16 units: each may cost a step of the search. */
export const SEARCH_LENGTH = 1_000

/** Why nothing is searched for by this text, as a sentence; undefined if it is. */
export function searchRefusal({ length }: string): string | undefined {
  if (length <= SEARCH_LENGTH) return undefined
  return `The text has ${length} characters, and ${SEARCH_LENGTH} can be searched for; shorten it.`
}

/** Words of a name that a search may have in it, and the endings of plurals. */
const LONGEST_NAME = 4
const ENDINGS = ['s', 'es', 'e', 'n', 'en']

/** Categories and statuses, by the word of the text. A name may be of several words, as "guinea pigs". */
export function meaningsOf(text: string, labels: ReadonlyMap<bigint, string>, statusWords: StatusWords): Meanings {
  const words = fold(text).split(' ')
  const byForm = new Map<string, Meaning[]>()
  const add = (name: string, meaning: Meaning) => {
    for (const form of formsOf(name)) byForm.set(form, [...(byForm.get(form) ?? []), meaning])
  }
  for (const [categoryId, label] of labels) add(label, { categoryId })
  for (const status of PetStatus.enum) add(statusWords[status] ?? status, { status })
  const meanings = new Map<string, Meaning[]>()
  for (const first of words.keys()) {
    for (let last = first + 1; last <= first + LONGEST_NAME; last += 1) {
      const phrase = words.slice(first, last)
      const meant = byForm.get(foldWord(phrase.join(' '))) ?? []
      for (const word of meant.length > 0 ? phrase : []) {
        const before = meanings.get(word) ?? []
        meanings.set(word, [...before, ...meant.filter((meaning) => !before.includes(meaning))])
      }
    }
  }
  return meanings
}

/** Whether these are all animals, of whatever status. */
export function isAll({ text, categoryId, importN }: Omit<AnimalFilter, 'status'>): boolean {
  return wordsOf(text).length === 0 && categoryId === undefined && importN === undefined
}

/** A name as words are compared, and the same in the plural and singular, as in dogs, foxes, puppies and Katzen. */
function formsOf(name: string): ReadonlySet<string> {
  const word = foldWord(name)
  const plurals = ENDINGS.map((ending) => `${word}${ending}`)
  const singulars = ENDINGS.filter((ending) => word.endsWith(ending)).map((ending) => word.slice(0, -ending.length))
  return new Set([word, ...plurals, ...singulars, word.replace(/y$/, 'ies'), word.replace(/ies$/, 'y')])
}

/** The words of a search, as they are compared. */
export function wordsOf(text: string): readonly string[] {
  return [...new Set(fold(text).split(' '))].filter((word) => word !== '')
}

/** A number as people write it, as 1,000,000 or 1 000 000, without its marks; any other text as it is. */
export function ungrouped(text: string): string {
  const isGrouped = /^-?\d{1,3}(?<mark>[,. '\u2019\u00a0\u202f])\d{3}(?:\k<mark>\d{3})*$/.test(text)
  return isGrouped ? text.replace(/[^\d-]/g, '') : text
}

/** The id that a text is, if it is one. */
export function idOf(text: string): bigint | undefined {
  const digits = /^\s*#?(-?\d{1,19})\s*$/.exec(text)?.[1]
  const id = digits === undefined ? undefined : BigInt(digits)
  return id !== undefined && id >= INT64_MIN && id <= INT64_MAX ? id : undefined
}
