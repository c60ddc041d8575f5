/** Which animals a change can reach, by what others did in the meantime, and what can be undone. */
import { readMembers } from './members.ts'

/** An animal to change, with the version that the author read if the change depends on it. */
export type ChangeTarget = bigint | { readonly id: bigint; readonly version: bigint }

/** What happens to the others if some animals are missing or have another version. */
export type ChangeMode = 'all or none' | 'all that can be'

interface VersionedAnimal {
  readonly id: string
  /** The number of its latest journal entry, or 0. */
  readonly version: bigint
  readonly removedAtMs: number | undefined
}

interface ChangeEntry {
  readonly n: bigint
  readonly petId: string | undefined
  readonly act: string
  readonly from: string | undefined
  readonly to: string | undefined
  readonly statusWas?: string | undefined
  readonly statusNow?: string | undefined
}

export function versionsOf(targets: readonly ChangeTarget[]): ReadonlyMap<bigint, bigint | undefined> {
  return new Map(targets.map((one) => (typeof one === 'bigint' ? [one, undefined] : [one.id, one.version])))
}

/** Splits the targets into reachable, missing and conflicting ones. `pets` are the existing animals. */
export function partition<Pet extends VersionedAnimal>(
  targets: readonly ChangeTarget[],
  pets: readonly Pet[],
  mode: ChangeMode,
  isOpen: (pet: Pet, isAsRead: boolean) => boolean,
) {
  const versions = versionsOf(targets)
  const ids = new Set(pets.map(({ id }) => BigInt(id)))
  const missing = [...versions.keys()].filter((id) => !ids.has(id))
  const open = pets.filter((pet) => isOpen(pet, (versions.get(BigInt(pet.id)) ?? pet.version) === pet.version))
  const conflicts = pets.filter((pet) => !open.includes(pet))
  const isRefused = mode === 'all or none' && missing.length + conflicts.length > 0
  return { reached: isRefused ? [] : open, missing, conflicts }
}

/** The animals whose members nobody has changed since. Any act except an edit changes the whole animal. */
export function untouched(
  targets: readonly ChangeTarget[],
  pets: readonly VersionedAnimal[],
  entries: readonly ChangeEntry[],
  members: readonly string[],
): ReadonlySet<string> {
  const versions = versionsOf(targets)
  const since = new Map(pets.map(({ id, version }) => [id, versions.get(BigInt(id)) ?? version]))
  const untouched = new Set(pets.filter(({ id, version }) => (since.get(id) ?? version) <= version).map(({ id }) => id))
  for (const { n, petId = '', act, from, to, statusWas, statusNow } of entries) {
    if (n <= (since.get(petId) ?? n)) continue
    const touched = Object.keys({ ...readMembers(from), ...readMembers(to) })
    if (statusWas !== statusNow) touched.push('status')
    if (act !== 'edit' || touched.some((member) => members.includes(member))) untouched.delete(petId)
  }
  return untouched
}

/** Animals of these entries, oldest first, that do not have their former values again. */
export function changedBy(entries: readonly ChangeEntry[]): ReadonlySet<bigint> {
  const changed = new Set<bigint>()
  for (const [id = '', its] of Map.groupBy(entries, ({ petId }) => petId)) {
    const before: Record<string, unknown> = {}
    const after: Record<string, unknown> = {}
    for (const { from, to } of its) {
      const [was, now] = [readMembers(from) as Record<string, unknown>, readMembers(to)]
      for (const [name, value] of Object.entries(now)) {
        if (!(name in before)) before[name] = was[name] ?? null
        after[name] = value
      }
    }
    const hasMoved = its[0]?.statusWas !== its.at(-1)?.statusNow
    if (hasMoved || Object.keys(after).some((name) => before[name] !== after[name])) changed.add(BigInt(id))
  }
  return changed
}

/** Acts that undo others. The undo of an edit has its values swapped. */
export const UNDONE_BY = { add: 'remove', edit: 'edit', restore: 'remove', remove: 'restore' } as const

export function isUndoable(act: string | undefined): act is keyof typeof UNDONE_BY {
  return act !== undefined && Object.hasOwn(UNDONE_BY, act)
}

export function mayUndo(act: string | undefined, isRemoved: boolean): boolean {
  return isUndoable(act) && isRemoved === (act === 'remove')
}

export const NO_IMPORT_TO_UNDO = 'There is no such import, or it is already undone'
