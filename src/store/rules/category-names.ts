/** When two categories have one name: as an import compares what stands in a file with the names. */
import { foldWord } from '../../common/fold.ts'
import type { SharedName } from '../categories.ts'

/** Categories named anew, with the names that they had. */
interface Naming {
  /** Only those whose name changes. */
  readonly changes: readonly { readonly id: bigint; readonly before: string | undefined; readonly after?: string }[]
  /** The first of the new names that another category has too. */
  readonly shared: SharedName | undefined
}

/** What naming these categories means where `labels` are the names of all. */
export function toNaming(labels: ReadonlyMap<bigint, string>, names: ReadonlyMap<bigint, string | undefined>): Naming {
  const changes = [...names].flatMap(([id, after]) => {
    const before = labels.get(id)
    return before === after ? [] : [{ id, before, ...(after !== undefined && { after }) }]
  })
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
    group.length === 1
      ? []
      : group.flatMap(([id]) => {
          const [other, label] = group.find(([one]) => one !== id) ?? []
          return other === undefined || label === undefined ? [] : [{ id, other, label }]
        }),
  )
}
