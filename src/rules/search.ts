/** The search for animals: the typed text, and the meaning of its words besides parts of names. */
import { fold, foldWord } from '../common/fold.ts'
import { INT64_MAX, INT64_MIN } from '../contract/int64.ts'
import { PetStatus } from '../contract/schemas.ts'
import type { StatusWords } from './names.ts'

export interface AnimalFilter {
  /** Words in any order: parts of the name or reference, names of categories or statuses; or an id. */
  readonly text: string
  /** `none`: without a status. Undefined: any status, but not removed. */
  readonly status: PetStatus | 'none' | 'removed' | undefined
  readonly categoryId?: bigint | undefined
  /** Only animals that this import added or, as a sync, changed. */
  readonly importN?: bigint | undefined
}

export const ALL_ANIMALS: AnimalFilter = { text: '', status: undefined }

/** Newest and oldest go by the beginning of the wait, unknown ones first. Equal animals come by id, greatest first. */
export type Order = 'newest' | 'oldest' | 'name' | 'match' | 'id'

type Meaning = { readonly categoryId: bigint } | { readonly status: PetStatus }
export type Meanings = ReadonlyMap<string, readonly Meaning[]>

/** In UTF-16 units: each can cost a step of the search. */
export const SEARCH_LENGTH = 1_000

export function searchRefusal({ length }: string): string | undefined {
  if (length <= SEARCH_LENGTH) return undefined
  return `The text has ${length} characters, and ${SEARCH_LENGTH} can be searched for; shorten it.`
}

/** The most words of a name in a search, and the endings of plurals. */
const LONGEST_NAME = 4
const ENDINGS = ['s', 'es', 'e', 'n', 'en']

/** Categories and statuses by the word of the text. A name can have several words, such as "guinea pigs". */
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

/** Whether these are all animals, of any status. */
export function isAll({ text, categoryId, importN }: Omit<AnimalFilter, 'status'>): boolean {
  return wordsOf(text).length === 0 && categoryId === undefined && importN === undefined
}

/** A name as words are compared, with its plural and singular, as in dogs, foxes, puppies and Katzen. */
function formsOf(name: string): ReadonlySet<string> {
  const word = foldWord(name)
  const plurals = ENDINGS.map((ending) => `${word}${ending}`)
  const singulars = ENDINGS.filter((ending) => word.endsWith(ending)).map((ending) => word.slice(0, -ending.length))
  return new Set([word, ...plurals, ...singulars, word.replace(/y$/, 'ies'), word.replace(/ies$/, 'y')])
}

export function wordsOf(text: string): readonly string[] {
  return [...new Set(fold(text).split(' '))].filter((word) => word !== '')
}

/** A number without the marks of 1,000,000 or 1 000 000; other texts unchanged. */
export function ungrouped(text: string): string {
  const isGrouped = /^-?\d{1,3}(?<mark>[,. '\u2019\u00a0\u202f])\d{3}(?:\k<mark>\d{3})*$/.test(text)
  return isGrouped ? text.replace(/[^\d-]/g, '') : text
}

export function idOf(text: string): bigint | undefined {
  const digits = /^\s*#?(-?\d{1,19})\s*$/.exec(text)?.[1]
  const id = digits === undefined ? undefined : BigInt(digits)
  return id !== undefined && id >= INT64_MIN && id <= INT64_MAX ? id : undefined
}
