/** Makes the files of the public page from what the store holds, and brings them into their folder. */
import { AnimalsWriter } from '../animals-file/write.ts'
import { counted } from '../common/counted.ts'
import { ExplainedError } from '../common/errors.ts'
import { petJson } from '../contract/json.ts'
import { shelterZone } from '../domain/zone.ts'
import type { Provenance } from '../store/origins.ts'
import type { StoredPet } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { waitOf } from '../store/waits.ts'
import { shelvesOf } from './animal-page.ts'
import type { Publication, PublishedAnimal } from './document.ts'
import { type Feed, feedOf } from './feed.ts'
import { NAMES, type NewFile, readText, shelfNames, writeFiles } from './folder.ts'
import { english, LANGUAGES } from './languages/index.ts'
import { pagesOf } from './page.ts'
import type { PageConfig } from './page-config.ts'
import { embedScript, pageScript } from './scripts.ts'
import { ICON, STYLE } from './style.ts'
import { Wording } from './words.ts'

/** Limits of memory: animals, and UTF-16 units of their names. */
const MOST_ANIMALS = 120_000
const MOST_TEXT = 32 << 20
/** Beyond so many animals each has a page of its own only where that is asked for. */
const MOST_PAGES = 10_000
/** Animals of which more is asked at once. */
const BATCH = 1_000

/**
 * Tells how many animals are published, and the files that were written, as the names of the main ones and how many
 * others; none if all of them said so already. Throws ExplainedError, or what the store throws.
 */
export async function publish(store: Store, config: PageConfig, nowMs: number) {
  const { folder, statuses } = config
  const publication = await publicationOf(store, config)
  const [before, register] = [readText(folder, 'feed.atom'), await store.words.register()]
  const feed = { register, choice: statuses.toSorted().join(' '), before, nowMs }
  const shelves = publication.hasPages ? shelvesOf(publication, shelfNames(folder), nowMs) : []
  const files = writeFiles(folder, filesOf(publication, feed), shelves)
  const mainFiles = NAMES.filter((name) => files.includes(name))
  const rest = files.length - mainFiles.length
  const others = rest === 0 ? [] : [counted(rest, 'other file')]
  return { animals: publication.animals.length, files: [...mainFiles, ...others] }
}

function* filesOf(publication: Publication, feed: Feed): Generator<NewFile> {
  const { animals, heading } = publication
  yield ['page.js', pageScript(publication)]
  yield ['embed.js', embedScript(heading)]
  yield ['style.css', STYLE]
  yield ['favicon.svg', ICON]
  yield* pagesOf(publication)
  yield ['feed.atom', feedOf(publication, feed)]
  const objects = animals.map(({ id, name, categoryId, status }) => petJson(id, name, categoryId, status))
  yield ['animals.json', `[${objects.join(',\n')}]\n`]
  const csv = new AnimalsWriter('csv', { forSpreadsheet: true })
  yield ['animals.csv', [csv.header, ...csv.rows(animals)].join('')]
}

/** What page.conf says goes before what the office says. */
async function publicationOf(store: Store, config: PageConfig): Promise<Publication> {
  const shelter = await store.words.shelter()
  const language = LANGUAGES.get(config.language ?? shelter.language ?? '') ?? english
  const pets = await newestFirst(store, config)
  const animalPages = config['animal-pages']
  const hasPages = animalPages === undefined ? pets.length <= MOST_PAGES : animalPages === 'yes'
  const photos = config['photo-url']
  return {
    heading: config.title ?? language.ourAnimals,
    contact: {
      name: shelter.name,
      telephone: config.telephone ?? shelter.telephone,
      email: config.email ?? shelter.email,
      address: shelter.address,
      adopt: config['adopt-url'] ?? shelter.adopt,
    },
    animals: hasPages || photos !== undefined ? await describe(store, pets, photos) : pets,
    hasPages,
    wording: new Wording(language, await store.categories.names(), await store.words.ofStatuses()),
    url: folderOf(config.url ?? shelter.page),
  }
}

/** Where the folder of the page is, of the address of the folder or of a page in it. */
function folderOf(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined
  const { origin, pathname } = new URL(address)
  const last = pathname.slice(pathname.lastIndexOf('/') + 1)
  return new URL(last === '' || last.includes('.') ? '.' : `./${last}/`, origin + pathname).href
}

/** Throws ExplainedError if they are too many. */
async function newestFirst(store: Store, { statuses }: PageConfig): Promise<readonly StoredPet[]> {
  const animals: StoredPet[] = []
  let text = 0
  for await (const pets of store.pets.export(undefined, statuses)) {
    for (const pet of pets) text += pet.name.length
    animals.push(...pets)
    if (animals.length <= MOST_ANIMALS && text <= MOST_TEXT) continue
    throw new ExplainedError(
      `There are more animals than a page can show: ${MOST_ANIMALS} at most, with ${MOST_TEXT} characters of names; name fewer statuses.`,
    )
  }
  return animals.reverse()
}

/** With what is known of them besides. */
async function describe(store: Store, pets: readonly StoredPet[], photos: string | undefined) {
  const animals: PublishedAnimal[] = []
  const zone = await shelterZone(store)
  for (let n = 0; n < pets.length; n += BATCH) {
    const batch = pets.slice(n, n + BATCH)
    const origins = await store.origins.provenance(batch.map(({ id }) => BigInt(id)))
    for (const [at, { id, name, categoryId, status }] of batch.entries()) {
      const [sinceMs, photo] = [waitOf(origins[at], zone)?.sinceMs, photoAt(photos, id, origins[at])]
      animals.push({ id, name, categoryId, status, sinceMs, photo })
    }
  }
  return animals
}

/** None if the pattern has the reference, and that is not known. */
function photoAt(pattern: string | undefined, id: string, origin: Provenance | undefined): string | undefined {
  const isReference = pattern?.includes('{reference}') === true
  const value = isReference ? origin?.reference : id
  const place = isReference ? '{reference}' : '{number}'
  return value === undefined ? undefined : pattern?.replace(place, () => encodeURIComponent(value.toWellFormed()))
}
