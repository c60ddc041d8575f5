/** Which animals a change reaches, and what it changes of each: the same on every engine. */
import type { PetChanges, PetRecord, Reach, Target } from '../records.ts'
import type { StoredPet } from '../rows.ts'

/** The versions that the changes depend on; undefined for those that do not. */
export function versionsOf(targets: readonly Target[]): ReadonlyMap<bigint, bigint | undefined> {
  return new Map(targets.map((one) => (typeof one === 'bigint' ? [one, undefined] : [one.id, one.version])))
}

/** Which of the animals a change reaches, and which not; `pets` are those found, of which `isOpen` says more. */
export function sortTargets(
  versions: ReadonlyMap<bigint, bigint | undefined>,
  pets: readonly PetRecord[],
  reach: Reach,
  isOpen: (pet: PetRecord) => boolean,
): {
  readonly reached: readonly PetRecord[]
  readonly missing: readonly bigint[]
  readonly conflicts: readonly PetRecord[]
} {
  const found = new Set(pets.map(({ id }) => BigInt(id)))
  const missing = [...versions.keys()].filter((id) => !found.has(id))
  const isReached = (pet: PetRecord) => (versions.get(BigInt(pet.id)) ?? pet.version) === pet.version && isOpen(pet)
  const conflicts = pets.filter((pet) => !isReached(pet))
  const isRefused = reach === 'all or none' && missing.length + conflicts.length > 0
  return { reached: isRefused ? [] : pets.filter(isReached), missing, conflicts }
}

/**
 * The values that a change replaces, and the new ones, as the journal has them; undefined if the animal already has
 * them.
 */
export function difference(pet: StoredPet, changes: PetChanges): { from: string; to: string } | undefined {
  const from: string[] = []
  const to: string[] = []
  const compare = (member: string, before: string, after: string) => {
    if (before === after) return
    from.push(`"${member}":${before}`)
    to.push(`"${member}":${after}`)
  }
  if (changes.name !== undefined) compare('name', JSON.stringify(pet.name), JSON.stringify(changes.name))
  if (changes.categoryId !== undefined) compare('categoryId', pet.categoryId, changes.categoryId.toString())
  if (changes.status !== undefined) {
    compare('status', JSON.stringify(pet.status ?? null), JSON.stringify(changes.status))
  }
  return from.length === 0 ? undefined : { from: `{${from.join(',')}}`, to: `{${to.join(',')}}` }
}
