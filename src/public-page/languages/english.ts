/**
 * The words of the public page, in English. Another language is a file with the same words and its line in index.ts.
 * `{name}` and the like stand for what the page puts there.
 */

/** How many, by the plural rules of a language; `other` is always there. */
type Plurals = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

const animals: Plurals = { one: '{n} animal', other: '{n} animals' }

// biome-ignore format: words in rows
export const english = {
  /** For numbers and dates (BCP 47). */
  tag: 'en-GB',
  ourAnimals: 'Our animals', animals, allAnimals: 'All animals', none: 'No animals at the moment.',
  /** Names of parts of the page, for screen readers. */
  whichAnimals: 'Which animals', pages: 'Pages', found: 'Found',
  page: 'Page {n} of {last}', previous: 'Previous', next: 'Next',
  search: 'Name, kind or number', nothingFound: 'Nothing found.',
  /** What an animal or a category without a name is called. */
  animal: 'Animal {id}', category: 'Category {id}',
  kind: 'Kind', status: 'Status', available: 'Available', pending: 'Pending', sold: 'Sold',
  number: 'Number', waits: 'waiting since {month}', waitsSince: 'Waiting since', isNew: 'new',
  othersWait: 'Also waiting for a home',
  /** How people ask for an animal. */
  interested: 'Are you interested?', ask: 'Ask us about {name}, number {id}.',
  howToAdopt: 'How to adopt', call: 'Call', write: 'Write',
  /** Of a number that is not published any more. */
  gone: 'Number {id} is not on this page at the moment.',
  goneHint: 'It may have found a home. Look at the others, or ask us.',
  feed: 'News feed',
}

export type Language = Readonly<typeof english>
