/**
 * What the page calls statuses, categories, animals and months in its language, and how texts of others are made safe to
 * stand in it.
 */
import type { PetStatus } from '../contract/schemas.ts'
import { BRIEF_NAME } from '../rules/bounds.ts'
import type { StatusWords } from '../rules/names.ts'
import type { StoredAnimal } from '../store/rows.ts'
import type { Language } from './languages.ts'

export class Wording {
  readonly language: Language
  readonly #labels: ReadonlyMap<bigint, string>
  readonly #statuses: StatusWords
  readonly #plural: Intl.PluralRules
  readonly #long: Intl.DateTimeFormat
  readonly number: (n: number) => string
  readonly compare: (one: string, other: string) => number

  /** `labels` are the names of categories, `statuses` the shelter's own words in this language. */
  constructor(language: Language, labels: ReadonlyMap<bigint, string>, statuses: StatusWords) {
    const { tag } = language
    this.language = language
    this.#labels = labels
    this.#statuses = statuses
    this.#plural = new Intl.PluralRules(tag)
    this.#long = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
    this.number = new Intl.NumberFormat(tag).format
    this.compare = new Intl.Collator(tag, { numeric: true }).compare
  }

  /** A day of UTC. */
  day(atMs: number): string {
    return this.#long.format(atMs)
  }

  /** Its month as within a date, since that has a form of its own in Polish; with the year unless it is this one. */
  month(atMs: number, todayMs: number): string {
    const parts = this.#long.formatToParts(atMs)
    const month = parts.findIndex(({ type }) => type === 'month')
    const isThisYear = new Date(atMs).getUTCFullYear() === new Date(todayMs).getUTCFullYear()
    return parts
      .slice(month, isThisYear ? month + 1 : undefined)
      .map(({ value }) => value)
      .join('')
  }

  animals(n: number): string {
    const { animals } = this.language
    return filled(animals[this.#plural.select(n)] ?? animals.other, { n: this.number(n) })
  }

  status(status: PetStatus): string {
    return this.#statuses[status] ?? this.language[status]
  }

  category(id: string): string {
    return this.label(id) ?? filled(this.language.category, { id })
  }

  label(categoryId: string): string | undefined {
    return this.#labels.get(BigInt(categoryId))
  }

  /** Its name, shortened, or its number if it has none. */
  nameOf({ id, name }: Pick<StoredAnimal, 'id' | 'name'>): string {
    const text = visible(name)
    if (text === '') return filled(this.language.animal, { id })
    const letters = [...text.slice(0, 2 * BRIEF_NAME + 1)]
    return letters.length <= BRIEF_NAME ? text : `${letters.slice(0, BRIEF_NAME).join('')}…`
  }
}

/** A text of a language with what it has places for. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)
}

/** Text as the content or the value of an attribute of HTML or XML. */
export function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * Spaces and ends of lines become one space; what would reorder the text around goes; what neither HTML nor XML may
 * hold becomes U+FFFD.
 */
export function visible(text: string): string {
  return text
    .replace(/[\s\u0085]+/gu, ' ')
    .trim()
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, '\ufffd')
}
