/**
 * Answers kept ready as text while the table is unchanged. The lists: the newest animals of each filter, and the page of
 * each length already joined. The animals: those fetched lately by id. The caller throws both away when the database
 * has changed elsewhere, so an answer from here is as fresh as one read from the table.
 */
import { Limit, type PetStatus } from '../../contract/schemas.ts'
import { toPage } from '../page.ts'
import type { PetPage, PetText } from '../store.ts'

/** One more than the longest page, to know whether more animals follow it. */
const KEPT = Limit.maximum + 1

/**
 * Longer texts are not kept but read from the table each time: a name may fill a whole body, and a hundred of those on
 * each of a hundred pages would not fit into memory. In UTF-16 units.
 */
const LONGEST_KEPT = 1_000

interface Newest {
  readonly pets: PetText[]
  readonly pages: (PetPage | undefined)[]
}

export class ReadyLists {
  readonly #newest = new Map<PetStatus | undefined, Newest>()
  /** Lists with a text too long to be kept, and after how many more animals it has left them. */
  readonly #unkept = new Map<PetStatus | undefined, number>()

  /** `load` reads the newest animals of a filter, at most as many as asked for, newest first. */
  page(status: PetStatus | undefined, limit: number, load: (count: number) => PetText[]): PetPage {
    let newest = this.#newest.get(status)
    if (newest === undefined) {
      if (this.#unkept.has(status)) return toPage(load(limit + 1), limit)
      newest = { pets: load(KEPT), pages: [] }
      if (newest.pets.some(isTooLong)) this.#unkept.set(status, KEPT)
      else this.#newest.set(status, newest)
    }
    const ready = newest.pages[limit]
    if (ready !== undefined) return ready
    const page = toPage(newest.pets, limit)
    newest.pages[limit] = page
    return page
  }

  /** Puts an animal that was just created at the head of the lists that it belongs to. */
  add(pet: PetText, status: PetStatus | undefined): void {
    for (const filter of status === undefined ? [undefined] : [undefined, status]) {
      if (isTooLong(pet)) {
        this.#newest.delete(filter)
        this.#unkept.set(filter, KEPT)
        continue
      }
      const more = this.#unkept.get(filter)
      if (more === 1) this.#unkept.delete(filter)
      else if (more !== undefined) this.#unkept.set(filter, more - 1)
      const newest = this.#newest.get(filter)
      if (newest === undefined) continue
      newest.pets.unshift(pet)
      if (newest.pets.length > KEPT) newest.pets.pop()
      newest.pages.length = 0
    }
  }

  clear(): void {
    this.#newest.clear()
    this.#unkept.clear()
  }
}

function isTooLong({ json }: PetText): boolean {
  return json.length > LONGEST_KEPT
}

/**
 * Animals by id in a table of fixed size, where an id has one slot. A text stays in its slot until another id of the slot is
 * asked for twice in a row: where there are many more animals than slots hardly any is, and replacing texts that nobody asks
 * for again costs more than reading the animals did.
 */
export class ReadyPets {
  static readonly #SLOTS = 1 << 17
  /** The id whose text each slot holds. */
  readonly #ids = new BigInt64Array(ReadyPets.#SLOTS)
  #texts: (string | undefined)[] = []
  /** The id that each slot was last asked for in vain. */
  readonly #missed = new BigInt64Array(ReadyPets.#SLOTS)

  get(id: bigint): string | undefined {
    const slot = ReadyPets.#slot(id)
    return this.#ids[slot] === id ? this.#texts[slot] : undefined
  }

  set(id: bigint, json: string): void {
    if (json.length > LONGEST_KEPT) return
    const slot = ReadyPets.#slot(id)
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
    return Number(BigInt.asUintN(17, id)) // as many bits as number the slots
  }
}
