/** Caches lists and recent animals as text. The caller clears both when another process has written. */
import { filterKey, matches, type PetFilter } from '../../../contract/pet-filter.ts'
import { Limit, type NewPet } from '../../../contract/schemas.ts'
import { isLong, toPage, toPaged } from '../../page.ts'
import type { PetJson, PetPage } from '../../store.ts'

const KEPT = Limit.maximum + 1

/** The most bytes of long texts in a list. */
const LONG_BYTES_KEPT = 8 << 20
/** The most lists; then the oldest is dropped, because clients choose filters. */
const LISTS_KEPT = 16

interface Newest {
  readonly filter: PetFilter
  readonly pets: PetJson<string | Buffer>[]
  readonly pages: (PetPage | undefined)[]
  bytes: number
  isCut: boolean
}

export class ListCache {
  readonly #newest = new Map<string, Newest>()

  /** `load` reads the newest animals of a filter, up to the number requested. */
  page(filter: PetFilter, limit: number, load: (count: number) => PetJson[]): PetPage {
    const newest = this.#newest.get(filterKey(filter)) ?? this.#keep(filter, load(KEPT))
    if (newest.isCut && newest.pets.length <= limit) return toPage(load(limit + 1), limit)
    const ready = newest.pages[limit]
    if (ready !== undefined) return ready
    const page = toPage(newest.pets, limit)
    newest.pages[limit] = page
    return page
  }

  #keep(filter: PetFilter, loaded: readonly PetJson[]): Newest {
    const pets = loaded.map(toPaged)
    const bytes = pets.reduce((sum, pet) => sum + longBytes(pet), 0)
    const newest = { filter, pets, pages: [], bytes, isCut: false }
    this.#newest.set(filterKey(filter), newest)
    const [first = ''] = this.#newest.keys()
    if (this.#newest.size > LISTS_KEPT) this.#newest.delete(first)
    shorten(newest)
    return newest
  }

  add(pet: NewPet, text: PetJson): void {
    const paged = toPaged(text)
    for (const newest of this.#newest.values()) {
      if (!matches(newest.filter, pet)) continue
      newest.pets.unshift(paged)
      newest.bytes += longBytes(paged)
      newest.pages.length = 0
      shorten(newest)
    }
  }

  clear(): void {
    this.#newest.clear()
  }
}

function shorten(newest: Newest): void {
  while (newest.pets.length > KEPT || newest.bytes > LONG_BYTES_KEPT) {
    const oldest = newest.pets.pop()
    if (oldest !== undefined) newest.bytes -= longBytes(oldest)
    newest.isCut = true
  }
}

function longBytes({ json }: PetJson<string | Buffer>): number {
  return typeof json === 'string' ? 0 : json.length
}

/** A text stays until another id of its slot is requested twice in a row, because replacing costs more than reading. */
export class PetCache {
  static readonly #SLOTS = 1 << 17
  #ids: BigInt64Array | undefined
  #texts: (string | undefined)[] = []
  /** The id of the last miss of each slot. */
  #missed: BigInt64Array | undefined

  get(id: bigint): string | undefined {
    const slot = PetCache.#slot(id)
    return this.#ids?.[slot] === id ? this.#texts[slot] : undefined
  }

  set(id: bigint, json: string): void {
    if (isLong(json)) return // there are many slots
    // A megabyte each, which a command does not need.
    this.#ids ??= new BigInt64Array(PetCache.#SLOTS)
    this.#missed ??= new BigInt64Array(PetCache.#SLOTS)
    const slot = PetCache.#slot(id)
    if (this.#texts[slot] === undefined || this.#missed[slot] === id) {
      this.#ids[slot] = id
      this.#texts[slot] = json
    }
    this.#missed[slot] = id
  }

  clear(): void {
    this.#texts = []
  }

  static #slot(id: bigint): number {
    return Number(BigInt.asUintN(17, id)) // as many bits as there are in a slot number
  }
}
