/**
 * The page of one animal: what is known of it and how to ask for it. Its address is made of its number, so that a link
 * or a QR code leads to it for as long as it is published, and afterwards to the others.
 */
import { createHash } from 'node:crypto'
import { uptime } from 'node:os'
import type { Publication, PublishedAnimal } from './document.ts'
import { animalPath, contactOf, documentOf, factsOf, headingOf, type Page, photoOf, titleOf } from './document.ts'
import type { Shelf } from './folder.ts'
import { escaped, filled } from './words.ts'

/** Of each folder. */
const NUMBERS = 1_000n
/** All that may be known: how the page of one looks shows how all of them do. */
const EXAMPLE = { categoryId: '1', status: 'available', sinceMs: 0, photo: 'https://a/1.jpg' } as const

/** The pages of all animals, in their folders; `existing` are the names of the folders that are there already. */
export function shelvesOf(publication: Publication, existing: readonly string[], nowMs: number): readonly Shelf[] {
  const examples = [animalPage({ id: '1', name: 'Rex', ...EXAMPLE }, publication), gonePage('1', publication)]
  // To ten minutes. What was not on its disk when the power of the machine failed is compared again.
  const startedAt = String(Math.round((nowMs / 1_000 - uptime()) / 600))
  const frame = JSON.stringify([startedAt, publication.wording.statuses(), examples])
  const byName = Map.groupBy(publication.animals, ({ id }) => String(BigInt(id) / NUMBERS))
  return [...new Set([...existing, ...byName.keys()])].map((name) => {
    const animals = new Map((byName.get(name) ?? []).map((animal) => [animal.id, animal]))
    const hash = createHash('sha256').update(frame)
    for (const one of animals.values()) hash.update(JSON.stringify([one, publication.wording.category(one.categoryId)]))
    return {
      name,
      signature: hash.digest('base64url'),
      ids: [...animals.keys()],
      page: (id) => {
        const animal = animals.get(id)
        return [animalPath(id), animal === undefined ? gonePage(id, publication) : animalPage(animal, publication)]
      },
    }
  })
}

function animalPage(animal: PublishedAnimal, publication: Publication): string {
  const { wording } = publication
  const { id, categoryId, status, sinceMs, photo } = animal
  const { language } = wording
  const name = wording.nameOf(animal)
  const contact = contactOf(publication, `${name} (${id})`)
  const ask = filled(language.ask, { name: `<bdi>${escaped(name)}</bdi>`, id })
  const fact = (word: string, value: string, className = '') =>
    `<div><dt>${word}</dt> <dd${className}><bdi>${escaped(value)}</bdi></dd></div>\n`
  const main = [
    `${photoOf(animal, '')}<dl class="pets-facts">\n`,
    fact(language.kind, wording.category(categoryId)),
    status === undefined ? '' : fact(language.status, wording.status(status), ` class="pets-status pets-${status}"`),
    fact(language.number.replace('{id}', '').trim(), id),
    sinceMs === undefined ? '' : fact(language.since, wording.day(sinceMs)),
    `</dl>\n${contact === '' ? '' : `<h2>${language.interested}</h2>\n<p>${ask}</p>\n${contact}`}`,
  ]
  return pageOf(id, name, main.join(''), { description: `${name}: ${factsOf(animal, wording)}.`, photo }, publication)
}

/** In the place of the page of an animal that is not published any more; nothing of the animal is left on it. */
function gonePage(id: string, publication: Publication): string {
  const { gone, goneHint } = publication.wording.language
  const sentence = filled(gone, { id })
  const main = `<p>${goneHint}</p>\n${contactOf(publication, id)}`
  return pageOf(id, sentence, main, { description: sentence, isHidden: true }, publication)
}

function pageOf(
  id: string,
  heading: string,
  main: string,
  head: Omit<Page, 'path' | 'title' | 'body'>,
  publication: Publication,
) {
  const { pages, allAnimals } = publication.wording.language
  const body = `<main class="pets-one">
${headingOf(heading, publication)}${main}<nav aria-label="${pages}"><p><a href="../../index.html">${allAnimals}</a></p></nav>
</main>
`
  return documentOf({ ...head, path: animalPath(id), title: titleOf(heading, publication), body }, publication)
}
