/** Makes the files of the public page from what the store holds, and brings them into their folder. */
import { AnimalsWriter } from '../animals-file/write.ts'
import { ExplainedError } from '../common/errors.ts'
import { petJson } from '../contract/json.ts'
import type { PetStatus } from '../contract/schemas.ts'
import type { StoredPet } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { feedOf } from './feed.ts'
import { type Files, NAMES, readText, writeFiles } from './folder.ts'
import { pagesOf } from './page.ts'
import type { PageConfig } from './page-config.ts'
import { searchScript } from './search.ts'

/** Limits of memory: animals, and UTF-16 units of their names. */
const MOST_ANIMALS = 120_000
const MOST_TEXT = 32 << 20

interface Published {
  readonly animals: number
  /** The names of the files that were written, and how many others; none if all of them said so already. */
  readonly written: readonly string[]
}

/** Throws ExplainedError, or what the store throws. */
export async function publish(store: Store, plan: PageConfig, nowMs: number): Promise<Published> {
  const { folder, statuses } = plan
  const animals = await newestFirst(store, statuses)
  const [labels, words] = [await store.categories.names(), await store.words.ofStatuses()]
  const { name, telephone, address } = await store.words.shelter()
  const title = plan.title ?? name ?? 'Our animals'
  const contact = [telephone, address].filter((line) => line !== undefined)
  const shown = { title, animals, labels, words, contact }
  const { 'index.html': page = [], 'fragment.html': fragment = [], ...more } = Object.fromEntries(pagesOf(shown))
  const before = readText(folder, 'feed.atom')
  const register = await store.words.register()
  const files: Files = {
    'index.html': page,
    'fragment.html': fragment,
    'feed.atom': [feedOf({ ...shown, register, choice: statuses.toSorted().join(' '), before, nowMs })],
    'animals.json': ['[', animals.map(toJson).join(',\n'), ']\n'],
    'animals.csv': csvOf(animals),
  }
  const others = new Map([...Object.entries(more), ['search.js', [searchScript(words)]] as const])
  const written = writeFiles(folder, files, others)
  const named = NAMES.filter((name) => written.includes(name))
  const rest = written.length - named.length
  return {
    animals: animals.length,
    written: [...named, ...(rest === 0 ? [] : [`${rest} other file${rest === 1 ? '' : 's'}`])],
  }
}

/** Throws ExplainedError if they are too many. */
async function newestFirst(store: Store, statuses: readonly PetStatus[]): Promise<readonly StoredPet[]> {
  const found: StoredPet[] = []
  let text = 0
  for await (const pets of store.pets.export(undefined, statuses)) {
    for (const pet of pets) text += pet.name.length
    found.push(...pets)
    if (found.length <= MOST_ANIMALS && text <= MOST_TEXT) continue
    throw new ExplainedError(
      `There are more animals than a page can show: ${MOST_ANIMALS} at most, with ${MOST_TEXT} characters of names; name fewer statuses.`,
    )
  }
  return found.reverse()
}

function toJson({ id, name, categoryId, status }: StoredPet): string {
  return petJson(id, name, categoryId, status)
}

/** As `pets export --for-spreadsheet` does: people open it with one. */
function csvOf(animals: readonly StoredPet[]): readonly string[] {
  const writer = new AnimalsWriter('csv', { forSpreadsheet: true })
  return [writer.header, writer.rows(animals)]
}
