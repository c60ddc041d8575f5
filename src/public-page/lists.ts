/** Lists of all animals and of each category, and a sitemap. */
import { addressOf, documentOf, itemOf, type Page, waysOf } from './document.ts'
import { animalPath, GENERATOR, type ModifiedMs, type NewFile } from './folder.ts'
import { html, type Markup } from './markup.ts'
import type { Publication, PublishedAnimal } from './publication.ts'
import { filled } from './words.ts'

/** `file` is the name of the first page without its ending. */
interface List {
  readonly file: string
  readonly word: string
  readonly animals: readonly PublishedAnimal[]
}

export const PER_PAGE = 100
/** The most addresses of a sitemap that search engines read. */
const MOST_ADDRESSES = 50_000

/** Pages come after those that they link to: the first page of all animals is last. */
export function* listPagesOf(publication: Publication, modifiedMs: ModifiedMs): Generator<NewFile> {
  const lists = listsOf(publication)
  const paths: string[] = []
  for (const list of lists.toReversed()) {
    for (let n = lastOf(list); n > 0; n -= 1) {
      paths.unshift(pathOf(list, n))
      yield [pathOf(list, n), pageOf(list, n, lists, publication)]
    }
  }
  if (publication.url !== '') yield ['sitemap.xml', sitemapOf(paths, publication, modifiedMs)]
}

function listsOf({ animals, wording }: Publication): readonly List[] {
  const all = { file: 'index', word: wording.language.allAnimals, animals }
  const categories = [...Map.groupBy(animals, ({ pet }) => pet.categoryId)]
    .map(([id, its]) => ({ file: `category-${id}`, word: wording.category(id), animals: its }))
    .sort((a, b) => wording.compare(a.word, b.word))
  return categories.length < 2 ? [all] : [all, ...categories]
}

function lastOf({ animals }: List): number {
  return Math.max(1, Math.ceil(animals.length / PER_PAGE))
}

function pathOf({ file }: List, n: number): string {
  if (n === 1) return `${file}.html`
  return `${file === 'index' ? 'page' : file}-${n}.html`
}

function pageOf(list: List, n: number, lists: readonly List[], publication: Publication): string {
  const { wording, heading } = publication
  const { whichAnimals, search, nothingFound, gone, goneHint, none } = wording.language
  const first = (n - 1) * PER_PAGE
  const animals = list.animals.slice(first, first + PER_PAGE)
  const isAll = list.file === 'index'
  const items = animals.map((animal) => itemOf(animal, publication, { showsCategory: isAll }))
  const categories = lists.map((one) => {
    const words = html`<bdi>${one.word}</bdi> (${wording.number(one.animals.length)})`
    return html`<li><a href="${pathOf(one, 1)}"${one === list && html` aria-current="page"`}>${words}</a></li>\n`
  })
  const header = html`${waysOf(publication)}${
    lists.length > 1 && html`<nav class="pets-kinds" aria-label="${whichAnimals}">\n<ul>\n${categories}</ul>\n</nav>\n`
  }<p id="pets-gone" role="status" data-gone="${gone} ${goneHint}" hidden></p>
<form id="pets-search" role="search" data-nothing="${nothingFound}" hidden><input type="search" autocomplete="off" aria-label="${search}" placeholder="${search}"></form>
<ul id="pets-found" aria-label="${search}" hidden></ul>
`
  const main = html`${items.length === 0 ? html`<p>${none}</p>\n` : html`<ul class="pets-animals">\n${items}</ul>\n`}${paginationOf(list, n, publication)}`
  const page: Page = {
    path: pathOf(list, n),
    heading: isAll ? heading : list.word,
    title: `${isAll && n === 1 ? heading : list.word}${n === 1 ? '' : `, ${placeInList(list, n, publication)}`}`,
    description: `${wording.animals(list.animals.length)}.`,
    className: 'pets-list',
    header,
    main,
    data: isAll ? listData(animals, first, publication) : undefined,
  }
  return documentOf(page, publication)
}

function listData(animals: readonly PublishedAnimal[], before: number, { url, heading }: Publication): object {
  return {
    '@type': 'ItemList',
    name: heading,
    numberOfItems: animals.length,
    itemListElement: animals.map(({ name, place }, n) => {
      return { '@type': 'ListItem', position: before + n + 1, name, url: url + place }
    }),
  }
}

function placeInList(list: List, n: number, { wording: { language, number } }: Publication): string {
  return filled(language.page, { n: number(n), last: number(lastOf(list)) })
}

function paginationOf(list: List, n: number, publication: Publication): Markup | undefined {
  const last = lastOf(list)
  if (last === 1) return undefined
  const { pages, previous, next } = publication.wording.language
  const link = (to: number, words: string) => html`<li><a href="${pathOf(list, to)}">${words}</a></li>\n`
  const items = [
    n > 1 && link(n - 1, previous),
    html`<li>${placeInList(list, n, publication)}</li>\n`,
    n < last && link(n + 1, next),
  ]
  return html`<nav aria-label="${pages}">\n<ul>\n${items}</ul>\n</nav>\n`
}

/** Lists first, then animals. */
export function sitemapOf(
  lists: readonly string[],
  publication: Pick<Publication, 'animals' | 'hasPages' | 'url'>,
  modifiedMs: ModifiedMs,
): string {
  const { animals, hasPages } = publication
  const paths = [...lists, ...(hasPages ? animals.map(({ pet }) => animalPath(pet.id)) : [])]
  const items = paths.slice(0, MOST_ADDRESSES).map((path) => {
    const modified = new Date(modifiedMs(path)).toISOString().slice(0, 10)
    return html`<url><loc>${addressOf(path, publication)}</loc><lastmod>${modified}</lastmod></url>\n`
  })
  return html`<?xml version="1.0" encoding="utf-8"?>
<!-- ${GENERATOR} -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${items}</urlset>
`.text
}
