/** Makes the files of the public page from what the store holds, and brings them into their folder. */
import { DAY_MS } from '../common/clock.ts'
import { counted } from '../common/counted.ts'
import { ExplainedError } from '../common/errors.ts'
import { petJson } from '../contract/json.ts'
import { PetStatus } from '../contract/schemas.ts'
import { PAGE_LANGUAGES, type SettingName, type Settings, toStatuses } from '../domain/settings.ts'
import { machineZone } from '../domain/zone.ts'
import type { Provenance } from '../store/origins.ts'
import type { StoredAnimal } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { dayIn, waitOf } from '../store/waits.ts'
import { animalPagesOf } from './animal-page.ts'
import { type Publication, type PublishedAnimal, placeOf, toScript } from './document.ts'
import { type Feed, feedOf } from './feed.ts'
import { animalIds, type ModifiedMs, NAMES, type NewFile, readText, writeFiles } from './folder.ts'
import { LANGUAGES } from './languages.ts'
import { pagesOf } from './page.ts'
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
 * others; none if all of them said so already. `instead` goes before the settings of the shelter. Throws ExplainedError,
 * or what the store throws.
 */
export async function publish(store: Store, folder: string, nowMs: number, instead: Settings = {}) {
  const settings: Settings = { ...(await store.words.shelter()), ...instead }
  const statuses = toStatuses(settings.statuses ?? '') ?? ['available']
  const publication = await publicationOf(store, settings, statuses, nowMs)
  const [before, register] = [readText(folder, 'feed.atom'), await store.words.register()]
  const feed = { register, choice: statuses.toSorted().join(' '), before, nowMs }
  const existing = animalIds(folder)
  const files = writeFiles(folder, (modifiedMs) => filesOf(publication, existing, feed, modifiedMs), nowMs)
  const mainFiles = NAMES.filter((name) => files.includes(name))
  const rest = files.length - mainFiles.length
  const others = rest === 0 ? [] : [counted(rest, 'other file')]
  return { animals: publication.animals.length, files: [...mainFiles, ...others] }
}

/** The lists lead to the pages of animals, which come first. */
function* filesOf(
  publication: Publication,
  existing: readonly string[],
  feed: Feed,
  modifiedMs: ModifiedMs,
): Generator<NewFile> {
  if (publication.hasPages) yield* animalPagesOf(publication, existing)
  yield ['page.js', pageScript(publication)]
  yield ['embed.js', embedScript(publication)]
  yield ['style.css', STYLE]
  yield ['favicon.svg', ICON]
  yield* pagesOf(publication, modifiedMs)
  yield ['feed.atom', feedOf(publication, feed)]
  yield ['animals.json', `[${publication.animals.map((animal) => jsonOf(animal, publication)).join(',\n')}]\n`]
}

/** The Pet of the interface, with what a website needs to build a list of its own. */
function jsonOf(animal: PublishedAnimal, publication: Publication): string {
  const { id, name, categoryId, status, sinceMs, photo } = animal
  const { wording, url = '' } = publication
  const since = sinceMs === undefined ? undefined : new Date(sinceMs).toISOString().slice(0, 10)
  const more = { category: wording.category(categoryId), since, url: url + placeOf(animal, publication), photo }
  return `${petJson(id, name, categoryId, status).slice(0, -1)},${toScript(more).slice(1)}`
}

async function publicationOf(
  store: Store,
  settings: Settings,
  statuses: readonly PetStatus[],
  nowMs: number,
): Promise<Publication> {
  const { name, telephone, email, address, adopt, zone = machineZone(), photos } = settings
  const tag = PAGE_LANGUAGES.find((one) => one === settings.language) ?? 'en'
  const language = LANGUAGES[tag]
  // The words of the office are English, as the office is.
  const own = PetStatus.enum.map((status) => [status, settings[`${status}-${tag}` as SettingName]])
  const words = tag === 'en' ? await store.words.ofStatuses() : Object.fromEntries(own)
  const pets = await petsWith(store, statuses)
  const animalPages = settings['animal-pages']
  return {
    heading: settings.title ?? language.ourAnimals,
    contact: { name, telephone, email, address, adopt },
    animals: await longestWaitingFirst(store, pets, zone, photos),
    hasStatuses: statuses.length > 1,
    hasPages: animalPages === undefined ? pets.length <= MOST_PAGES : animalPages === 'yes',
    wording: new Wording(language, await store.categories.names(), words),
    todayMs: dayIn(zone, nowMs),
    url: folderOf(settings.page),
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
async function petsWith(store: Store, statuses: readonly PetStatus[]): Promise<readonly StoredAnimal[]> {
  const animals: StoredAnimal[] = []
  let text = 0
  for await (const pets of store.pets.export(undefined, statuses)) {
    for (const pet of pets) text += pet.name.length
    animals.push(...pets)
    if (animals.length <= MOST_ANIMALS && text <= MOST_TEXT) continue
    throw new ExplainedError(
      `There are more animals than a page can show: ${MOST_ANIMALS} at most, with ${MOST_TEXT} characters of names; name fewer statuses.`,
    )
  }
  return animals
}

async function longestWaitingFirst(
  store: Store,
  pets: readonly StoredAnimal[],
  zone: string,
  photos: string | undefined,
) {
  const animals: PublishedAnimal[] = []
  for (let n = 0; n < pets.length; n += BATCH) {
    const batch = pets.slice(n, n + BATCH)
    const origins = await store.origins.provenance(batch.map(({ id }) => BigInt(id)))
    for (const [at, { id, name, categoryId, status }] of batch.entries()) {
      const [sinceMs, photo] = [waitOf(origins[at], zone)?.sinceMs, photoAt(photos, id, origins[at])]
      animals.push({ id, name, categoryId, status, sinceMs, photo })
    }
  }
  // They come by number.
  return animals.sort((a, b) => (a.sinceMs ?? -DAY_MS) - (b.sinceMs ?? -DAY_MS))
}

/** None if the pattern has the reference, and that is not known. */
function photoAt(pattern: string | undefined, id: string, origin: Provenance | undefined): string | undefined {
  const isReference = pattern?.includes('{reference}') === true
  const value = isReference ? origin?.reference : id
  const place = isReference ? '{reference}' : '{number}'
  return value === undefined ? undefined : pattern?.replace(place, () => encodeURIComponent(value.toWellFormed()))
}
