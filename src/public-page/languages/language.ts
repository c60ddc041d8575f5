/**
 * The words of the public page in one language. Another language is a file like english.ts and its line in index.ts.
 * `{name}` and the like stand for what the page puts there.
 */
export interface Language {
  /** For `lang`, and for numbers and dates (BCP 47). */
  readonly tag: string
  readonly dir: 'ltr' | 'rtl'
  /** The heading. */
  readonly ourAnimals: string
  /** How many, by the plural rules of the language; `other` is always there. */
  readonly animals: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }
  readonly allAnimals: string
  readonly none: string
  /** Names of parts of the page, for screen readers. */
  readonly whichAnimals: string
  readonly pages: string
  readonly found: string
  readonly page: string
  readonly previous: string
  readonly next: string
  readonly search: string
  readonly nothingFound: string
  /** What an animal or a category without a name is called. */
  readonly animal: string
  readonly category: string
  readonly number: string
  readonly kind: string
  readonly status: string
  readonly available: string
  readonly pending: string
  readonly sold: string
  readonly since: string
  /** How one asks for an animal. */
  readonly interested: string
  readonly ask: string
  readonly howToAdopt: string
  /** Of a number that is not published any more. */
  readonly gone: string
  readonly goneHint: string
  readonly feed: string
}
