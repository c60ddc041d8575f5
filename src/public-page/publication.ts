/** What the public page shows: a snapshot of the store. */
import { DAY_MS } from '../common/clock.ts'
import { ExplainedError } from '../common/errors.ts'
import { PetStatus } from '../contract/schemas.ts'
import { PAGE_LANGUAGES, type SettingName, type Settings, toStatuses } from '../domain/settings.ts'
import { machineZone } from '../domain/zone.ts'
import type { StoredAnimal } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { dayIn, waitOf } from '../store/waits.ts'
import { animalPath } from './folder.ts'
import { LANGUAGES } from './languages.ts'
import { type Wording, wordingOf } from './words.ts'

export interface PublishedAnimal {
  readonly pet: StoredAnimal
  /** In the page's words. A status only if the page shows several. */
  readonly name: string
  readonly category: string
  readonly status: string | undefined
  /** The first day of its wait as UTC midnight, Unix ms; undefined if unknown or sold. */
  readonly sinceMs: number | undefined
  /** Its page, or its place on a list. */
  readonly place: string
  /** Its address. */
  readonly photo: string | undefined
}

export interface Publication {
  readonly heading: string
  readonly settings: Settings
  readonly statuses: readonly PetStatus[]
  /** Longest waiting first, after animals with an unknown wait. */
  readonly animals: readonly PublishedAnimal[]
  readonly hasPages: boolean
  readonly wording: Wording
  readonly nowMs: number
  /** Today in the shelter as UTC midnight, Unix ms. */
  readonly todayMs: number
  /** The identity of the register. */
  readonly register: string
  /** The web address of the folder, with a slash at its end; empty if unknown. */
  readonly url: string
}

/** Limits of memory: animals, and UTF-16 units of their names. */
const MOST_ANIMALS = 120_000
const MOST_TEXT = 32 << 20
/** With more animals, the settings decide whether each has its own page. */
const MOST_PAGES = 10_000
const BATCH = 1_000

/** Throws ExplainedError if there are too many animals. */
export async function publicationOf(store: Store, nowMs: number): Promise<Publication> {
  const settings: Settings = await store.words.shelter()
  const { zone = machineZone(), photos } = settings
  const tag = PAGE_LANGUAGES.find((one) => one === settings.language) ?? 'en'
  const language = LANGUAGES[tag]
  // The office's words are English.
  const own = PetStatus.enum.map((status) => [status, settings[`${status}-${tag}` as SettingName]])
  const words = tag === 'en' ? await store.words.ofStatuses() : Object.fromEntries(own)
  const wording = wordingOf(language, await store.categories.names(), words)
  const statuses = toStatuses(settings.statuses ?? '') ?? ['available']
  const pets = await petsWith(store, statuses)
  const hasPages =
    settings['animal-pages'] === 'yes' || (settings['animal-pages'] !== 'no' && pets.length <= MOST_PAGES)
  const animals = (await longestWaitingFirst(store, pets, zone)).map(({ pet, sinceMs, reference }) => ({
    pet,
    name: wording.nameOf(pet),
    category: wording.category(pet.categoryId),
    status: statuses.length > 1 && pet.status !== undefined ? wording.status(pet.status) : undefined,
    sinceMs: pet.status === 'sold' ? undefined : sinceMs,
    place: hasPages ? animalPath(pet.id) : `index.html#pets-animal-${pet.id}`,
    photo: photoAt(photos, { number: pet.id, reference }),
  }))
  return {
    heading: settings.title ?? language.ourAnimals,
    settings,
    statuses,
    animals,
    hasPages,
    wording,
    nowMs,
    todayMs: dayIn(zone, nowMs),
    register: await store.words.register(),
    url: folderOf(settings.page),
  }
}

/** `address` can also be of a page in the folder. */
function folderOf(address = ''): string {
  const parsed = URL.parse(address)
  if (parsed === null) return ''
  const { origin, pathname } = parsed
  const last = pathname.slice(pathname.lastIndexOf('/') + 1)
  return new URL(last === '' || last.includes('.') ? '.' : `./${last}/`, origin + pathname).href
}

async function petsWith(store: Store, statuses: readonly PetStatus[]): Promise<readonly StoredAnimal[]> {
  const all: StoredAnimal[] = []
  let text = 0
  for await (const pets of store.pets.export(undefined, statuses)) {
    for (const pet of pets) text += pet.name.length
    all.push(...pets)
    if (all.length <= MOST_ANIMALS && text <= MOST_TEXT) continue
    throw new ExplainedError(
      `There are more animals than a page can show: ${MOST_ANIMALS} at most, with ${MOST_TEXT} characters of names; name fewer statuses.`,
    )
  }
  return all
}

async function longestWaitingFirst(store: Store, pets: readonly StoredAnimal[], zone: string) {
  const animals: { readonly pet: StoredAnimal; sinceMs: number | undefined; reference: string | undefined }[] = []
  for (let n = 0; n < pets.length; n += BATCH) {
    const batch = pets.slice(n, n + BATCH)
    const origins = await store.origins.provenance(batch.map(({ id }) => BigInt(id)))
    for (const [at, pet] of batch.entries())
      animals.push({ pet, sinceMs: waitOf(origins[at], zone)?.sinceMs, reference: origins[at]?.reference })
  }
  return animals.sort((a, b) => (a.sinceMs ?? -DAY_MS) - (b.sinceMs ?? -DAY_MS))
}

/** Undefined if a value of the pattern is unknown. */
function photoAt(pattern: string | undefined, values: Readonly<Record<string, string | undefined>>) {
  const [place = '', name = ''] = /\{(\w+)\}/.exec(pattern ?? '') ?? []
  const value = values[name]
  return value === undefined ? undefined : pattern?.replace(place, () => encodeURIComponent(value.toWellFormed()))
}
