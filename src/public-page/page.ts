/**
 * The animals as HTML: a whole page, and the fragment in it, for a page of the shelter's own. Usable without script; a
 * heading for each category; names keep their direction to themselves.
 */
import type { StoredPet } from '../store/rows.ts'
import type { StatusWords } from '../store/words.ts'
import { STYLE } from './style.ts'
import { categoryWord, escaped, nameOf, statusWord } from './words.ts'

/** What is published, at one moment. */
export interface Shown {
  readonly title: string
  /** Newest first. */
  readonly animals: readonly StoredPet[]
  /** The names of categories. */
  readonly labels: ReadonlyMap<bigint, string>
  /** The shelter's own, for statuses. */
  readonly words: StatusWords
}

/** By which a later run knows that a file is not somebody else's. */
export const WRITTEN_BY = 'Written by pets publish'

/** Whose animals stand below one heading. */
interface Category {
  readonly id: string
  readonly word: string
  readonly animals: readonly StoredPet[]
}

/** The pieces of both files. */
export function pagesOf({ title, animals, labels, words }: Shown): {
  readonly page: readonly string[]
  readonly fragment: readonly string[]
} {
  const categories = categoriesOf(animals, labels)
  const sections =
    categories.length === 0
      ? ['<p>No animals at the moment.</p>\n']
      : categories.map((category) => sectionOf(category, words))
  const body = ['<div class="pets">\n', ...sections, '</div>\n']
  return {
    page: [headOf(title, animals.length), navigationOf(categories), '<main>\n', ...body, '</main>\n', FOOT],
    fragment: [`<!-- ${WRITTEN_BY}. Classes begin with "pets". -->\n`, ...body],
  }
}

/** Those with a name come first, in the order of names, then the others by number. */
function categoriesOf(animals: readonly StoredPet[], labels: ReadonlyMap<bigint, string>): readonly Category[] {
  const collator = new Intl.Collator('en', { numeric: true })
  return Map.groupBy(animals, ({ categoryId }) => categoryId)
    .entries()
    .map(([id, its]) => ({ id, number: BigInt(id), label: labels.get(BigInt(id)), animals: its }))
    .toArray()
    .sort(
      (a, b) =>
        Number(a.label === undefined) - Number(b.label === undefined) ||
        collator.compare(a.label ?? '', b.label ?? '') ||
        (a.number < b.number ? -1 : 1),
    )
    .map(({ id, animals }) => ({ id, word: categoryWord(id, labels), animals }))
}

function headOf(title: string, n: number): string {
  const text = escaped(title)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="${WRITTEN_BY}">
<title>${text}</title>
<link rel="alternate" type="application/atom+xml" title="${text}" href="feed.atom">
<style>${STYLE}</style>
</head>
<body>
<header>
<h1><bdi>${text}</bdi></h1>
<p>${n === 1 ? '1 animal' : `${n} animals`}</p>
</header>
`
}

function navigationOf(categories: readonly Category[]): string {
  if (categories.length < 2) return ''
  const items = categories.map(
    ({ id, word, animals }) =>
      `<li><a href="#pets-category-${id}"><bdi>${escaped(word)}</bdi> (${animals.length})</a></li>\n`,
  )
  return `<nav aria-label="Categories">\n<ul>\n${items.join('')}</ul>\n</nav>\n`
}

const FOOT = `<footer>
<ul>
<li><a href="feed.atom" type="application/atom+xml">News feed</a></li>
<li><a href="animals.csv" type="text/csv">List for spreadsheets</a></li>
<li><a href="animals.json" type="application/json">List for programs</a></li>
</ul>
</footer>
</body>
</html>
`

function sectionOf({ id, word, animals }: Category, words: StatusWords): string {
  const heading = `pets-category-${id}`
  return `<section class="pets-category" aria-labelledby="${heading}">
<h2 id="${heading}"><bdi>${escaped(word)}</bdi></h2>
<ul class="pets-animals">
${animals.map((animal) => itemOf(animal, words)).join('')}</ul>
</section>
`
}

function itemOf(animal: StoredPet, words: StatusWords): string {
  const { id, status } = animal
  const word =
    status === undefined ? '' : `<span class="pets-status pets-${status}">${escaped(statusWord(status, words))}</span> `
  return `<li class="pets-animal" id="pets-animal-${id}">
<p class="pets-name"><bdi>${escaped(nameOf(animal))}</bdi></p>
<p class="pets-facts">${word}<span class="pets-number">Number ${id}</span></p>
</li>
`
}
