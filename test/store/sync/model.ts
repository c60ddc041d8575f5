/**
 * What a sync should do, told again over plain maps: an animal is where it is and as it is, and has a stack of the
 * changes that count. An undo takes back what is on the top of a stack.
 */
import type { PetStatus } from '../../../src/contract/schemas.ts'
import type { ListedPet, SyncKind, SyncOptions } from '../../../src/store/sync.ts'

export interface Values {
  readonly name: string
  readonly categoryId: bigint
  readonly status: PetStatus | null
}

interface State {
  readonly values: Values
  readonly where: 'there' | 'removed' | 'not yet'
  readonly reference: string | undefined
}

interface Change {
  /** The number of the sync; 0 for a person. */
  readonly n: number
  readonly before: State
  readonly entry: Entry
}

interface Entry {
  readonly act: string
  readonly petId: number | undefined
  readonly from: string | undefined
  readonly to: string | undefined
}

interface Told {
  readonly n: number | undefined
  readonly counts: Record<SyncKind, number>
  readonly refusal: string | undefined
}

const UNDOING: Readonly<Record<string, string>> = { add: 'remove', edit: 'edit', restore: 'remove', remove: 'restore' }

export class Model {
  readonly animals: State[] = []
  readonly journal: Entry[] = []
  readonly #stacks: Change[][] = []
  readonly #syncs: { readonly touched: readonly number[]; isUndone: boolean }[] = []

  create(values: Values): void {
    this.animals.push({ values, where: 'there', reference: undefined })
    this.#stacks.push([])
  }

  /** A change by a person, who may do it or not. */
  act(id: number, act: 'edit' | 'remove' | 'restore', changes: Partial<Values>): void {
    const now = this.#at(id)
    if (now.where !== (act === 'restore' ? 'removed' : 'there')) return
    const [from, to] = differences(now.values, { ...now.values, ...changes })
    if (act === 'edit' && to.length === 0) return
    const entry = act === 'edit' ? { from: `{${from}}`, to: `{${to}}` } : { from: undefined, to: undefined }
    const where = act === 'remove' ? 'removed' : 'there'
    this.#push(
      id,
      { n: 0, entry: { act, petId: id, ...entry } },
      { ...now, where, values: { ...now.values, ...changes } },
    )
  }

  sync(rows: readonly ListedPet[], { missing, adopts, most, dryRun, source }: SyncOptions): Told {
    const counts = { added: 0, adopted: 0, changed: 0, restored: 0, marked: 0, removed: 0 }
    const listed = new Map(rows.map((row) => [row.reference, row]))
    const isOther = (row: ListedPet) => {
      const { name, categoryId, status } = listed.get(row.reference) ?? row
      return name !== row.name || categoryId !== row.categoryId || status !== row.status
    }
    if (rows.some(isOther)) return { n: undefined, counts, refusal: 'repeated' }
    const plan = this.#planned(listed, missing)
    const { alike, adopted } = this.#alike(listed)
    const isAdopted = (reference: string) => adopts === true && [...adopted.values()].includes(reference)
    for (const [id, reference] of adopts === true ? adopted : []) {
      plan.push({ kind: 'adopted', id, reference, values: valuesOf(listed.get(reference), this.#at(id).values) })
    }
    plan.sort((a, b) => a.id - b.id)
    for (const row of listed.values()) {
      if (this.#known(row.reference) !== undefined || isAdopted(row.reference)) continue
      plan.push({ kind: 'added', id: 0, reference: row.reference, values: valuesOf(row, undefined) })
    }
    for (const { kind } of plan) counts[kind] += 1
    const referenced = this.animals.filter(
      ({ where, reference }) => where === 'there' && reference !== undefined,
    ).length
    const touched = counts.changed + counts.marked + counts.removed
    const refusal = adopts === undefined && alike > 0 ? 'alike' : touched > most * referenced ? 'too many' : undefined
    if (refusal !== undefined || dryRun || plan.length === 0) return { n: undefined, counts, refusal }
    const n = this.#syncs.length + 1
    this.#syncs.push({ touched: plan.map((one) => this.#carryOut(n, one)), isUndone: false })
    this.journal.push({
      act: 'sync',
      petId: undefined,
      from: undefined,
      to: `{"import":${n},"animals":${plan.length},"source":"${source}"}`,
    })
    return { n, counts, refusal }
  }

  undo(n: number): { removed: number; putBack: number; kept: number } | undefined {
    const sync = this.#syncs[n - 1]
    if (sync === undefined || sync.isUndone) return undefined
    sync.isUndone = true
    const told = { removed: 0, putBack: 0, kept: 0 }
    for (const id of sync.touched.toSorted((a, b) => a - b)) {
      const last = this.#stacks[id - 1]?.at(-1)
      if (last?.n !== n) {
        told.kept += 1
        continue
      }
      const { act, from, to } = last.entry
      told[act === 'add' ? 'removed' : 'putBack'] += 1
      this.#stacks[id - 1]?.pop()
      this.animals[id - 1] = last.before.where === 'not yet' ? { ...last.before, where: 'removed' } : last.before
      this.journal.push({ act: UNDOING[act] ?? '', petId: id, from: to, to: from })
    }
    const { removed, putBack } = told
    this.journal.push({
      act: 'undo import',
      petId: undefined,
      from: `{"import":${n},"animals":${removed},"putBack":${putBack}}`,
      to: undefined,
    })
    return told
  }

  #planned(listed: ReadonlyMap<string, ListedPet>, missing: SyncOptions['missing']) {
    const plan: { kind: SyncKind; id: number; reference: string; values: Values }[] = []
    for (const [index, { values, where, reference }] of this.animals.entries()) {
      if (reference === undefined) continue
      const id = index + 1
      const row = listed.get(reference)
      const wanted = valuesOf(row, values)
      const isOther = differences(values, wanted)[1].length > 0
      if (row !== undefined && where === 'removed') plan.push({ kind: 'restored', id, reference, values: wanted })
      else if (row !== undefined && isOther) plan.push({ kind: 'changed', id, reference, values: wanted })
      if (row !== undefined || where === 'removed') continue
      if (missing === 'remove') plan.push({ kind: 'removed', id, reference, values })
      if (missing === 'sold' && values.status !== 'sold')
        plan.push({ kind: 'marked', id, reference, values: { ...values, status: 'sold' } })
    }
    return plan
  }

  /** New rows that look like animals that are there, and those that are one to one. */
  #alike(listed: ReadonlyMap<string, ListedPet>): { alike: number; adopted: Map<number, string> } {
    const newRows = [...listed.values()].filter(({ reference }) => this.#known(reference) === undefined)
    const adopted = new Map<number, string>()
    let alike = 0
    for (const row of newRows) {
      const same = [...this.animals.entries()].filter(
        ([, { where, reference, values }]) =>
          where === 'there' &&
          reference === undefined &&
          values.name === row.name &&
          values.categoryId === row.categoryId,
      )
      if (same.length > 0) alike += 1
      const rows = newRows.filter(({ name, categoryId }) => name === row.name && categoryId === row.categoryId)
      if (same.length === 1 && rows.length === 1) adopted.set((same[0]?.[0] ?? 0) + 1, row.reference)
    }
    return { alike, adopted }
  }

  #carryOut(n: number, change: { kind: SyncKind; id: number; reference: string; values: Values }): number {
    const { kind, reference, values } = change
    if (kind === 'added') {
      this.animals.push({ values, where: 'not yet', reference: undefined })
      this.#stacks.push([])
    }
    const id = kind === 'added' ? this.animals.length : change.id
    const before = this.#at(id)
    const [from, to] = differences(kind === 'added' ? undefined : before.values, values)
    if (kind === 'adopted') from.push('"reference":null')
    if (kind === 'adopted' || kind === 'added') to.push(`"reference":"${reference}"`)
    const act = {
      added: 'add',
      adopted: 'edit',
      changed: 'edit',
      restored: 'restore',
      marked: 'edit',
      removed: 'remove',
    }[kind]
    const entry = {
      act,
      petId: id,
      from: from.length === 0 ? undefined : `{${from}}`,
      to: `{${[`"import":${n}`, ...to]}}`,
    }
    this.#push(id, { n, entry }, { values, where: kind === 'removed' ? 'removed' : 'there', reference })
    return id
  }

  #push(id: number, change: Omit<Change, 'before'>, now: State): void {
    this.#stacks[id - 1]?.push({ ...change, before: this.#at(id) })
    this.animals[id - 1] = now
    this.journal.push(change.entry)
  }

  #at(id: number): State {
    const found = this.animals[id - 1]
    if (found === undefined) throw new Error(`the model has no animal ${id}`)
    return found
  }

  #known(reference: string): State | undefined {
    return this.animals.find((one) => one.reference === reference)
  }
}

function valuesOf(row: ListedPet | undefined, present: Values | undefined): Values {
  const { name, categoryId, status } = row ?? present ?? { name: '', categoryId: 0n, status: null }
  return { name, categoryId, status: status === undefined ? (present?.status ?? null) : status }
}

/** The members that differ, as JSON; without values before, all that are not null. */
function differences(before: Values | undefined, after: Values): [from: string[], to: string[]] {
  const [from, to]: [string[], string[]] = [[], []]
  const textOf = (value: string | bigint | null) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))
  for (const member of ['name', 'categoryId', 'status'] as const) {
    if ((before?.[member] ?? null) === after[member]) continue
    if (before !== undefined) from.push(`"${member}":${textOf(before[member])}`)
    to.push(`"${member}":${textOf(after[member])}`)
  }
  return [from, to]
}
