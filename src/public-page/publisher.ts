/** Writes the files of the public page to their folder. */
import { counted } from '../common/counted.ts'
import { petJson } from '../contract/json.ts'
import type { Store } from '../store/store.ts'
import { animalPagesOf } from './animal-page.ts'
import { feedOf } from './feed.ts'
import { animalIds, type ModifiedMs, NAMES, type NewFile, readText, writeFiles } from './folder.ts'
import { listPagesOf } from './lists.ts'
import { toScript } from './markup.ts'
import { type Publication, type PublishedAnimal, publicationOf } from './publication.ts'
import { embedScript, pageScript } from './scripts.ts'
import { ICON, STYLE } from './style.ts'

/** Returns what was published: the number of animals, the main files written, and how many others. */
export async function publish(store: Store, folder: string, nowMs: number) {
  const publication = await publicationOf(store, nowMs)
  const files = writeFiles(folder, (modifiedMs) => filesOf(publication, folder, modifiedMs), nowMs)
  const mainFiles = NAMES.filter((name) => files.includes(name))
  const rest = files.length - mainFiles.length
  const others = rest === 0 ? [] : [counted(rest, 'other file')]
  return { animals: publication.animals.length, files: [...mainFiles, ...others] }
}

/** Pages of animals come before the lists that link to them. */
function* filesOf(publication: Publication, folder: string, modifiedMs: ModifiedMs): Generator<NewFile> {
  if (publication.hasPages) yield* animalPagesOf(publication, animalIds(folder))
  yield ['page.js', pageScript(publication)]
  yield ['embed.js', embedScript(publication)]
  yield ['style.css', STYLE]
  yield ['favicon.svg', ICON]
  yield* listPagesOf(publication, modifiedMs)
  yield ['feed.atom', feedOf(publication, readText(folder, 'feed.atom'))]
  yield ['animals.json', `[${publication.animals.map((animal) => jsonOf(animal, publication)).join(',\n')}]\n`]
}

/** The animal as in the API, and what a website needs for its own list. */
function jsonOf({ pet, category, sinceMs, place, photo }: PublishedAnimal, { url }: Publication): string {
  const since = sinceMs === undefined ? undefined : new Date(sinceMs).toISOString().slice(0, 10)
  const more = toScript({ category, since, url: url + place, photo })
  return `${petJson(pet.id, pet.name, pet.categoryId, pet.status).slice(0, -1)},${more.slice(1)}`
}
