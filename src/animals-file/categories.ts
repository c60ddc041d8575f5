/**
 * Resolves a category in a file: a number, or the name of a category. Names match in any case, without accents, in the
 * singular or plural, and in any of the languages, if exactly one category fits. Unknown names can become new
 * categories.
 */
import { foldWord } from '../common/fold.ts'
import { printable } from '../common/printable.ts'
import { parseInt64 } from '../contract/int64.ts'
import { INT64_RULE } from '../contract/validate.ts'
import { type CategoryStore, freeNumbers } from '../store/categories.ts'
import { pluralOf, singularsOf, speciesOf } from './species.ts'

const NAMES_SHOWN = 10

/** How unknown names become new categories. */
interface NewCategories {
  readonly used: Iterable<bigint>
  /** Says what a name may be; `isName` checks it. */
  readonly rule: string
  isName(text: string): boolean
  /** New categories were not asked for, but the database has none yet. */
  readonly isFirst?: boolean
}

/** The category of a value; `as` is its name, if the value is another form of that name. */
type Category = { readonly id: bigint; readonly as?: string } | { readonly problem: string }

export class Categories {
  /** The new categories: name by number. */
  readonly added = new Map<bigint, string>()
  readonly #labels: Map<bigint, string>
  readonly #byName = new Map<string, Set<bigint>>()
  /** The ids of the database's categories, by species. */
  readonly #byKind = new Map<string, Set<bigint>>()
  readonly #making: NewCategories | undefined
  /** Numbers that a new category must not get; maintained only if there can be new ones. */
  readonly #taken: Set<bigint>
  readonly #free: Generator<bigint, never>

  constructor(labels: ReadonlyMap<bigint, string>, making?: NewCategories) {
    this.#labels = new Map(labels)
    this.#making = making
    this.#taken = new Set([...labels.keys(), ...(making?.used ?? [])])
    this.#free = freeNumbers(this.#taken)
    for (const [id, label] of labels) {
      this.#index(id, label)
      const kind = speciesOf(label)
      if (kind !== undefined) this.#byKind.set(kind, (this.#byKind.get(kind) ?? new Set()).add(id))
    }
  }

  /** The category of a non-empty value. In a column of numbers, names become new categories only on request. */
  of(value: string, isOfNumbers = false): Category {
    const number = parseInt64(value.replace(/\.0+$/, ''))
    if (number !== undefined) return this.#numbered(number)
    const name = foldWord(value)
    const exact = this.#byName.get(name)
    const plural = new Set([pluralOf(name), ...singularsOf(name)].flatMap((one) => [...(this.#byName.get(one) ?? [])]))
    const ofKind = this.#byKind.get(speciesOf(value) ?? '')
    const found = exact ?? (ofKind?.size === 1 && plural.size === 0 ? ofKind : plural)
    const [id, ...others] = found
    if (id !== undefined && others.length === 0) {
      return exact === undefined ? { id, as: this.#labels.get(id) ?? '' } : { id }
    }
    const ids = [...found].sort((a, b) => (a < b ? -1 : 1))
    if (id !== undefined) return { problem: `could be ${ids.join(' or ')}; write the number` }
    if (/^[+-]?[\d.]+$/.test(value)) return { problem: INT64_RULE }
    if (this.#making === undefined || (isOfNumbers && this.#making.isFirst))
      return { problem: unknown([...this.#labels.values()]) }
    return this.#making.isName(value) ? { id: this.#add(value) } : { problem: `cannot be a name: ${this.#making.rule}` }
  }

  #numbered(id: bigint): Category {
    const name = this.added.get(id)
    if (name !== undefined) return { problem: `is the number that "${printable(name)}" is given here; name it before` }
    if (this.#making !== undefined) this.#taken.add(id)
    return { id }
  }

  #add(label: string): bigint {
    const id = this.#free.next().value
    this.added.set(id, label)
    this.#labels.set(id, label)
    this.#index(id, label)
    return id
  }

  #index(id: bigint, label: string): void {
    const name = foldWord(label)
    this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(id))
  }
}

function unknown(names: readonly string[]): string {
  if (names.length === 0) return 'is not a whole number, and no category has a name yet'
  const shown = names.slice(0, NAMES_SHOWN).map((name) => printable(name))
  const more = names.length > shown.length ? `, … (${names.length} in all)` : ''
  return `is neither a whole number nor the name of a category: ${shown.join(', ')}${more}`
}

/** The categories of the database. Others can be added if `makesNew` is set, or if there are none yet. */
export async function categoriesFor(
  categories: CategoryStore,
  makesNew: boolean,
  naming: Pick<NewCategories, 'rule' | 'isName'>,
): Promise<Categories> {
  const [labels, used] = [await categories.names(), await categories.used()]
  const isFirst = labels.size === 0 && used.size === 0
  if (!makesNew && !isFirst) return new Categories(labels)
  return new Categories(labels, { used: used.keys(), isFirst: !makesNew, ...naming })
}
