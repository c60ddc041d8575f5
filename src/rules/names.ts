/** Names that people give: category names are unique, and words of statuses look different. */
import { foldWord } from '../common/fold.ts'
import { PetStatus } from '../contract/schemas.ts'

export interface SharedName {
  readonly id: bigint
  readonly other: bigint
  /** The name of the other category, which is equal without case, accents, spaces and hyphens. */
  readonly label: string
}

/** `labels` are all names. `shared` is the first new name that is taken. */
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

export function sharedNames(labels: ReadonlyMap<bigint, string>): readonly SharedName[] {
  const groups = Map.groupBy(labels, ([, label]) => foldWord(label))
  return [...groups.values()].flatMap((group) =>
    group.flatMap(([id]) => {
      const [other, label] = group.find(([one]) => one !== id) ?? []
      return other === undefined || label === undefined ? [] : [{ id, other, label }]
    }),
  )
}

/** By status. A status without a word has the API's name. */
export type StatusWords = Readonly<Partial<Record<PetStatus, string>>>

export interface SharedWord {
  readonly status: PetStatus
  readonly other: string
}

export const NO_STATUS = 'No status'
/** Words next to the statuses. */
const OTHERS = [NO_STATUS, 'Removed', 'All']

export function plainWord(status: PetStatus): string {
  return `${status.slice(0, 1).toUpperCase()}${status.slice(1)}`
}

/** The first changed status that would look like another one. */
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
