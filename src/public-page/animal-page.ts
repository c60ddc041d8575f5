/**
 * The page of one animal: what is known of it, how to ask for it, and three others that wait. Its address is made of its
 * number, so that a link or a QR code leads to it for as long as it is published, and afterwards to the others.
 */
import {
  animalPath,
  documentOf,
  factsOf,
  headingOf,
  itemOf,
  type Page,
  type Publication,
  type PublishedAnimal,
  photoOf,
  shelterData,
  titleOf,
  waysOf,
} from './document.ts'
import type { NewFile } from './folder.ts'
import { escaped, filled } from './words.ts'

const OTHERS = 3
const ROOT = '../../'

/** The pages of all animals, and those of others that are there, by their numbers. */
export function* animalPagesOf(publication: Publication, existing: readonly string[]): Generator<NewFile> {
  const othersOf = otherAnimals(publication)
  const gone = new Set(existing)
  for (const animal of publication.animals) {
    gone.delete(animal.id)
    yield [animalPath(animal.id), animalPage(animal, othersOf(animal), publication)]
  }
  for (const id of gone) yield [animalPath(id), gonePage(id, publication)]
}

/** The next ones of its category that wait, then of all, as a list: who goes changes the pages of few others. */
function otherAnimals(publication: Publication): (animal: PublishedAnimal) => string {
  const waiting = publication.animals.filter(({ status }) => status !== 'sold')
  const ringOf = (animals: readonly PublishedAnimal[]) => {
    const places = new Map(animals.map(({ id }, place) => [id, place]))
    return ({ id }: PublishedAnimal) => {
      const next = (places.get(id) ?? -1) + 1
      return Array.from({ length: 2 * OTHERS }, (_, n) => animals[(next + n) % animals.length])
    }
  }
  const ofAll = ringOf(waiting)
  const ofCategory = new Map(
    [...Map.groupBy(waiting, ({ categoryId }) => categoryId)].map(([id, its]) => [id, ringOf(its)]),
  )
  return (animal) => {
    const next = new Set([...(ofCategory.get(animal.categoryId)?.(animal) ?? []), ...ofAll(animal)])
    const others = [...next].filter((one) => one !== undefined && one.id !== animal.id).slice(0, OTHERS)
    return others.map((one) => (one === undefined ? '' : itemOf(one, publication, ROOT, true))).join('')
  }
}

function animalPage(animal: PublishedAnimal, others: string, publication: Publication): string {
  const { wording, hasStatuses, url } = publication
  const { id, categoryId, status, sinceMs, photo } = animal
  const { language } = wording
  const name = wording.nameOf(animal)
  const category = wording.category(categoryId)
  const ways = waysOf(publication, { subject: `${name} (${id})` })
  const ask = filled(language.ask, { name: `<bdi>${escaped(name)}</bdi>`, id })
  const fact = (word: string, value: string | undefined) =>
    value === undefined ? '' : `<div><dt>${word}</dt> <dd><bdi>${escaped(value)}</bdi></dd></div>\n`
  const main = [
    `${photoOf(animal, '')}<dl class="pets-facts">\n`,
    fact(language.kind, category),
    fact(language.status, hasStatuses && status !== undefined ? wording.status(status) : undefined),
    fact(language.waitsSince, sinceMs === undefined || status === 'sold' ? undefined : wording.day(sinceMs)),
    fact(language.number, id),
    `</dl>\n${ways === '' ? '' : `<h2>${language.interested}</h2>\n<p>${ask}</p>\n${ways}`}`,
    others === '' ? '' : `<h2>${language.othersWait}</h2>\n<ul class="pets-animals">\n${others}</ul>\n`,
  ]
  const description = `${name}: ${factsOf(animal, publication)}.`
  const title = titleOf(`${name}, ${category}`, publication)
  const address = url === undefined ? undefined : url + animalPath(id)
  const mainEntity = { '@type': 'Thing', name, description, image: photo, url: address }
  const data = [{ '@type': 'WebPage', name: title, url: address, mainEntity }, ...shelterData(publication)]
  return pageOf(id, name, main.join(''), { title, description, data }, publication)
}

/** In the place of the page of an animal that is not published any more; nothing of the animal is left on it. */
function gonePage(id: string, publication: Publication): string {
  const { gone, goneHint } = publication.wording.language
  const heading = filled(gone, { id })
  const main = `<p>${goneHint}</p>\n${waysOf(publication, { subject: id })}`
  const title = titleOf(heading, publication)
  return pageOf(id, heading, main, { title, description: heading, isHidden: true }, publication)
}

function pageOf(
  id: string,
  heading: string,
  main: string,
  head: Omit<Page, 'path' | 'body'>,
  publication: Publication,
) {
  const { pages, allAnimals } = publication.wording.language
  const body = `<main class="pets-one">
${headingOf(heading, publication)}${main}<nav aria-label="${pages}"><p><a href="${ROOT}index.html">${allAnimals}</a></p></nav>
</main>
`
  return documentOf({ ...head, path: animalPath(id), body }, publication)
}
