/**
 * The animals as HTML: pages of a hundred, for all animals, each category and each status, linked to each other; and
 * one fragment with all of them, to be included in another page. Only the search needs script. Each category has a
 * heading; a name of either direction leaves the text around it in place.
 */
import type { PetStatus } from '../contract/schemas.ts'
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
  /** The shelter's own words for statuses. */
  readonly words: StatusWords
  /** How the shelter is reached: a telephone number, an address. */
  readonly contact: readonly string[]
}

/** Marks the files that this command may replace. */
export const GENERATOR = 'Written by pets publish'

/** Whose animals stand below one heading. */
interface Category {
  readonly id: string
  readonly word: string
  readonly animals: readonly StoredPet[]
}

/** Animals shown together, on one or more pages; `file` is the name of the first page without its ending. */
interface View {
  readonly file: string
  readonly word: string
  readonly animals: readonly StoredPet[]
}

/** Animals on a page. */
export const PER_PAGE = 100

/** The pieces of each file by its name; `index.html` and `fragment.html` are always among them. */
export function pagesOf(shown: Shown): ReadonlyMap<string, readonly string[]> {
  const { animals, labels } = shown
  const categories = categoriesOf(animals, labels)
  const all = { file: 'index', word: 'All animals', animals }
  const views = [all, ...viewsOf(categories, shown)]
  const pages = views.flatMap((view) =>
    Array.from({ length: Math.max(1, Math.ceil(view.animals.length / PER_PAGE)) }, (_, at) => {
      return [nameOfPage(view, at + 1), pageOf(view, at + 1, views, shown)] as const
    }),
  )
  const comment = `<!-- ${GENERATOR}. Classes begin with "pets". -->\n`
  return new Map([...pages, ['fragment.html', [comment, ...bodyOf(categories, shown)]]])
}

/** The pages for each category and status; none where there is only one. */
function viewsOf(categories: readonly Category[], { animals, words }: Shown): readonly View[] {
  const byStatus = Map.groupBy(animals, ({ status }) => status)
  const statuses = [...byStatus].flatMap(([status, its]) =>
    status === undefined
      ? []
      : [{ file: `status-${status}`, word: statusWord(status as PetStatus, words), animals: its }],
  )
  return [
    ...(categories.length < 2
      ? []
      : categories.map(({ id, word, animals: its }) => ({ file: `category-${id}`, word, animals: its }))),
    ...(statuses.length < 2 ? [] : statuses.sort((one, other) => (one.file < other.file ? -1 : 1))),
  ]
}

function nameOfPage({ file }: View, n: number): string {
  if (n === 1) return `${file}.html`
  return `${file === 'index' ? 'page' : file}-${n}.html`
}

function pageOf(view: View, n: number, views: readonly View[], shown: Shown): readonly string[] {
  const animals = view.animals.slice((n - 1) * PER_PAGE, n * PER_PAGE)
  return [
    headOf(shown.title, view.animals.length),
    navigationOf(view, views),
    '<main>\n',
    ...bodyOf(categoriesOf(animals, shown.labels), shown),
    paginationOf(view, n),
    '</main>\n',
    footOf(shown.contact),
  ]
}

function bodyOf(categories: readonly Category[], { words }: Shown): readonly string[] {
  const sections =
    categories.length === 0
      ? ['<p>No animals at the moment.</p>\n']
      : categories.map((category) => sectionOf(category, words))
  return ['<div class="pets">\n', ...sections, '</div>\n']
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
<meta name="generator" content="${GENERATOR}">
<title>${text}</title>
<link rel="alternate" type="application/atom+xml" title="${text}" href="feed.atom">
<style>${STYLE}</style>
<script src="search.js" defer></script>
</head>
<body>
<header>
<h1><bdi>${text}</bdi></h1>
<p>${n === 1 ? '1 animal' : `${n} animals`}</p>
<form id="pets-search" role="search" hidden><label>Name or number <input type="search" autocomplete="off"></label></form>
<ul id="pets-found" aria-label="Found" hidden></ul>
</header>
`
}

/** The filters, as links. */
function navigationOf(view: View, views: readonly View[]): string {
  if (views.length < 2) return ''
  const items = views.map((one) => {
    const current = one === view ? ' aria-current="page"' : ''
    const words = `<bdi>${escaped(one.word)}</bdi> (${one.animals.length})`
    return `<li><a href="${nameOfPage(one, 1)}"${current}>${words}</a></li>\n`
  })
  return `<nav aria-label="Which animals">\n<ul>\n${items.join('')}</ul>\n</nav>\n`
}

/** Links to the previous and next page. */
function paginationOf(view: View, n: number): string {
  const last = Math.ceil(view.animals.length / PER_PAGE)
  if (last < 2) return ''
  const link = (to: number, words: string) => `<li><a href="${nameOfPage(view, to)}">${words}</a></li>\n`
  const [before, after] = [n > 1 ? link(n - 1, 'Previous') : '', n < last ? link(n + 1, 'Next') : '']
  return `<nav aria-label="Pages">\n<ul>\n${before}<li>Page ${n} of ${last}</li>\n${after}</ul>\n</nav>\n`
}

function footOf(contact: readonly string[]): string {
  const lines = contact.map((line) => `<p><bdi>${escaped(line)}</bdi></p>\n`)
  return `<footer>
${lines.length === 0 ? '' : `<address>\n${lines.join('')}</address>\n`}<ul>
<li><a href="feed.atom" type="application/atom+xml">News feed</a></li>
<li><a href="animals.csv" type="text/csv">List for spreadsheets</a></li>
<li><a href="animals.json" type="application/json">List for programs</a></li>
</ul>
</footer>
</body>
</html>
`
}

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
