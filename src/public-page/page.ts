/**
 * The animals as lists in HTML: pages of a hundred, for all animals, each category and each status, linked to each
 * other; and one fragment with all of them, to be included in another page. Only the search needs script. Each category
 * has a heading; a name of either direction leaves the text around it in place.
 */
import type { PetStatus } from '../contract/schemas.ts'
import {
  animalPath,
  contactOf,
  documentOf,
  GENERATOR,
  headingOf,
  type Publication,
  type PublishedAnimal,
  photoOf,
  placeOf,
  shelterData,
  titleOf,
  webPath,
} from './document.ts'
import type { NewFile } from './folder.ts'
import { escaped, filled, type Wording } from './words.ts'

/** Whose animals stand below one heading. */
interface Category {
  readonly id: string
  readonly word: string
  readonly animals: readonly PublishedAnimal[]
}

/** Animals shown together, on one or more pages; `file` is the name of the first page without its ending. */
interface View extends Omit<Category, 'id'> {
  readonly file: string
  /** As in "Dogs (5), Cats (7)". */
  readonly about?: string
}

/** Animals on a page. */
export const PER_PAGE = 100
/** Addresses in a sitemap, at most, as search engines read them. */
const PER_SITEMAP = 50_000
/** Categories that are named to search engines. */
const DESCRIBED = 8

/** Those that others lead from come later: the first page of all animals is the last of the lists. */
export function* pagesOf(publication: Publication): Generator<NewFile> {
  const { animals, wording, url } = publication
  const categories = categoriesOf(animals, wording)
  const views = viewsOf(categories, publication)
  const names: string[] = []
  for (const view of views.toReversed()) {
    for (let n = lastOf(view); n > 0; n -= 1) {
      names.unshift(nameOfPage(view, n))
      yield [nameOfPage(view, n), pageOf(view, n, views, publication)]
    }
  }
  yield* sitemapsOf(names, publication)
  // Nobody knows where it is included; only whole links lead on from there.
  const fragment = bodyOf(categories, publication, url)
  yield ['fragment.html', `<!-- ${GENERATOR}. Classes begin with "pets". -->\n${fragment}`]
}

/** All animals, and those of each category and status unless there is only one. */
function viewsOf(categories: readonly Category[], { animals, wording }: Publication): readonly View[] {
  const byStatus = Map.groupBy(animals, ({ status }) => status)
  const statuses = [...byStatus].flatMap(([status, its]) =>
    status === undefined ? [] : [{ file: `status-${status}`, word: wording.status(status as PetStatus), animals: its }],
  )
  const words = categories.slice(0, DESCRIBED).map((one) => `${one.word} (${wording.number(one.animals.length)})`)
  return [
    { file: 'index', word: wording.language.allAnimals, animals, about: words.join(', ') },
    ...(categories.length < 2 ? [] : categories.map((one) => ({ ...one, file: `category-${one.id}` }))),
    ...(statuses.length < 2 ? [] : statuses.sort((one, other) => (one.file < other.file ? -1 : 1))),
  ]
}

/** How many pages it has. */
function lastOf({ animals }: View): number {
  return Math.max(1, Math.ceil(animals.length / PER_PAGE))
}

function nameOfPage({ file }: View, n: number): string {
  if (n === 1) return `${file}.html`
  return `${file === 'index' ? 'page' : file}-${n}.html`
}

function pageOf(view: View, n: number, views: readonly View[], publication: Publication): string {
  const { wording, heading } = publication
  const animals = view.animals.slice((n - 1) * PER_PAGE, n * PER_PAGE)
  const path = nameOfPage(view, n)
  const main = bodyOf(categoriesOf(animals, wording), publication, '') + paginationOf(view, n, wording)
  const body = `${headerOf(view, publication)}${navigationOf(view, views, wording)}<main>\n${main}</main>\n`
  const page = n === 1 ? '' : `, ${placeInView(view, n, wording)}`
  const title = titleOf(path === 'index.html' ? heading : `${view.word}${page}`, publication)
  const about = view.about === undefined ? '' : `, ${view.about}`
  const description = `${title}: ${wording.animals(view.animals.length)}${about}.`
  const data =
    view.file === 'index' ? [...shelterData(publication), listData(animals, (n - 1) * PER_PAGE, publication)] : []
  return documentOf(
    { path, title, description, body, data, photo: animals.find(({ photo }) => photo)?.photo },
    publication,
  )
}

function listData(animals: readonly PublishedAnimal[], before: number, publication: Publication): object {
  const { wording, url = '', heading } = publication
  return {
    '@type': 'ItemList',
    name: heading,
    numberOfItems: animals.length,
    itemListElement: animals.map((animal, n) => ({
      '@type': 'ListItem',
      position: before + n + 1,
      name: wording.nameOf(animal),
      url: url + placeOf(animal, publication),
    })),
  }
}

/** `from`: what comes before the links to animals; undefined for no links. */
function bodyOf(categories: readonly Category[], { wording, hasPages }: Publication, from: string | undefined): string {
  const sections = categories.map((category) => sectionOf(category, wording, hasPages ? from : undefined))
  const none = sections.length === 0 ? `<p>${wording.language.none}</p>\n` : ''
  return `<div class="pets">\n${none}${sections.join('')}</div>\n`
}

/** Those with a name come first, in the order of names, then the others by number. */
function categoriesOf(animals: readonly PublishedAnimal[], wording: Wording): readonly Category[] {
  return [...Map.groupBy(animals, ({ categoryId }) => categoryId)]
    .map(([id, its]) => ({ id, word: wording.category(id), animals: its, isNamed: wording.label(id) !== undefined }))
    .sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || wording.compare(a.word, b.word))
}

function headerOf({ animals }: View, publication: Publication): string {
  const { heading, wording } = publication
  const { search, found, nothingFound, gone, goneHint } = wording.language
  return `<header>
${headingOf(heading, publication)}<p>${wording.animals(animals.length)}</p>
${contactOf(publication)}<p id="pets-gone" role="status" data-gone="${gone} ${goneHint}" hidden></p>
<form id="pets-search" role="search" data-nothing="${nothingFound}" hidden><label>${search} <input type="search" autocomplete="off"></label></form>
<ul id="pets-found" aria-label="${found}" hidden></ul>
</header>
`
}

/** The filters, as links. */
function navigationOf(view: View, views: readonly View[], wording: Wording): string {
  if (views.length < 2) return ''
  const items = views.map((one) => {
    const current = one === view ? ' aria-current="page"' : ''
    const words = `<bdi>${escaped(one.word)}</bdi> (${wording.number(one.animals.length)})`
    return `<li><a href="${nameOfPage(one, 1)}"${current}>${words}</a></li>\n`
  })
  return `<nav aria-label="${wording.language.whichAnimals}">\n<ul>\n${items.join('')}</ul>\n</nav>\n`
}

/** As in "Page 2 of 3". */
function placeInView(view: View, n: number, { language, number }: Wording): string {
  return filled(language.page, { n: number(n), last: number(lastOf(view)) })
}

/** Links to the previous and next page. */
function paginationOf(view: View, n: number, wording: Wording): string {
  const last = lastOf(view)
  if (last < 2) return ''
  const { pages, previous, next } = wording.language
  const link = (to: number, words: string) => `<li><a href="${nameOfPage(view, to)}">${words}</a></li>\n`
  const [before, after] = [n > 1 ? link(n - 1, previous) : '', n < last ? link(n + 1, next) : '']
  const here = `<li>${placeInView(view, n, wording)}</li>\n`
  return `<nav aria-label="${pages}">\n<ul>\n${before}${here}${after}</ul>\n</nav>\n`
}

function sectionOf({ id, word, animals }: Category, wording: Wording, root: string | undefined): string {
  const heading = `pets-category-${id}`
  return `<section class="pets-category" aria-labelledby="${heading}">
<h2 id="${heading}"><bdi>${escaped(word)}</bdi></h2>
<ul class="pets-animals">
${animals.map((animal) => itemOf(animal, wording, root)).join('')}</ul>
</section>
`
}

function itemOf(animal: PublishedAnimal, wording: Wording, root: string | undefined): string {
  const { id, status } = animal
  const word =
    status === undefined ? '' : `<span class="pets-status pets-${status}">${escaped(wording.status(status))}</span> `
  const name = `<bdi>${escaped(wording.nameOf(animal))}</bdi>`
  return `<li class="pets-animal" id="pets-animal-${id}">
${photoOf(animal)}<p class="pets-name">${root === undefined ? name : `<a href="${root}${animalPath(id)}">${name}</a>`}</p>
<p class="pets-facts">${word}<span class="pets-number">${filled(wording.language.number, { id })}</span></p>
</li>
`
}

/** The addresses of pages for search engines: those of the lists, and of the animals. */
export function* sitemapsOf(lists: readonly string[], { animals, hasPages, url }: Publication): Generator<NewFile> {
  if (url === undefined) return
  const paths = [...lists.map(webPath), ...(hasPages ? animals.map(({ id }) => animalPath(id)) : [])]
  const toXml = (kind: string, item: string, of: readonly string[]) => `<?xml version="1.0" encoding="utf-8"?>
<!-- ${GENERATOR} -->
<${kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${of.map((path) => `<${item}><loc>${escaped(url + path)}</loc></${item}>\n`).join('')}</${kind}>
`
  if (paths.length <= PER_SITEMAP) return yield ['sitemap.xml', toXml('urlset', 'url', paths)]
  const parts: string[] = []
  for (let n = 0; n < paths.length; n += PER_SITEMAP) {
    const name = `sitemap-${parts.length + 1}.xml`
    parts.push(name)
    yield [name, toXml('urlset', 'url', paths.slice(n, n + PER_SITEMAP))]
  }
  yield ['sitemap.xml', toXml('sitemapindex', 'sitemap', parts)]
}
