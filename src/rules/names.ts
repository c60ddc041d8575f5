/** Names that people give: no two categories get one, and the words of statuses are distinct as people see them. */
import { foldWord } from '../common/fold.ts'
import { PetStatus } from '../contract/schemas.ts'

/** A category that was to have the name of another one. */
export interface SharedName {
  readonly id: bigint
  readonly other: bigint
  /** As the other one has it: without regard to case, accents, spaces and hyphens it is the same. */
  readonly label: string
}

/**
 * What naming these categories means where `labels` are the names of all: those whose name changes, and the first of the
 * new names that another category has too.
 */
export function toNaming(labels: ReadonlyMap<bigint, string>, names: ReadonlyMap<bigint, string | undefined>) {
  const changes = [...names]
    .map(([id, after]) => ({ id, before: labels.get(id), after }))
    .filter(({ before, after }) => before !== after)
  const all = new Map(labels)
  for (const { id, after } of changes) {
    if (after === undefined) all.delete(id)
    else all.set(id, after)
  }
  const changed = new Set(changes.map(({ id }) => id))
  return { changes, shared: sharedNames(all).find(({ id }) => changed.has(id)) }
}

/** Every category whose name is that of another one too. */
export function sharedNames(labels: ReadonlyMap<bigint, string>): readonly SharedName[] {
  const groups = Map.groupBy(labels, ([, label]) => foldWord(label))
  return [...groups.values()].flatMap((group) =>
    group.flatMap(([id]) => {
      const [other, label] = group.find(([one]) => one !== id) ?? []
      return other === undefined || label === undefined ? [] : [{ id, other, label }]
    }),
  )
}

/** By status; a status without a word is called as the interface calls it. */
export type StatusWords = Readonly<Partial<Record<PetStatus, string>>>

/** A status that was to have a word that is taken: by another status, or by what is said beside the statuses. */
export interface SharedWord {
  readonly status: PetStatus
  readonly other: string
}

/** Of an animal that has none. */
export const NO_STATUS = 'No status'
/** Said of animals beside the statuses. */
const OTHERS = [NO_STATUS, 'Removed', 'All']

/** The word for a status that the shelter has not given one. */
export function plainWord(status: PetStatus): string {
  return `${status.slice(0, 1).toUpperCase()}${status.slice(1)}`
}

/** The first of the changed statuses that would look like another one. */
export function sharedWord(
  before: StatusWords,
  words: ReadonlyMap<PetStatus, string | undefined>,
  changed: readonly PetStatus[],
): SharedWord | undefined {
  const pairs = PetStatus.enum.map((status) => {
    const word = words.has(status) ? words.get(status) : before[status]
    return [status, foldWord(word ?? plainWord(status))] as const
  })
  for (const status of changed) {
    const newWord = pairs.find(([one]) => one === status)?.[1]
    const other =
      pairs.find(([one, word]) => one !== status && (word === newWord || one === newWord))?.[0] ??
      OTHERS.find((one) => foldWord(one) === newWord)
    if (other !== undefined) return { status, other }
  }
  return undefined
}
