/** The page of one animal, which also shows other animals that wait. */
import { addressOf, documentOf, factsOf, itemOf, type Page, photoOf, waysOf } from './document.ts'
import { animalPath, type NewFile } from './folder.ts'
import { html } from './markup.ts'
import type { Publication, PublishedAnimal } from './publication.ts'
import { filled } from './words.ts'

const OTHERS = 3
const ROOT = '../../'

/** Also the pages of animals that left, which are among `existing`. */
export function* animalPagesOf(publication: Publication, existing: readonly string[]): Generator<NewFile> {
  const othersOf = otherAnimals(publication.animals)
  const gone = new Set(existing)
  for (const animal of publication.animals) {
    gone.delete(animal.pet.id)
    yield animalPage(animal, othersOf(animal), publication)
  }
  for (const id of gone) yield gonePage(id, publication)
}

/** The next animals in its category, then of all: if one leaves, few pages change. */
function otherAnimals(animals: readonly PublishedAnimal[]): (animal: PublishedAnimal) => readonly PublishedAnimal[] {
  const waiting = animals.filter(({ pet }) => pet.status !== 'sold')
  const others = new Map<PublishedAnimal, readonly PublishedAnimal[]>()
  for (const ring of [...Map.groupBy(waiting, ({ pet }) => pet.categoryId).values(), waiting]) {
    for (const [at, animal] of ring.entries()) {
      const next = [...ring.slice(at + 1, at + 1 + 2 * OTHERS), ...ring.slice(0, 2 * OTHERS)]
      const all = [...new Set([...(others.get(animal) ?? []), ...next])]
      others.set(animal, all.filter((one) => one !== animal).slice(0, OTHERS))
    }
  }
  return (animal) => others.get(animal) ?? waiting.slice(0, OTHERS)
}

function animalPage(animal: PublishedAnimal, others: readonly PublishedAnimal[], publication: Publication): NewFile {
  const { pet, name, category, status, sinceMs, photo } = animal
  const { wording } = publication
  const { kind, status: statusWord, waitsSince, number, interested, ask, othersWait } = wording.language
  const facts = [
    [kind, category],
    [statusWord, status],
    [waitsSince, sinceMs === undefined ? undefined : wording.day(sinceMs)],
    [number, pet.id],
  ].map(([word, value]) => value && html`<div><dt>${word}</dt> <dd><bdi>${value}</bdi></dd></div>\n`)
  const ways = waysOf(publication, { subject: `${name} (${pet.id})` })
  const [before, after] = filled(ask, { id: pet.id }).split('{name}')
  const items = others.map((one) => itemOf(one, publication, { root: ROOT }))
  const main = html`${photoOf(animal)}<dl class="pets-facts">
${facts}</dl>
${ways && html`<h2>${interested}</h2>\n<p>${before}<bdi>${name}</bdi>${after}</p>\n${ways}`}${
  items.length > 0 && html`<h2>${othersWait}</h2>\n<ul class="pets-animals">\n${items}</ul>\n`
}`
  const description = `${factsOf(animal, publication)}.`
  const url = addressOf(animalPath(pet.id), publication)
  const title = `${name}, ${category}`
  const mainEntity = { '@type': 'Thing', name, description, image: photo, url }
  const data = { '@type': 'WebPage', name: title, url, mainEntity }
  return pageOf(pet.id, { heading: name, title, description, main, data }, publication)
}

/** Replaces the page of an animal that left. */
function gonePage(id: string, publication: Publication): NewFile {
  const { gone, goneHint } = publication.wording.language
  const heading = filled(gone, { id })
  const main = html`<p>${goneHint}</p>\n${waysOf(publication, { subject: id })}`
  return pageOf(id, { heading, main }, publication)
}

function pageOf(id: string, page: Omit<Page, 'path' | 'className'>, publication: Publication): NewFile {
  const { pages, allAnimals } = publication.wording.language
  const back = html`<nav aria-label="${pages}"><p><a href="${ROOT}index.html">${allAnimals}</a></p></nav>\n`
  const path = animalPath(id)
  return [path, documentOf({ ...page, path, className: 'pets-one', main: html`${page.main}${back}` }, publication)]
}
