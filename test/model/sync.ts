/** What a sync does to the animals of operator.ts. An undo restores each animal that is as the sync left it. */
import { isDeepStrictEqual } from 'node:util'
import * as operator from './operator.ts'
import type { Animal } from './pets.ts'

/** A row of the list; without a status it says nothing of it, null is none. */
interface Row {
  readonly reference: string
  readonly name: string
  readonly categoryId: bigint
  readonly status: string | null | undefined
  readonly isGone?: boolean
}

interface Options {
  readonly missing: 'keep' | 'sold' | 'remove'
  readonly adopts: boolean | readonly string[] | undefined
  readonly agrees: boolean
  readonly dryRun: boolean
  readonly source: string
}

type Kind = 'added' | 'adopted' | 'changed' | 'restored' | 'left' | 'marked' | 'removed'

interface Planned {
  readonly kind: Kind
  readonly id: bigint
  readonly reference: string
  readonly animal: Animal
}

interface Place {
  readonly animal: Animal
  readonly where: 'there' | 'removed'
  readonly reference: string | undefined
  readonly hasLeft: boolean
}

/** What a sync has made of an animal. */
interface Change {
  readonly id: bigint
  readonly before: Place | undefined
  readonly after: Place
  readonly entry: operator.Entry
}

interface Told {
  readonly n: number | undefined
  readonly counts: Record<Kind, number>
  readonly isRefused: boolean
}

const ACTS = {
  ...{ added: 'add', adopted: 'edit', changed: 'edit', restored: 'restore' },
  ...{ left: 'edit', marked: 'edit', removed: 'remove' },
}
const UNDOING: Readonly<Record<string, string>> = { add: 'remove', edit: 'edit', restore: 'remove', remove: 'restore' }
/** No time passes in the tests of syncs. */
const AT_MS = 1

export class SyncModel {
  readonly has = operator.emptyState()
  readonly #references = new Map<bigint, string>()
  /** The status of those who were marked as sold for being missing, before. */
  readonly #former = new Map<bigint, string | undefined>()
  /** Those that a list says have left, and that have no status since. */
  readonly #left = new Set<bigint>()
  readonly #syncs: { readonly changes: readonly Change[]; isUndone: boolean }[] = []

  /** Which syncs are undone, in their order. */
  get undone(): readonly boolean[] {
    return this.#syncs.map(({ isUndone }) => isUndone)
  }

  create(animal: Animal): bigint {
    const id = BigInt(this.has.given.size + 1)
    operator.give(this.has, id, animal)
    return id
  }

  /** A change by a person, who may do it or not. */
  act(id: bigint, act: 'edit' | 'remove' | 'restore', changes: operator.Changes): void {
    if (act === 'edit') operator.change(this.has, [id], changes, AT_MS)
    else if (act === 'remove') operator.remove(this.has, [id], AT_MS)
    else operator.restore(this.has, [id], AT_MS)
    if (this.at(id)?.animal.status !== undefined) this.#left.delete(id)
  }

  at(id: bigint): Place | undefined {
    const { animals, removed } = this.has
    const found = animals.get(id) ?? removed.get(id)
    if (found === undefined) return undefined
    const { name, categoryId, status } = found
    const where = animals.has(id) ? 'there' : 'removed'
    return {
      animal: { name, categoryId, status },
      where,
      reference: this.#references.get(id),
      hasLeft: this.#left.has(id),
    }
  }

  sync(rows: readonly Row[], { missing, adopts, agrees, dryRun, source }: Options): Told {
    const counts = { added: 0, adopted: 0, changed: 0, restored: 0, left: 0, marked: 0, removed: 0 }
    // Of several rows with one reference the last counts.
    const all = new Map<string, Row>()
    for (const row of rows) {
      all.delete(row.reference)
      all.set(row.reference, row)
    }
    const listed = new Map([...all].filter(([, { isGone }]) => !isGone))
    const plan = this.#planned(all, missing)
    const { alike, adopted } = this.#alike(listed)
    for (const [id, row] of adopted) {
      if (adopts !== true && !(Array.isArray(adopts) && adopts.includes(row.reference))) continue
      plan.push({ kind: 'adopted', id, reference: row.reference, animal: animalOf(row, this.at(id)?.animal) })
    }
    plan.sort((a, b) => (a.id < b.id ? -1 : 1))
    const known = new Set([...this.#references.values(), ...plan.map(({ reference }) => reference)])
    for (const row of listed.values()) {
      if (known.has(row.reference)) continue
      plan.push({ kind: 'added', id: 0n, reference: row.reference, animal: animalOf(row, undefined) })
    }
    for (const { kind } of plan) counts[kind] += 1
    const isRefused = (!agrees && this.#needsAgreement(plan, all, listed)) || (adopts === undefined && alike > 0)
    if (isRefused || dryRun) return { n: undefined, counts, isRefused }
    const n = plan.length === 0 ? undefined : this.#syncs.length + 1
    if (n !== undefined) {
      operator.enter(this.has, { atMs: AT_MS, act: 'sync', to: `{"animals":${plan.length},"source":"${source}"}` })
      this.#syncs.push({ changes: plan.map((one) => this.#carryOut(one)), isUndone: false })
    }
    for (const [id, reference] of this.#references) if (all.has(reference)) this.#former.delete(id)
    return { n, counts, isRefused }
  }

  #needsAgreement(plan: readonly Planned[], all: ReadonlyMap<string, Row>, listed: ReadonlyMap<string, Row>): boolean {
    const there = [...this.#references].filter(([id]) => this.has.animals.has(id))
    const isTouched = ({ kind, id, animal: { status } }: Planned) =>
      kind === 'left' ? this.at(id)?.animal.status !== status : ['changed', 'marked', 'removed'].includes(kind)
    const touched = plan.filter(isTouched).length
    const isOther = ({ kind, id, animal: { name, categoryId } }: Planned) => {
      const before = kind === 'changed' ? this.at(id)?.animal : undefined
      return before !== undefined && before.name !== name && before.categoryId !== categoryId
    }
    const known = new Set(this.#references.values())
    const newRows = [...listed.values()].filter(({ reference }) => !known.has(reference))
    const vanished = there.filter(([, reference]) => !all.has(reference))
    const isLikeNew = ([id]: readonly [bigint, string]) => {
      const { name, categoryId } = this.has.animals.get(id) ?? {}
      return newRows.some((row) => row.name === name && row.categoryId === categoryId)
    }
    const again = vanished.filter(isLikeNew).length
    const isRenumbered = vanished.length > 0 && 2 * vanished.length > there.length && 2 * again >= vanished.length
    return touched > 0.1 * there.length || plan.some(isOther) || isRenumbered
  }

  undo(n: number): { removed: number; putBack: number; kept: number } | undefined {
    const sync = this.#syncs[n - 1]
    if (sync === undefined || sync.isUndone) return undefined
    sync.isUndone = true
    const isAsLeft = ({ id, after }: Change) => isDeepStrictEqual(this.at(id), after)
    const back = sync.changes.filter(isAsLeft).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const removed = back.filter(({ before }) => before === undefined).length
    const told = { removed, putBack: back.length - removed, kept: sync.changes.length - back.length }
    const from = `{"animals":${removed},"putBack":${told.putBack}}`
    operator.enter(this.has, { atMs: AT_MS, act: 'undo import', from })
    for (const { id, before, after, entry } of back) {
      this.#put(id, before ?? { ...after, where: 'removed', reference: undefined })
      const { act, from: to, to: from } = entry
      operator.enter(this.has, { atMs: AT_MS, act: UNDOING[act] ?? '', animal: String(id), from, to })
    }
    return told
  }

  #planned(listed: ReadonlyMap<string, Row>, missing: Options['missing']): Planned[] {
    const plan: Planned[] = []
    for (const [id, reference] of this.#references) {
      const { animal, where } = this.at(id) ?? {}
      if (animal === undefined) continue
      const row = listed.get(reference)
      if (row?.isGone) {
        if (where === 'removed') continue
        const status = missing === 'sold' ? 'sold' : undefined
        if (missing === 'remove') plan.push({ kind: 'removed', id, reference, animal })
        else if (animal.status !== status || (status === undefined && !this.#left.has(id)))
          plan.push({ kind: 'left', id, reference, animal: { ...animal, status } })
        continue
      }
      const isMarked = this.#former.has(id) && animal.status === 'sold'
      const former = isMarked ? { ...animal, status: this.#former.get(id) } : animal
      const wanted = animalOf(row, row === undefined ? animal : former)
      const isOther = operator.differences(animal, wanted)[1].length > 0
      if (row !== undefined && where === 'removed') plan.push({ kind: 'restored', id, reference, animal: wanted })
      else if (row !== undefined && (isOther || this.#left.has(id)))
        plan.push({ kind: 'changed', id, reference, animal: wanted })
      if (row !== undefined || where === 'removed') continue
      if (missing === 'remove') plan.push({ kind: 'removed', id, reference, animal })
      if (missing === 'sold' && animal.status !== 'sold')
        plan.push({ kind: 'marked', id, reference, animal: { ...animal, status: 'sold' } })
    }
    return plan
  }

  /** New rows that look like animals that are there and not sold, and those that are one to one. */
  #alike(listed: ReadonlyMap<string, Row>): { alike: number; adopted: Map<bigint, Row> } {
    const known = new Set(this.#references.values())
    const newRows = [...listed.values()].filter(({ reference }) => !known.has(reference))
    const adopted = new Map<bigint, Row>()
    let alike = 0
    for (const row of newRows) {
      const isLike = ({ name, categoryId }: Animal | Row) => name === row.name && categoryId === row.categoryId
      const isFree = (id: bigint, { status }: Animal) => !this.#references.has(id) && status !== 'sold'
      const same = [...this.has.animals].filter(([id, animal]) => isFree(id, animal) && isLike(animal))
      if (same.length > 0) alike += 1
      const [[id] = []] = same
      if (id !== undefined && same.length === 1 && newRows.filter(isLike).length === 1) adopted.set(id, row)
    }
    return { alike, adopted }
  }

  #carryOut({ kind, reference, animal, id: known }: Planned): Change {
    const before = kind === 'added' ? undefined : this.at(known)
    const id = kind === 'added' ? this.create(animal) : known
    const [from, to] = operator.differences(before?.animal, animal)
    if (kind === 'adopted') from.push('"reference":null')
    if (kind === 'adopted' || kind === 'added') to.push(`"reference":"${reference}"`)
    const isGone = kind === 'left' && animal.status === undefined
    const told = kind === 'marked' ? ['"missing":true', ...to] : isGone ? ['"left":true', ...to] : to
    if (kind === 'changed' && to.length === 0) told.push('"left":false')
    const entry: operator.Entry = {
      atMs: AT_MS,
      act: ACTS[kind],
      animal: String(id),
      from: from.length === 0 ? undefined : `{${from}}`,
      to: told.length === 0 ? undefined : `{${told}}`,
    }
    operator.enter(this.has, entry)
    const hasLeft = isGone || (kind === 'removed' && this.#left.has(id))
    const after = { animal, where: kind === 'removed' ? 'removed' : 'there', reference, hasLeft } as const
    this.#put(id, after)
    if (kind === 'marked') this.#former.set(id, before?.animal.status)
    return { id, before, after, entry }
  }

  #put(id: bigint, place: Place | undefined): void {
    const { animals, removed } = this.has
    animals.delete(id)
    removed.delete(id)
    this.#references.delete(id)
    this.#left.delete(id)
    if (place?.reference === undefined) this.#former.delete(id)
    if (place === undefined) return
    if (place.hasLeft) this.#left.add(id)
    if (place.where === 'there') animals.set(id, place.animal)
    else removed.set(id, { ...place.animal, atMs: AT_MS })
    if (place.reference !== undefined) this.#references.set(id, place.reference)
  }
}

function animalOf(row: Row | undefined, present: Animal | undefined): Animal {
  const { name, categoryId } = row ?? present ?? { name: '', categoryId: 0n }
  return { name, categoryId, status: row?.status === undefined ? present?.status : (row.status ?? undefined) }
}
