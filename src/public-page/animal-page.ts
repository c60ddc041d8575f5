/**
 * The page of one animal: what is known of it and how to ask for it. Its address is made of its number, so that a link
 * or a QR code leads to it for as long as it is published, and afterwards to the others.
 */
import { createHash } from 'node:crypto'
import { uptime } from 'node:os'
import {
  animalPath,
  contactOf,
  documentOf,
  factsOf,
  photoOf,
  type Shown,
  type ShownAnimal,
  shelterLine,
  titleOf,
} from './document.ts'
import type { Shelf } from './folder.ts'
import { escaped, filled } from './words.ts'

/** Of each folder. */
const NUMBERS = 1_000n
/** All that may be known: how the page of one looks shows how all of them do. */
const KNOWN = { categoryId: '1', status: 'available', sinceMs: 0, photo: 'https://a/1.jpg' } as const

/** When the machine has started, to ten minutes: what was not on its disk when the power failed is compared again. */
function bootOf(nowMs: number): string {
  return String(Math.round((nowMs / 1_000 - uptime()) / 600))
}

/** The pages of all animals, in their folders; `there` are the names of the folders that are there already. */
export function shelvesOf(shown: Shown, there: readonly string[], nowMs: number): readonly Shelf[] {
  const words = JSON.stringify(shown.wording.statuses())
  const frame = [
    bootOf(nowMs),
    words,
    ...animalPage({ id: '1', name: 'Rex', ...KNOWN }, shown),
    ...gonePage('1', shown),
  ].join('')
  const byName = Map.groupBy(shown.animals, ({ id }) => String(BigInt(id) / NUMBERS))
  return [...new Set([...there, ...byName.keys()])].map((name) => {
    const animals = new Map((byName.get(name) ?? []).map((animal) => [animal.id, animal]))
    const hash = createHash('sha256').update(frame)
    for (const one of animals.values()) hash.update(JSON.stringify([one, shown.wording.category(one.categoryId)]))
    return {
      name,
      signature: hash.digest('base64url'),
      ids: [...animals.keys()],
      page: (id) => {
        const animal = animals.get(id)
        return [animalPath(id), animal === undefined ? gonePage(id, shown) : animalPage(animal, shown)]
      },
    }
  })
}

function animalPage(animal: ShownAnimal, shown: Shown): readonly string[] {
  const { wording } = shown
  const { id, categoryId, status, sinceMs, photo } = animal
  const { language } = wording
  const name = wording.nameOf(animal)
  const contact = contactOf(shown, `${name} (${id})`)
  const fact = (word: string, value: string, className = '') =>
    `<dt>${word}</dt>\n<dd${className}><bdi>${escaped(value)}</bdi></dd>\n`
  const body = [
    `<main class="pets-one">
${shelterLine(shown)}<h1><bdi>${escaped(name)}</bdi></h1>
${photoOf(animal).replace(' loading="lazy"', '')}<dl class="pets-facts">
`,
    fact(language.kind, wording.category(categoryId)),
    status === undefined ? '' : fact(language.status, wording.status(status), ` class="pets-status pets-${status}"`),
    fact(language.number.replace('{id}', '').trim(), id),
    sinceMs === undefined ? '' : fact(language.since, wording.day(sinceMs)),
    '</dl>\n',
    contact === ''
      ? ''
      : `<h2>${language.interested}</h2>\n<p>${filled(language.ask, { name: `<bdi>${escaped(name)}</bdi>`, id })}</p>\n${contact}`,
    backLink(shown),
    '</main>\n',
  ]
  const description = `${name}: ${factsOf(animal, wording)}.`
  return documentOf({ path: animalPath(id), title: titleOf(name, shown), description, body, photo }, shown)
}

/** In the place of the page of an animal that is not published any more; nothing of the animal is left on it. */
function gonePage(id: string, shown: Shown): readonly string[] {
  const { gone, goneHint } = shown.wording.language
  const sentence = filled(gone, { id })
  const body = [
    `<main class="pets-one">\n${shelterLine(shown)}<h1>${sentence}</h1>\n<p>${goneHint}</p>\n`,
    contactOf(shown, id),
    backLink(shown),
    '</main>\n',
  ]
  const title = titleOf(sentence, shown)
  return documentOf({ path: animalPath(id), title, description: sentence, body, isHidden: true }, shown)
}

function backLink({ wording }: Shown): string {
  return `<nav aria-label="${wording.language.pages}"><p><a href="../../index.html">${wording.language.allAnimals}</a></p></nav>\n`
}
