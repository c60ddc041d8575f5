/**
 * Resolves a category in a file: a number, or a name in any case, number or language if exactly one category matches.
 * Unknown names can become new categories.
 */
import { foldWord } from '../common/fold.ts'
import { printable } from '../common/printable.ts'
import { parseInt64 } from '../contract/int64.ts'
import { INT64_RULE } from '../contract/validate.ts'
import { labelOf, UNNAMABLE } from '../rules/labels.ts'
import { freeNumbers } from '../store/categories.ts'
import type { Store } from '../store/store.ts'
import { singularsOf, speciesOf } from './species.ts'

const NAMES_SHOWN = 10

type Gaps = Parameters<typeof freeNumbers>[0]

type Category = { readonly id: bigint } | { readonly problem: string }

export class Categories {
  readonly added = new Map<bigint, string>()
  readonly #labels = new Map<bigint, string>()
  /** Category ids by folded names, by their forms, and by species. */
  readonly #byName = new Map<string, bigint[]>()
  readonly #byForm = new Map<string, bigint[]>()
  readonly #byKind: ReadonlyMap<string | undefined, readonly (readonly [bigint, string])[]>
  readonly #makes: boolean
  readonly #usedNumbers: Set<bigint>
  readonly #free: Generator<bigint, never>

  /** Unknown names become new categories if `gaps` contains free numbers. */
  constructor(labels: ReadonlyMap<bigint, string>, gaps?: Gaps) {
    this.#makes = gaps !== undefined
    this.#usedNumbers = new Set(labels.keys())
    this.#free = freeNumbers(gaps ?? [], this.#usedNumbers)
    this.#byKind = Map.groupBy(labels, ([, label]) => speciesOf(label))
    for (const [id, label] of labels) this.#name(id, label)
  }

  of(value: string): Category {
    const number = parseInt64(value.replace(/\.0+$/, ''))
    if (number !== undefined) {
      const label = this.added.get(number)
      if (this.#makes) this.#usedNumbers.add(number)
      if (label === undefined) return { id: number }
      return { problem: `is the number that "${printable(label)}" is given here; name it before` }
    }
    const name = foldWord(value)
    const exact = this.#byName.get(name) ?? []
    const plural = formsOf(name).flatMap((one) => this.#byForm.get(one) ?? [])
    const kind = speciesOf(value)
    const ofKind = kind === undefined ? [] : (this.#byKind.get(kind) ?? []).map(([id]) => id)
    const candidates = new Set(
      [exact, plural, ofKind.slice(0, ofKind.length === 1 ? 1 : 0)].find((ids) => ids.length > 0),
    )
    const [id, ...others] = [...candidates].sort((a, b) => (a < b ? -1 : 1))
    if (others.length > 0) return { problem: `could be ${[id, ...others].join(' or ')}; write the number` }
    if (id !== undefined) return { id }
    if (/^[+-]?[\d.]+$/.test(value)) return { problem: INT64_RULE }
    if (!this.#makes) return { problem: unknown([...this.#labels.values()]) }
    if (labelOf(value) === undefined) return { problem: UNNAMABLE }
    const added = this.#free.next().value
    this.added.set(added, value)
    this.#name(added, value)
    return { id: added }
  }

  #name(id: bigint, label: string): void {
    this.#labels.set(id, label)
    const name = foldWord(label)
    this.#byName.set(name, [...(this.#byName.get(name) ?? []), id])
    for (const form of formsOf(name)) this.#byForm.set(form, [...(this.#byForm.get(form) ?? []), id])
  }
}

/** The name and its possible singulars. Names are equal if they share a form. */
function formsOf(name: string): readonly string[] {
  return [name, ...singularsOf(name)]
}

function unknown(names: readonly string[]): string {
  if (names.length === 0) return 'is not a whole number, and no category has a name yet'
  const some = names.slice(0, NAMES_SHOWN).map((name) => printable(name))
  const more = names.length > some.length ? `, … (${names.length} in all)` : ''
  return `is neither a whole number nor the name of a category: ${some.join(', ')}${more}`
}

export interface KnownCategories {
  readonly labels: ReadonlyMap<bigint, string>
  readonly gaps: Gaps
}

export async function knownCategories(categories: Store['categories']): Promise<KnownCategories> {
  return { labels: await categories.names(), gaps: await categories.gaps() }
}
