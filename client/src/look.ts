/**
 * Finds out from a list whether an animal was added when its response was lost. The interface promises no order. This
 * search expects the newest animals first, with growing ids, and reports that it cannot tell if a list differs.
 */
import type { NewPet, Pet } from './types.ts'

/** The maximum page size of a list. */
export const MAX_PAGE_SIZE = 100

/** A `createPet` call in progress. */
interface Creation {
  readonly pet: NewPet
  /** The greatest id known before the call was sent. */
  readonly knownId: bigint
  /** The ids of equal animals that other calls of this client have added in the meantime. */
  readonly otherIds: Set<bigint>
}

/** The animal, `absent`, or a sentence that says why nobody can tell. */
type Finding = { readonly pet: Pet } | 'absent' | { readonly why: string }

/** Less than any int64, so that after an empty list every animal is new. */
const LEAST = -(2n ** 63n) - 1n

/** Records what is known before an animal is sent, so that the animal can be found afterwards. */
export class Lookout {
  #knownId: bigint | undefined
  readonly #underWay = new Set<Creation>()

  /** Whether animals that exist now can be told from those added later. */
  get isReady(): boolean {
    return this.#knownId !== undefined
  }

  /** Records animals that existed before any request that is sent from now on. */
  saw(pets: readonly Pet[]): void {
    this.#knownId ??= LEAST
    for (const { id } of pets) if (id > this.#knownId) this.#knownId = id
  }

  begin(pet: NewPet): Creation {
    const creation: Creation = { pet, knownId: this.#knownId ?? LEAST, otherIds: new Set() }
    this.#underWay.add(creation)
    return creation
  }

  end(creation: Creation, added: Pet | undefined): void {
    this.#underWay.delete(creation)
    if (!added) return
    this.saw([added])
    for (const { pet, otherIds } of this.#underWay) if (isLike(pet, added)) otherIds.add(added.id)
  }

  /** `newest` is the list of `MAX_PAGE_SIZE` animals of the status, asked for after the response was lost. */
  find(creation: Creation, newest: readonly Pet[]): Finding {
    const { pet, knownId, otherIds } = creation
    const isOther = [...this.#underWay].some((other) => other !== creation && isLike(other.pet, pet))
    if (isOther) return { why: 'another call is adding an animal like it' }
    const [only, ...more] = newest.filter((each) => isLike(pet, each) && each.id > knownId && !otherIds.has(each.id))
    if (only) return more.length > 0 ? { why: `${more.length + 1} like it are there` } : { pet: only }
    const oldest = newest[MAX_PAGE_SIZE - 1]
    if (!oldest) return 'absent'
    const isNewestFirst = newest.every(({ id }, index) => index === 0 || id < (newest[index - 1]?.id ?? id))
    if (!isNewestFirst) return { why: 'the list does not begin with the newest' }
    return oldest.id <= knownId ? 'absent' : { why: `more than ${MAX_PAGE_SIZE} animals are newer than it` }
  }
}

function isLike(pet: NewPet, other: NewPet): boolean {
  return pet.name === other.name && BigInt(pet.categoryId) === BigInt(other.categoryId) && pet.status === other.status
}
