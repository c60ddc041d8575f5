/**
 * The animals as lists in HTML: pages of a hundred, for all animals and for each category, linked to each other, the
 * longest waiting first. Only the search needs script; a name of either direction leaves the text around it in place.
 */
import {
  animalPath,
  documentOf,
  GENERATOR,
  headingOf,
  itemOf,
  type Publication,
  type PublishedAnimal,
  placeOf,
  shelterData,
  titleOf,
  waysOf,
  webPath,
} from './document.ts'
import type { ModifiedMs, NewFile } from './folder.ts'
import { escaped, filled, type Wording } from './words.ts'

/** Animals shown together, on one or more pages; `file` is the name of the first page without its ending. */
interface View {
  readonly file: string
  readonly word: string
  readonly animals: readonly PublishedAnimal[]
  /** As in "Dogs (5), Cats (7)". */
  readonly about?: string
}

export const PER_PAGE = 100
/** Search engines read no more addresses of a sitemap. */
const MOST_ADDRESSES = 50_000
/** Categories that are named to search engines. */
const DESCRIBED = 8

/** Those that others lead from come later: the first page of all animals is the last of the lists. */
export function* pagesOf(publication: Publication, modifiedMs: ModifiedMs): Generator<NewFile> {
  const views = viewsOf(publication)
  const names: string[] = []
  for (const view of views.toReversed()) {
    for (let n = lastOf(view); n > 0; n -= 1) {
      names.unshift(nameOfPage(view, n))
      yield [nameOfPage(view, n), pageOf(view, n, views, publication)]
    }
  }
  if (publication.url !== undefined) yield ['sitemap.xml', sitemapOf(names, publication, modifiedMs)]
}

/** All animals, and those of each category unless there is only one: named ones by name, then the others by number. */
function viewsOf({ animals, wording }: Publication): readonly View[] {
  const categories = [...Map.groupBy(animals, ({ categoryId }) => categoryId)]
    .map(([id, its]) => ({
      file: `category-${id}`,
      word: wording.category(id),
      animals: its,
      isNamed: wording.label(id) !== undefined,
    }))
    .sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || wording.compare(a.word, b.word))
  const words = categories.slice(0, DESCRIBED).map((one) => `${one.word} (${wording.number(one.animals.length)})`)
  const all = { file: 'index', word: wording.language.allAnimals, animals, about: words.join(', ') }
  return categories.length < 2 ? [all] : [all, ...categories]
}

function lastOf({ animals }: View): number {
  return Math.max(1, Math.ceil(animals.length / PER_PAGE))
}

function nameOfPage({ file }: View, n: number): string {
  if (n === 1) return `${file}.html`
  return `${file === 'index' ? 'page' : file}-${n}.html`
}

function pageOf(view: View, n: number, views: readonly View[], publication: Publication): string {
  const { wording, heading, hasPages } = publication
  const { allAnimals, none } = wording.language
  const first = (n - 1) * PER_PAGE
  const animals = view.animals.slice(first, first + PER_PAGE)
  const isAll = view.file === 'index'
  const words = isAll ? heading : view.word
  const items = animals.map((animal) => itemOf(animal, publication, hasPages ? '' : undefined, isAll))
  const list = items.length === 0 ? `<p>${none}</p>\n` : `<ul class="pets-animals">\n${items.join('')}</ul>\n`
  const main = `<main>\n${list}${paginationOf(view, n, wording)}</main>\n`
  const page = n === 1 ? '' : `, ${placeInView(view, n, wording)}`
  const title = titleOf(isAll && n === 1 ? heading : `${isAll ? allAnimals : view.word}${page}`, publication)
  const about = view.about ? `, ${view.about}` : ''
  return documentOf(
    {
      path: nameOfPage(view, n),
      title,
      description: `${title}: ${wording.animals(view.animals.length)}${about}.`,
      body: headerOf(words, navigationOf(view, views, wording), publication) + main,
      data: isAll ? [...shelterData(publication), listData(animals, first, publication)] : [],
    },
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

function headerOf(words: string, navigation: string, publication: Publication): string {
  const { search, found, nothingFound, gone, goneHint } = publication.wording.language
  return `<header>
${headingOf(words, publication)}${waysOf(publication)}${navigation}<p id="pets-gone" role="status" data-gone="${gone} ${goneHint}" hidden></p>
<form id="pets-search" role="search" data-nothing="${nothingFound}" hidden><input type="search" autocomplete="off" aria-label="${search}" placeholder="${search}"></form>
<ul id="pets-found" aria-label="${found}" hidden></ul>
</header>
`
}

function navigationOf(view: View, views: readonly View[], wording: Wording): string {
  if (views.length < 2) return ''
  const items = views.map((one) => {
    const current = one === view ? ' aria-current="page"' : ''
    const words = `<bdi>${escaped(one.word)}</bdi> (${wording.number(one.animals.length)})`
    return `<li><a href="${nameOfPage(one, 1)}"${current}>${words}</a></li>\n`
  })
  return `<nav class="pets-kinds" aria-label="${wording.language.whichAnimals}">\n<ul>\n${items.join('')}</ul>\n</nav>\n`
}

/** As in "Page 2 of 3". */
function placeInView(view: View, n: number, { language, number }: Wording): string {
  return filled(language.page, { n: number(n), last: number(lastOf(view)) })
}

function paginationOf(view: View, n: number, wording: Wording): string {
  const last = lastOf(view)
  if (last < 2) return ''
  const { pages, previous, next } = wording.language
  const link = (to: number, words: string) => `<li><a href="${nameOfPage(view, to)}">${words}</a></li>\n`
  const [before, after] = [n > 1 ? link(n - 1, previous) : '', n < last ? link(n + 1, next) : '']
  const here = `<li>${placeInView(view, n, wording)}</li>\n`
  return `<nav aria-label="${pages}">\n<ul>\n${before}${here}${after}</ul>\n</nav>\n`
}

/** The addresses of pages for search engines, with when each changed: lists first, then animals. */
export function sitemapOf(
  lists: readonly string[],
  { animals, hasPages, url = '' }: Publication,
  modifiedMs: ModifiedMs,
): string {
  const paths = [...lists, ...(hasPages ? animals.map(({ id }) => animalPath(id)) : [])]
  const items = paths.slice(0, MOST_ADDRESSES).map((path) => {
    const modified = new Date(modifiedMs(path)).toISOString().slice(0, 10)
    return `<url><loc>${escaped(url + webPath(path))}</loc><lastmod>${modified}</lastmod></url>\n`
  })
  return `<?xml version="1.0" encoding="utf-8"?>
<!-- ${GENERATOR} -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${items.join('')}</urlset>
`
}
