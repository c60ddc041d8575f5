/**
 * The animals of the benchmark. Each one is a pure function of its number, so that every target holds the same animals,
 * a database of any size can be written as a stream, and what a correct answer must hold can be worked out here without
 * asking any of the targets.
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

export const STATUSES = ['available', 'pending', 'sold'] as const
type Status = (typeof STATUSES)[number]

export interface Animal {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status?: Status
}

/** Plain ASCII, which every part of every target handles on its fastest path. */
const NAMES = [
  'Rex',
  'Luna',
  'Biscuit',
  'Bella',
  'Max',
  'Nala',
  'Oreo',
  'Mochi',
  'Rosie',
  'Bruno',
  'Ginger',
  'Captain',
  'Pip',
]
const CSV_CHUNK_CHARACTERS = 1 << 16

/** 32 bits are enough to spread the statuses and names evenly, and are the same everywhere. */
function mix(index: number): number {
  let hash = Math.imul(index ^ 0x9e3779b9, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Sixty of a hundred are available, fifteen pending, twenty sold, and five have no status. */
function statusOf(hash: number): Status | undefined {
  const share = hash % 100
  if (share < 60) return 'available'
  if (share < 75) return 'pending'
  return share < 95 ? 'sold' : undefined
}

/** The animal that a new database gives the identifier `id` (1, 2, …) when the animals are added in order. */
export function animal(id: number): Animal {
  const hash = mix(id)
  const status = statusOf(hash)
  const name = `${NAMES[(hash >>> 8) % NAMES.length] ?? ''} ${id % 1000}`
  const categoryId = 1 + ((hash >>> 16) % 40)
  return status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }
}

/** What a list of a database of `count` animals holds: newest first. */
export function expectedList(count: number, limit: number, status: string | undefined): Animal[] {
  const found: Animal[] = []
  for (let id = count; id > 0 && found.length < limit; id--) {
    const candidate = animal(id)
    if (status === undefined || candidate.status === status) found.push(candidate)
  }
  return found
}

/** Writes the file that `pets import` reads: `name,categoryId,status`. */
export async function writeCsv(path: string, count: number): Promise<void> {
  const file = createWriteStream(path)
  let chunk = 'name,categoryId,status\n'
  for (let id = 1; id <= count; id++) {
    const { name, categoryId, status } = animal(id)
    chunk += `${name},${categoryId},${status ?? ''}\n`
    if (chunk.length >= CSV_CHUNK_CHARACTERS) {
      if (!file.write(chunk)) await once(file, 'drain')
      chunk = ''
    }
  }
  file.end(chunk)
  await once(file, 'close')
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let hash = Math.imul(state ^ (state >>> 15), 1 | state)
    hash = (hash + Math.imul(hash ^ (hash >>> 7), 61 | hash)) ^ hash
    return ((hash ^ (hash >>> 14)) >>> 0) / 2 ** 32
  }
}
