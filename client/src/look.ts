/**
 * Whether an animal whose response was lost was added, as far as a list can tell. The interface promises no order; this
 * takes the list for the newest first, with ids that grow, and says that it cannot tell where the list looks otherwise.
 */
import type { NewPet, Pet } from './types.ts'

/** The most animals that a list gives. */
export const LOOKED_AT = 100

/** A `createPet` that is under way. */
interface Sent {
  readonly pet: NewPet
  /** The greatest id that was seen before it was sent; undefined if no animal was. */
  readonly knownId: bigint | undefined
  /** The ids of animals like it that other calls of this client have added meanwhile. */
  readonly taken: Set<bigint>
}

/** The animal, `absent`, or a sentence that says why nobody can tell. */
type Finding = { readonly pet: Pet } | 'absent' | { readonly why: string }

/** Remembers what has to be known before an animal is sent in order to find it afterwards. */
export class Lookout {
  #knownId: bigint | undefined
  readonly #underWay = new Set<Sent>()

  /** Whether an animal that is there now could be told from one that is added later. */
  get isReady(): boolean {
    return this.#knownId !== undefined
  }

  /** A list of the service, of which all animals were there before anything that is sent from now on. */
  saw(pets: readonly Pet[]): void {
    // No int64 is as small, so after an empty list every animal is new.
    for (const id of [-(2n ** 63n) - 1n, ...pets.map((pet) => pet.id)]) {
      if (this.#knownId === undefined || id > this.#knownId) this.#knownId = id
    }
  }

  begin(pet: NewPet): Sent {
    const sent: Sent = { pet, knownId: this.#knownId, taken: new Set() }
    this.#underWay.add(sent)
    return sent
  }

  end(sent: Sent, added: Pet | undefined): void {
    this.#underWay.delete(sent)
    if (added === undefined) return
    this.saw([added])
    for (const { pet, taken } of this.#underWay) if (isLike(pet, added)) taken.add(added.id)
  }

  /** `newest` is the list of `LOOKED_AT` animals of the status, asked for after the response was lost. */
  find(sent: Sent, newest: readonly Pet[]): Finding {
    const { pet, knownId, taken } = sent
    const isOther = [...this.#underWay].some((other) => other !== sent && isLike(other.pet, pet))
    if (isOther) return { why: 'another call is adding an animal like it' }
    const alike = newest.filter((each) => isLike(pet, each) && !taken.has(each.id))
    const fresh = alike.filter(({ id }) => knownId === undefined || id > knownId)
    const [only] = fresh
    if (only !== undefined && fresh.length === 1 && knownId !== undefined) return { pet: only }
    if (only !== undefined) return { why: `${fresh.length} like it are there` }
    if (newest.length < LOOKED_AT) return 'absent'
    const isNewestFirst = newest.every(({ id }, index) => index === 0 || id < (newest[index - 1]?.id ?? id))
    if (!isNewestFirst) return { why: 'the list does not begin with the newest' }
    const oldest = newest.at(-1)
    const isReached = knownId !== undefined && oldest !== undefined && oldest.id <= knownId
    return isReached ? 'absent' : { why: `more than ${LOOKED_AT} animals are newer than it` }
  }
}

function isLike(pet: NewPet, other: NewPet): boolean {
  return pet.name === other.name && BigInt(pet.categoryId) === BigInt(other.categoryId) && pet.status === other.status
}
