/** What operators do, as documented, with journal entries. It imports nothing from the service. */
import type { Animal } from './pets.ts'

export interface Entry {
  readonly atMs: number
  readonly act: string
  readonly animal?: string | undefined
  readonly key?: string | undefined
  /** The values before and after, as they are stored: JSON objects as text. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface Key {
  readonly id: string
  readonly lineage: string
  readonly secret: string
  readonly plan: string
  readonly perMinute: number
  readonly perDay: number
  readonly label: string
  readonly createdAtMs: number
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
  /** To the minute, in Unix ms; 'unknown' where a crash or a restore may have lost it. */
  readonly usedAtMs: number | undefined | 'unknown'
}

interface Import {
  readonly animals: ReadonlyMap<bigint, Animal>
  /** How long the journal was behind its own entry. */
  readonly entries: number
  readonly isUndone: boolean
}

export interface OperatorState {
  readonly animals: Map<bigint, Animal>
  readonly removed: Map<bigint, Animal & { readonly atMs: number }>
  /** Every id that an animal ever had (R4). */
  readonly given: Set<bigint>
  /** The forms of the office by which animals were added. */
  readonly forms: Map<string, bigint>
  readonly labels: Map<bigint, string>
  readonly imports: Map<bigint, Import>
  readonly keys: Map<string, Key>
  readonly journal: Entry[]
  /** When the service last looked for what is to be forgotten, if it counts. */
  lookedMs?: number
}

export function emptyState(): OperatorState {
  return {
    animals: new Map(),
    removed: new Map(),
    given: new Set(),
    forms: new Map(),
    labels: new Map(),
    imports: new Map(),
    keys: new Map(),
    journal: [],
  }
}

export function isInForce({ revokedAtMs, expiresAtMs }: Key, nowMs: number): boolean {
  return revokedAtMs === undefined && (expiresAtMs === undefined || nowMs < expiresAtMs)
}

export interface Changes {
  readonly name?: string
  readonly categoryId?: bigint
  /** null: without a status (O4). */
  readonly status?: string | null
}

/** R14. */
export const PLANS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
}
/** Removed animals can be restored for so many days. */
const KEPT_DAYS = 30
/** What two looks so far apart find, by their clocks, is forgotten. */
const LOOK_DAYS = 2
const DAY_MS = 86_400_000

export function enter(state: OperatorState, entry: Entry): void {
  state.journal.push(entry)
}

/** The number of the latest entry about an animal: it grows with every change. */
export function versionOf({ journal }: OperatorState, id: bigint): number {
  return journal.findLastIndex(({ animal }) => animal === String(id)) + 1
}

export function change(state: OperatorState, ids: readonly bigint[], changes: Changes, atMs: number): boolean {
  const all = [...new Set(ids)]
  if (!all.every((id) => state.animals.has(id))) return false
  for (const id of all) {
    const before = state.animals.get(id)
    if (before !== undefined) changeOne(state, id, before, changes, atMs)
  }
  return true
}

function changeOne(state: OperatorState, id: bigint, before: Animal, changes: Changes, atMs: number): void {
  const { name = before.name, categoryId = before.categoryId } = changes
  const status = changes.status === undefined ? before.status : (changes.status ?? undefined)
  const after = { name, categoryId, status }
  const [from, to] = differences(before, after)
  if (to.length === 0) return
  state.animals.set(id, after)
  enter(state, { atMs, act: 'edit', animal: String(id), from: `{${from}}`, to: `{${to}}` })
}

/** The members that differ, as JSON; without values before, all that are there. */
export function differences(before: Animal | undefined, after: Animal): [from: string[], to: string[]] {
  const [from, to]: [string[], string[]] = [[], []]
  const textOf = (value: string | bigint | undefined) =>
    typeof value === 'bigint' ? String(value) : JSON.stringify(value ?? null)
  for (const member of ['name', 'categoryId', 'status'] as const) {
    if (before?.[member] === after[member]) continue
    if (before !== undefined) from.push(`"${member}":${textOf(before[member])}`)
    to.push(`"${member}":${textOf(after[member])}`)
  }
  return [from, to]
}

export function remove(state: OperatorState, ids: readonly bigint[], atMs: number): boolean {
  const all = [...new Set(ids)]
  if (!all.every((id) => state.animals.has(id))) return false
  for (const id of all) {
    takeAway(state, id, atMs)
    enter(state, { atMs, act: 'remove', animal: String(id) })
  }
  return true
}

function takeAway(state: OperatorState, id: bigint, atMs: number): void {
  const animal = state.animals.get(id)
  if (animal === undefined) return
  state.animals.delete(id)
  state.removed.set(id, { ...animal, atMs })
}

export function restore(state: OperatorState, ids: readonly bigint[], atMs: number): boolean {
  const all = [...new Set(ids)]
  if (!all.every((id) => state.removed.has(id))) return false
  for (const id of all) {
    const removed = state.removed.get(id)
    if (removed === undefined) continue
    const { atMs: _, ...animal } = removed
    state.removed.delete(id)
    state.animals.set(id, animal)
    enter(state, { atMs, act: 'restore', animal: String(id) })
  }
  return true
}

/** Forgets for good what was removed too long ago, by the look before too. */
export function purge(state: OperatorState, atMs: number): void {
  const { lookedMs = Infinity } = state
  if (lookedMs <= atMs && atMs < lookedMs + LOOK_DAYS * DAY_MS) return
  state.lookedMs = atMs
  if (lookedMs > atMs) return
  for (const [id, removed] of [...state.removed]) {
    if (removed.atMs >= lookedMs - KEPT_DAYS * DAY_MS) continue
    state.removed.delete(id)
    enter(state, { atMs, act: 'purge', animal: String(id) })
  }
}

/** The animal of a form of the office: `newId` if it is not there yet. Histories have fewer forms than are known. */
export function addByForm(
  state: OperatorState,
  form: string,
  animal: Animal,
  newId: bigint,
  atMs: number,
): { readonly isNew: boolean; readonly id: bigint } {
  const known = state.forms.get(form)
  if (known !== undefined) return { isNew: false, id: known }
  give(state, newId, animal)
  state.forms.set(form, newId)
  enter(state, { atMs, act: 'add', animal: String(newId), to: `{${differences(undefined, animal)[1]}}` })
  return { isNew: true, id: newId }
}

export function give(state: OperatorState, id: bigint, animal: Animal): void {
  state.animals.set(id, animal)
  state.given.add(id)
}

/** How many of the rows look like animals that are there. */
export function duplicates({ animals }: OperatorState, rows: readonly Animal[]): number {
  const there = new Set([...animals.values()].map(({ name, categoryId }) => `${categoryId} ${name}`))
  return rows.filter(({ name, categoryId }) => there.has(`${categoryId} ${name}`)).length
}

export function importAll(
  state: OperatorState,
  n: bigint,
  animals: ReadonlyMap<bigint, Animal>,
  source: string,
  atMs: number,
): void {
  for (const [id, animal] of animals) give(state, id, animal)
  enter(state, { atMs, act: 'import', to: JSON.stringify({ animals: animals.size, source }) })
  state.imports.set(n, { animals, entries: state.journal.length, isUndone: false })
}

/** Removes animals that are as the import left them. Undefined if there is nothing to undo. */
export function undo(
  state: OperatorState,
  n: bigint,
  atMs: number,
): { readonly removed: number; readonly kept: number } | undefined {
  const found = state.imports.get(n)
  if (found === undefined || found.isUndone) return undefined
  const isAsLeft = ([id, was]: readonly [bigint, Animal]) => {
    const now = state.animals.get(id)
    return now?.name === was.name && now.categoryId === was.categoryId && now.status === was.status
  }
  const ids = [...found.animals].filter(isAsLeft).map(([id]) => id)
  const touched = new Set(state.journal.slice(found.entries).map(({ animal }) => animal))
  state.imports.set(n, { ...found, isUndone: true })
  enter(state, { atMs, act: 'undo import', from: JSON.stringify({ animals: ids.length }) })
  for (const id of ids.toSorted((a, b) => (a < b ? -1 : 1))) {
    takeAway(state, id, atMs)
    if (touched.has(String(id))) enter(state, { atMs, act: 'remove', animal: String(id) })
  }
  return { removed: ids.length, kept: found.animals.size - ids.length }
}

export function label(state: OperatorState, categoryId: bigint, text: string | undefined, atMs: number): void {
  const before = state.labels.get(categoryId)
  if (before === text) return
  if (text === undefined) state.labels.delete(categoryId)
  else state.labels.set(categoryId, text)
  const values = (label: string | undefined) => `{"categoryId":${categoryId},"label":${JSON.stringify(label ?? null)}}`
  enter(state, { atMs, act: 'label', from: values(before), to: values(text) })
}

const isoOf = (atMs: number | undefined) => (atMs === undefined ? undefined : new Date(atMs).toISOString())

function enterIssue(
  state: OperatorState,
  { id, plan, perMinute, perDay, label, expiresAtMs }: Key,
  atMs: number,
  of?: string,
) {
  const to = JSON.stringify({ plan, perMinute, perDay, label, expires: isoOf(expiresAtMs), replaces: of })
  enter(state, { atMs, act: 'issue key', key: id, to })
}

export function issue(state: OperatorState, key: Key): void {
  state.keys.set(key.id, key)
  enterIssue(state, key, key.createdAtMs)
}

/** Whether a key can be replaced: it is in force, and the newest of its lineage, or that is revoked, or `again`. */
export function mayRotate({ keys }: OperatorState, id: string, again: boolean, atMs: number): boolean {
  const old = keys.get(id)
  const newest = old && newestOf(keys, old.lineage)
  return old !== undefined && isInForce(old, atMs) && (again || newest?.id === id || newest?.revokedAtMs !== undefined)
}

function newestOf(keys: ReadonlyMap<string, Key>, lineage: string): Key | undefined {
  return [...keys.values()].filter((key) => key.lineage === lineage).sort((a, b) => b.createdAtMs - a.createdAtMs)[0]
}

/** The successor shares limits and use. The old key works for `overlapMs` more, and no longer than before. */
export function rotate(
  state: OperatorState,
  id: string,
  successor: { readonly id: string; readonly secret: string },
  overlapMs: number,
  atMs: number,
): void {
  const old = state.keys.get(id)
  const newest = old && newestOf(state.keys, old.lineage)
  if (old === undefined || newest === undefined) throw new Error(`there is no key ${id}`)
  const untilMs = Math.min(old.expiresAtMs ?? Infinity, atMs + overlapMs)
  const createdAtMs = Math.max(atMs, newest.createdAtMs + 1)
  const { expiresAtMs } = newest
  state.keys.set(id, { ...old, expiresAtMs: untilMs })
  const key: Key = { ...old, ...successor, createdAtMs, expiresAtMs, usedAtMs: undefined }
  state.keys.set(key.id, key)
  const to = JSON.stringify({ successor: key.id, expires: isoOf(untilMs) })
  enter(state, { atMs, act: 'rotate key', key: id, to })
  enterIssue(state, key, atMs, id)
}

/** Whether there is such a key; the first time counts. */
export function revoke(state: OperatorState, id: string, atMs: number): boolean {
  const key = state.keys.get(id)
  if (key === undefined) return false
  if (key.revokedAtMs !== undefined) return true
  state.keys.set(id, { ...key, revokedAtMs: atMs })
  enter(state, { atMs, act: 'revoke key', key: id })
  return true
}
