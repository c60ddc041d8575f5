/**
 * What a strain is held against. The journal is an order of all changes that commands have made: played again by the
 * model of operators (test/model/operator.ts) on the state before a round, it must give the state after it, and entry
 * for entry what the model enters. Those of one command are there together. A command that was acknowledged must be in
 * it, one that was refused must not, and one that was cut may be, as a whole. Creates over HTTP have no entries: they
 * are known by their names, which are given once.
 */
import { isDeepStrictEqual } from 'node:util'
import type { SeenImport } from '../histories/place.ts'
import * as operator from '../model/operator.ts'
import type { Animal } from '../model/pets.ts'
import { Finding } from '../support/part.ts'
import type { Act, Step } from './plan.ts'

export interface State {
  readonly has: operator.OperatorState
  /** The journal, oldest first, one JSON object each. */
  readonly journal: readonly string[]
}

/** What the commands show of a database that nobody changes. */
export interface Seen {
  readonly journal: readonly string[]
  readonly animals: readonly { id: string; name: string; categoryId: number; status?: string }[]
  /** Where a record is played from its beginning: an import may be undone in it. */
  readonly removed?: readonly { readonly id: string; readonly name: string }[]
  readonly keys: readonly { id: string; label: string; state: string }[]
  readonly imports: readonly SeenImport[]
}

/** An animal as `pets export` shows it. */
export function shownPet(line: string): Seen['animals'][number] {
  const { id, ...pet } = JSON.parse(line) as { id: number; name: string; categoryId: number; status?: string }
  return { id: String(id), ...pet }
}

/** A command that ran, with what it was about. */
export interface Ran {
  readonly step: Step
  /** Animals, or one key or import. */
  readonly about: readonly string[]
  readonly outcome: 'acknowledged' | 'refused' | 'cut'
  readonly stdout: string
  readonly startMs: number
  readonly endMs: number
}

export interface Create {
  readonly name: string
  readonly categoryId: number
  /** Undefined while nothing was acknowledged: it may have happened. */
  id: string | undefined
  endMs: number
}

const STATUSES = ['available', 'pending', 'sold', 'none'] as const
export const statusOf = ({ n }: Step) => STATUSES[n % STATUSES.length] ?? 'none'
export const sourceOf = ({ n, act }: Step) => `${act === 'import with ids' ? 'w' : 'i'}${n}.csv`
export const newNameOf = ({ n }: Step) => `e${n}`
export const labelOf = ({ n, act }: Step) => (act === 'first key' ? act : `k${n}`)
export const isAgain = ({ n }: Step) => n % 2 === 0
/** An animal of an import is named after its file and its row, and no such name is a part of another. */
export const rowOf = (step: Step, row: number) => ({
  name: `${sourceOf(step)}.${row}.`,
  categoryId: 1 + (row % 5),
  status: row % 3 === 0 ? undefined : STATUSES[row % 3],
})

/** Of the first entry of a command; those that are missing enter nothing. */
const FIRST_ENTRY: Partial<Record<Act, string>> = {
  import: 'import',
  'import with ids': 'import',
  undo: 'undo import',
  'set status': 'edit',
  edit: 'edit',
  remove: 'remove',
  'restore animal': 'restore',
  'create key': 'issue key',
  'first key': 'issue key',
  'rotate key': 'rotate key',
  'revoke key': 'revoke key',
  'edit key': 'edit key',
  'unban key': 'unban key',
}
/** `keys rotate` without `--overlap`. */
const OVERLAP_MS = 86_400_000

/** As the first look at a database shows its keys. */
export function stateOf({ journal, keys }: Seen): State {
  const has = operator.emptyState()
  for (const { id, label } of keys) has.keys.set(id, keyOf(id, label, 0))
  return { has, journal }
}

/**
 * The state that `seen` shows, explained from `base` by what ran. Throws Finding where it cannot be explained. Only
 * what ended before `beforeMs` (of performance.now) must have happened, if it was acknowledged.
 */
export function explain(
  base: State,
  seen: Seen,
  ran: readonly Ran[],
  creates: readonly Create[],
  beforeMs = Number.POSITIVE_INFINITY,
): State {
  const before = seen.journal.slice(0, base.journal.length)
  if (!isDeepStrictEqual(before, base.journal)) {
    const at = base.journal.findIndex((line, i) => line !== before[i])
    throw new Finding(`the journal has changed: ${base.journal[at]} is now ${before[at]}`)
  }
  const has = replay(base.has, seen, seen.journal.slice(base.journal.length), ran, beforeMs)
  compareAnimals(has, seen, creates, beforeMs)
  compareKeys(has, seen)
  compareImports(has, seen)
  return { has, journal: seen.journal }
}

/** The state after the new lines of the journal. */
function replay(
  base: operator.OperatorState,
  seen: Seen,
  lines: readonly string[],
  ran: readonly Ran[],
  beforeMs: number,
): operator.OperatorState {
  let state = copyOf(base)
  let left = lines.map((line) => ({ line, entry: entryOf(line) }))
  const open = new Set(
    ran.filter(({ outcome }) => outcome === 'acknowledged').concat(ran.filter(({ outcome }) => outcome === 'cut')),
  )
  const nothingToDo = new Set<Ran>()
  const look = () => {
    for (const command of open) if (attempt(state, command)?.made.length === 0) nothingToDo.add(command)
  }
  look()
  for (let [first] = left; first !== undefined; [first] = left) {
    const { line, entry } = first
    const found = [...open].flatMap((command) => {
      if (FIRST_ENTRY[command.step.act] !== entry.act) return []
      const tried = attempt(state, command, entry, seen)
      const made = new Set(tried?.made.map(textOf))
      if (command.outcome === 'acknowledged' && (toldOf(command) ?? made.size) !== made.size) return []
      // On PostgreSQL those of other commands may stand between them.
      const others = left.filter((one) => !made.delete(textOf(one.entry)))
      return tried && made.size === 0 && others[0] !== first ? [{ command, ...tried, others }] : []
    })[0]
    if (found === undefined)
      throw new Finding(`no command explains the entry ${line}, or not all of its entries are there`)
    state = found.after
    left = found.others
    open.delete(found.command)
    look()
  }
  for (const command of open) {
    if (command.outcome !== 'acknowledged' || command.endMs >= beforeMs || nothingToDo.has(command)) continue
    if (FIRST_ENTRY[command.step.act] === undefined || goesOnWithAnother(command, ran, open)) continue
    throw new Finding(`acknowledged, but not in the journal: ${command.step.act} ${command.about.join(' ')}`)
  }
  return state
}

/** Whoever undoes an import while another does goes on with it, and says the same as that one. */
function goesOnWithAnother({ step, about, stdout }: Ran, ran: readonly Ran[], open: ReadonlySet<Ran>): boolean {
  const isSame = (other: Ran) => other.step.act === 'undo' && other.about[0] === about[0] && !open.has(other)
  return step.act === 'undo' && ran.some((other) => isSame(other) && [stdout, ''].includes(other.stdout))
}

/** When the old key ends is by the ms of the command's clock, of which the journal shows the second. */
function textOf({ atMs, act, animal, key, from, to }: operator.Entry): string {
  const timeless = act === 'rotate key' ? to?.replace(/,?"expires":"[^"]*"/, '') : to
  return JSON.stringify([atMs, act, animal, key, from, timeless])
}

function entryOf(line: string): operator.Entry {
  const { at, act, animal, key, from, to } = JSON.parse(line) as operator.Entry & { at: string }
  return { atMs: Date.parse(at), act, animal, key, from, to }
}

/** How many entries the command has told of; undefined if it does not say. */
function toldOf({ step, stdout }: Ran): number | undefined {
  const told = step.act === 'set status' ? /; (\d+) of them changed/.exec(stdout)?.[1] : undefined
  return told === undefined ? undefined : Number(told)
}

/**
 * What the command makes of this state, with its entries; undefined if it cannot be done. What only the service decides
 * (ids, numbers, times) is taken from the first of its entries in the journal, and from what is seen.
 */
export function attempt(
  before: operator.OperatorState,
  { step, about }: Pick<Ran, 'step' | 'about'>,
  entry: operator.Entry = { atMs: 0, act: '' },
  seen?: Seen,
): { readonly after: operator.OperatorState; readonly made: readonly operator.Entry[] } | undefined {
  const after = copyOf(before)
  if (FIRST_ENTRY[step.act] === undefined) return { after, made: [] }
  return act(after, step, about, entry, seen) ? { after, made: after.journal.slice(before.journal.length) } : undefined
}

function act(
  state: operator.OperatorState,
  step: Step,
  about: readonly string[],
  { atMs, key = '', to = '{}' }: operator.Entry,
  seen: Seen | undefined,
): boolean {
  const [one = ''] = about
  const ids = () => about.map(BigInt)
  switch (step.act) {
    case 'import':
    case 'import with ids': {
      const { import: n = 0, source } = JSON.parse(to) as { import?: number; source?: string }
      if (seen !== undefined && source !== sourceOf(step)) return false
      operator.importAll(state, BigInt(n), rowsOf(state, step, about, seen), sourceOf(step), atMs)
      return true
    }
    case 'undo':
      return operator.undo(state, BigInt(one), atMs) !== undefined
    case 'set status': {
      const status = statusOf(step)
      return operator.change(state, ids(), { status: status === 'none' ? null : status }, atMs)
    }
    case 'edit':
      return operator.change(state, ids(), { name: newNameOf(step) }, atMs)
    case 'remove':
      return operator.remove(state, ids(), atMs)
    case 'restore animal':
      return operator.restore(state, ids(), atMs)
    case 'create key':
    case 'first key':
      operator.issue(state, keyOf(key, labelOf(step), atMs, step.act === 'first key' ? 'free' : 'business'))
      return true
    case 'rotate key': {
      const { successor: id = '' } = JSON.parse(to) as { successor?: string }
      if (!operator.mayRotate(state, one, isAgain(step), atMs)) return false
      operator.rotate(state, one, { id, secret: '' }, OVERLAP_MS, atMs)
      return true
    }
    case 'revoke key':
      return operator.revoke(state, one, atMs)
    case 'edit key':
      return operator.editKey(state, one, labelOf(step), atMs)
    default:
      // No key is banned here: whoever says that one was unbanned is wrong.
      return false
  }
}

const keyOf = (
  id: string,
  label: string,
  createdAtMs: number,
  plan: 'free' | 'business' = 'business',
): operator.Key => ({
  ...operator.PLANS[plan],
  id,
  lineage: id,
  secret: '',
  plan,
  label,
  createdAtMs,
  expiresAtMs: undefined,
  revokedAtMs: undefined,
  usedAtMs: undefined,
})

/** The animals of an import by their ids: those that it gives itself, or those under which they are shown. */
function rowsOf({ given }: operator.OperatorState, step: Step, about: readonly string[], seen: Seen | undefined) {
  const rows = new Map<bigint, Animal>()
  if (seen === undefined) return rows
  const own = sourceOf(step)
  const all = [...seen.animals, ...(seen.removed ?? [])]
  const shown = new Map(all.filter(({ name }) => name.startsWith(own)).map(({ id, name }) => [name, id]))
  for (let row = 0; row < step.rows; row += 1) {
    const { name, categoryId, status } = rowOf(step, row)
    const id = step.act === 'import with ids' ? about[row] : shown.get(name)
    if (id === undefined) throw new Finding(`animals of an import are missing, ${name} first`)
    if (given.has(BigInt(id))) throw new Finding(`${own} was imported twice, or ${id} was given before`)
    rows.set(BigInt(id), { name, categoryId: BigInt(categoryId), status })
  }
  return rows
}

function copyOf(state: operator.OperatorState): operator.OperatorState {
  const { animals, removed, given, forms, labels, imports, keys, journal } = state
  return {
    animals: new Map(animals),
    removed: new Map(removed),
    given: new Set(given),
    forms: new Map(forms),
    labels: new Map(labels),
    imports: new Map(imports),
    keys: new Map(keys),
    journal: [...journal],
  }
}

/** Holds the animals that are shown against those of the model, which gets those that were created. */
function compareAnimals(state: operator.OperatorState, seen: Seen, creates: readonly Create[], beforeMs: number): void {
  const { animals, removed } = state
  const created = new Map(creates.map((create) => [create.name, create]))
  const shown = new Set<bigint>()
  for (const { id: text, name, categoryId, status } of seen.animals) {
    const id = BigInt(text)
    const animal: Animal = { name, categoryId: BigInt(categoryId), status }
    if (shown.has(id)) throw new Finding(`animal ${id} is shown twice`)
    shown.add(id)
    if (removed.has(id)) throw new Finding(`animal ${id} was removed, and is shown as ${name}`)
    const known = animals.get(id)
    const create = created.get(name)
    if (known === undefined && create !== undefined) {
      if (create.categoryId !== categoryId || status !== undefined || (create.id ?? text) !== text)
        throw new Finding(`animal ${id}, ${name}, is not as it was added`)
      operator.give(state, id, animal)
      created.delete(name)
    } else if (known === undefined) {
      throw new Finding(`animal ${id}, ${name}, was added by nothing that was done as a whole`)
    } else if (!isDeepStrictEqual(known, animal)) {
      throw new Finding(`animal ${id} is ${told(animal)}, not ${told(known)}`)
    }
  }
  for (const [id, { name }] of animals) if (!shown.has(id)) throw new Finding(`animal ${id}, ${name}, is lost`)
  for (const { id, name, endMs } of created.values()) {
    if (id !== undefined && endMs < beforeMs) throw new Finding(`animal ${id}, ${name}, was acknowledged and is lost`)
  }
}

const told = ({ name, categoryId, status }: Animal) => `${name}, ${categoryId}, ${status}`

function compareKeys({ keys }: operator.OperatorState, seen: Seen): void {
  for (const { id, label, state } of seen.keys) {
    const key = keys.get(id)
    if (key === undefined) throw new Finding(`key ${id}, ${label}, is there, and the journal does not say so`)
    const isRevoked = key.revokedAtMs !== undefined
    if (key.label !== label || isRevoked !== (state === 'revoked')) {
      throw new Finding(`key ${id} is ${state} and labelled ${label}, not ${JSON.stringify(key)}`)
    }
  }
  for (const id of keys.keys()) if (!seen.keys.some((key) => key.id === id)) throw new Finding(`key ${id} is lost`)
}

/** Each is listed, and marked as undone if the journal says that it is. */
function compareImports({ imports }: operator.OperatorState, seen: Seen): void {
  const listed = new Map(seen.imports.map(({ n, isUndone }) => [BigInt(n), isUndone]))
  for (const [n, isUndone] of listed) {
    const known = imports.get(n)
    if (known === undefined) throw new Finding(`import ${n} is listed, and the journal does not say so`)
    if (known.isUndone === isUndone) continue
    throw new Finding(`import ${n} is ${isUndone ? '' : 'not '}marked as undone, and the journal says otherwise`)
  }
  for (const n of imports.keys()) if (!listed.has(n)) throw new Finding(`import ${n} is not listed`)
}
