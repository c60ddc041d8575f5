/** Resolves a category in a file: a number, a name in any case or language, or the name of a new category. */
import { foldWord } from '../common/fold.ts'
import { printable } from '../common/printable.ts'
import { parseInt64 } from '../contract/int64.ts'
import { INT64_RULE } from '../contract/validate.ts'
import { labelOf, UNNAMABLE } from '../rules/labels.ts'
import { freeNumbers } from '../store/categories.ts'
import { speciesOf } from './species.ts'

export type Gaps = Parameters<typeof freeNumbers>[0]

type Category = { readonly id: bigint } | { readonly problem: string }

export class Categories {
  readonly added = new Map<bigint, string>()
  readonly #labels: ReadonlyMap<bigint, string>
  readonly #byName = new Map<string, bigint[]>()
  readonly #byKind = new Map<string, bigint[]>()
  readonly #makes: boolean
  readonly #usedNumbers: Set<bigint>
  readonly #free: Generator<bigint, never>

  /** Unknown names become new categories if `gaps` contains free numbers. */
  constructor(labels: ReadonlyMap<bigint, string>, gaps?: Gaps) {
    this.#labels = labels
    this.#makes = gaps !== undefined
    this.#usedNumbers = new Set(labels.keys())
    this.#free = freeNumbers(gaps ?? [], this.#usedNumbers)
    for (const [id, label] of labels) this.#name(id, label)
  }

  of(value: string): Category {
    const number = parseInt64(value.replace(/\.0+$/, ''))
    if (number !== undefined) {
      const label = this.added.get(number)
      this.#usedNumbers.add(number)
      if (label === undefined) return { id: number }
      return { problem: `is the number that "${printable(label)}" is given here; name it before` }
    }
    const name = foldWord(value)
    const [id, ...others] = this.#byName.get(name) ?? this.#ofKind(value)
    if (others.length > 0) return { problem: `could be ${[id, ...others].join(' or ')}; write the number` }
    if (id !== undefined) {
      this.#byName.set(name, [id])
      return { id }
    }
    if (/^[+-]?[\d.]+$/.test(value)) return { problem: INT64_RULE }
    if (!this.#makes) return { problem: 'is neither a whole number nor the name of a category' }
    if (labelOf(value) === undefined) return { problem: UNNAMABLE }
    const added = this.#free.next().value
    this.added.set(added, value)
    this.#name(added, value)
    return { id: added }
  }

  has(value: string): boolean {
    const number = parseInt64(value)
    return number === undefined ? !('problem' in this.of(value)) : this.#labels.has(number)
  }

  #ofKind(value: string): readonly bigint[] {
    const ids = this.#byKind.get(speciesOf(value) ?? '') ?? []
    return ids.length === 1 ? ids : []
  }

  #name(id: bigint, label: string): void {
    this.#byName.set(foldWord(label), [...(this.#byName.get(foldWord(label)) ?? []), id])
    const kind = speciesOf(label)
    if (kind !== undefined) this.#byKind.set(kind, [...(this.#byKind.get(kind) ?? []), id])
  }
}
