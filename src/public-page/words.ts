/** The page's words for statuses, categories, animals and days. */
import type { PetStatus } from '../contract/schemas.ts'
import { brief } from '../rules/bounds.ts'
import type { StatusWords } from '../rules/names.ts'
import type { StoredAnimal } from '../store/rows.ts'
import type { Language } from './languages.ts'
import { visible } from './markup.ts'

export type Wording = ReturnType<typeof wordingOf>

/** `labels` are the category names, `statuses` the shelter's own words in this language. */
export function wordingOf(language: Language, labels: ReadonlyMap<bigint, string>, statuses: StatusWords) {
  const { tag, animals } = language
  const number = new Intl.NumberFormat(tag).format
  const plural = new Intl.PluralRules(tag)
  const date = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  return {
    language,
    number: (n: number) => number(n),
    compare: new Intl.Collator(tag, { numeric: true }).compare,
    animals: (n: number) => filled(animals[plural.select(n)] ?? animals.other, { n: number(n) }),
    status: (status: PetStatus) => statuses[status] ?? language[status],
    category: (id: string) => labels.get(BigInt(id)) ?? filled(language.category, { id }),
    /** The beginning of its name, or its number. */
    nameOf: ({ id, name }: StoredAnimal) => brief(visible(name).trim()) || filled(language.animal, { id }),
    day: (atMs: number) => date.format(atMs),
    /** The month as in a date, which differs from its name in Polish; with the year unless it is this year. */
    month(atMs: number, todayMs: number): string {
      const parts = date.formatToParts(atMs)
      const month = parts.findIndex(({ type }) => type === 'month')
      const isThisYear = new Date(atMs).getUTCFullYear() === new Date(todayMs).getUTCFullYear()
      const shown = parts.slice(month, isThisYear ? month + 1 : undefined)
      return shown.map(({ value }) => value).join('')
    },
  }
}

export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)
}
