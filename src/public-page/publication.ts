/** What the public page shows, as the store has it at one moment. */
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
  /** As the page calls them; the status only if animals of several statuses are shown. */
  readonly name: string
  readonly category: string
  readonly status: string | undefined
  /** When the day on which its wait began begins in UTC, in Unix ms; undefined if that is unknown, or it is sold. */
  readonly sinceMs: number | undefined
  /** Its page, or the place on a list to which the script leads. */
  readonly place: string
  /** The address of its picture. */
  readonly photo: string | undefined
}

export interface Publication {
  readonly heading: string
  /** Also how the shelter is reached. */
  readonly settings: Settings
  readonly statuses: readonly PetStatus[]
  /** Longest waiting first; animals of which that is unknown come before the others. */
  readonly animals: readonly PublishedAnimal[]
  /** Whether each animal has a page of its own. */
  readonly hasPages: boolean
  readonly wording: Wording
  readonly nowMs: number
  /** Today in the shelter, as it begins in UTC, in Unix ms. */
  readonly todayMs: number
  /** The identity of the register. */
  readonly register: string
  /** The address of the folder on the web, with a slash at its end; empty if it is unknown. */
  readonly url: string
}

/** Limits of memory: animals, and UTF-16 units of their names. */
const MOST_ANIMALS = 120_000
const MOST_TEXT = 32 << 20
/** With more animals, each has a page of its own only if the settings say so. */
const MOST_PAGES = 10_000
/** Animals whose arrivals are read at a time. */
const BATCH = 1_000

/** Throws ExplainedError if there are too many animals. */
export async function publicationOf(store: Store, nowMs: number): Promise<Publication> {
  const settings: Settings = await store.words.shelter()
  const { zone = machineZone(), photos } = settings
  const tag = PAGE_LANGUAGES.find((one) => one === settings.language) ?? 'en'
  const language = LANGUAGES[tag]
  // The words of the office are English, as the office is.
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

/** The address of the folder, from its own address or that of a page in it. */
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

/** `pets` come by number. */
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

/** Undefined if a value that the pattern asks for is unknown. */
function photoAt(pattern: string | undefined, values: Readonly<Record<string, string | undefined>>) {
  const [place = '', name = ''] = /\{(\w+)\}/.exec(pattern ?? '') ?? []
  const value = values[name]
  return value === undefined ? undefined : pattern?.replace(place, () => encodeURIComponent(value.toWellFormed()))
}
