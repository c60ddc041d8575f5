/**
 * The model that a strain is held against. The journal is an order of all changes that commands have made; replayed on
 * the state before a round, it must explain the state after it to the last value. Each entry must be that of a command
 * of the round, and those of one command are there together. A command that was acknowledged must be in it, one that
 * was refused must not, and one that was cut may be, as a whole. Creates over HTTP have no entries: they are known by
 * their names, which are given once.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Step } from './plan.ts'

interface Animal {
  readonly name: string
  readonly categoryId: number
  readonly status: string | undefined
  /** The number of the import that brought it, until somebody has changed it. */
  readonly imported: string | undefined
}

interface Key {
  readonly label: string
  readonly isRevoked: boolean
}

export interface State {
  /** By their ids. */
  readonly animals: Map<string, Animal>
  readonly removed: Map<string, Animal>
  readonly keys: Map<string, Key>
  /** Imports that are not undone, by number. */
  readonly imports: Map<string, { readonly source: string }>
  /** The journal, oldest first, one JSON object each. */
  journal: readonly string[]
}

interface Entry {
  readonly n: string
  readonly at: string
  readonly act: string
  readonly animal?: string
  readonly key?: string
  readonly from?: string
  readonly to?: string
}

/** What the commands show of a database that nobody changes. */
export interface Seen {
  readonly journal: readonly string[]
  readonly animals: readonly { id: string; name: string; categoryId: number; status?: string }[]
  readonly keys: readonly { id: string; label: string; state: string }[]
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
export const labelOf = ({ n }: Step) => `k${n}`
/** An animal of an import is named after its file and its row, and no such name is a part of another. */
export const rowOf = (step: Step, row: number) => ({
  name: `${sourceOf(step)}.${row}.`,
  categoryId: 1 + (row % 5),
  status: row % 3 === 0 ? undefined : STATUSES[row % 3],
})

export function emptyState(): State {
  return { animals: new Map(), removed: new Map(), keys: new Map(), imports: new Map(), journal: [] }
}

function copyOf(state: State): State {
  return {
    animals: new Map(state.animals),
    removed: new Map(state.removed),
    keys: new Map(state.keys),
    imports: new Map(state.imports),
    journal: state.journal,
  }
}

/** What is wrong, in a sentence. */
export class Finding extends Error {}

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
  const state = copyOf(base)
  const before = seen.journal.slice(0, base.journal.length)
  if (!isDeepStrictEqual(before, base.journal)) {
    const at = base.journal.findIndex((line, i) => line !== before[i])
    throw new Finding(`the journal has changed: ${base.journal[at]} is now ${before[at]}`)
  }
  const rows = replay(state, seen.journal.slice(base.journal.length), ran, beforeMs)
  state.journal = seen.journal
  bindAnimals(state, seen, rows, creates, beforeMs)
  compareKeys(state, seen)
  return state
}

/** Applies the entries. Returns the rows that imports must have added, by name, with the number of the import. */
function replay(
  state: State,
  lines: readonly string[],
  ran: readonly Ran[],
  beforeMs: number,
): Map<string, { animal: Animal; id: string | undefined }> {
  const rows = new Map<string, { animal: Animal; id: string | undefined }>()
  const entries = lines.map((line) => JSON.parse(line) as Entry)
  const open = new Set(
    ran.filter(({ outcome }) => outcome === 'acknowledged').concat(ran.filter(({ outcome }) => outcome === 'cut')),
  )
  const nothingToDo = new Set<Ran>()
  const look = () => {
    for (const command of open) if (effectOf(state, command)?.length === 0) nothingToDo.add(command)
  }
  look()
  for (let at = 0; at < entries.length; ) {
    const found = [...open].find((command) => {
      const effect = effectOf(state, command)
      if (!effect?.length) return false
      if (command.outcome === 'acknowledged' && (toldOf(command) ?? effect.length) !== effect.length) return false
      return isDeepStrictEqual(new Set(entries.slice(at, at + effect.length).map(textOf)), new Set(effect))
    })
    if (found === undefined)
      throw new Finding(`no command explains the entry ${lines[at]}, or not all of its entries are there`)
    const length = effectOf(state, found)?.length ?? 0
    const own = entries.slice(at, at + length)
    if (new Set(own.map((entry) => entry.at)).size !== 1) throw new Finding(`a change has several times: ${lines[at]}`)
    apply(state, found, own, rows)
    open.delete(found)
    at += length
    look()
  }
  for (const command of open) {
    if (command.outcome !== 'acknowledged' || command.endMs >= beforeMs || nothingToDo.has(command)) continue
    if (effectOf(state, command) === null || goesOnWithAnother(command, ran, open)) continue
    throw new Finding(`acknowledged, but not in the journal: ${command.step.act} ${command.about.join(' ')}`)
  }
  return rows
}

/** Whoever undoes an import while another does goes on with it, and says the same as that one. */
function goesOnWithAnother({ step, about, stdout }: Ran, ran: readonly Ran[], open: ReadonlySet<Ran>): boolean {
  const isSame = (other: Ran) => other.step.act === 'undo' && other.about[0] === about[0] && !open.has(other)
  return step.act === 'undo' && ran.some((other) => isSame(other) && [stdout, ''].includes(other.stdout))
}

/** Without what cannot be known before: numbers of imports, times, new ids. */
function textOf({ act, animal, key, from, to }: Entry): string {
  const label = () => (JSON.parse(to ?? '{}') as { label?: string }).label
  if (act === 'import') return `import ${(JSON.parse(to ?? '{}') as { source: string }).source}`
  if (act === 'issue key') return `issue key ${label()}`
  if (act === 'rotate key') return `rotate key ${key}`
  return [act, animal ?? key, from, to].filter((part) => part !== undefined).join(' ')
}

/** The entries that a command makes in this state; undefined if it cannot be done; null if it makes none in any. */
export function effectOf(state: State, { step, about }: Pick<Ran, 'step' | 'about'>): string[] | undefined | null {
  const { animals, removed, keys, imports } = state
  const [one = ''] = about
  switch (step.act) {
    case 'import':
    case 'import with ids':
      return [`import ${sourceOf(step)}`]
    case 'undo': {
      if (!imports.has(one)) return undefined
      return [`undo import ${JSON.stringify({ import: Number(one), animals: untouched(state, one).length })}`]
    }
    case 'set status': {
      const status = statusOf(step)
      if (about.some((id) => !animals.has(id))) return undefined
      const value = status === 'none' ? undefined : status
      return [...new Set(about)]
        .filter((id) => animals.get(id)?.status !== value)
        .map((id) => {
          const old = animals.get(id)?.status ?? null
          return `edit ${id} ${JSON.stringify({ status: old })} ${JSON.stringify({ status: value ?? null })}`
        })
    }
    case 'edit': {
      const animal = animals.get(one)
      if (animal === undefined) return undefined
      return [`edit ${one} ${JSON.stringify({ name: animal.name })} ${JSON.stringify({ name: newNameOf(step) })}`]
    }
    case 'remove':
      return about.some((id) => !animals.has(id)) ? undefined : [...new Set(about)].map((id) => `remove ${id}`)
    case 'restore animal':
      return about.some((id) => !removed.has(id)) ? undefined : [...new Set(about)].map((id) => `restore ${id}`)
    case 'create key':
      return [`issue key ${labelOf(step)}`]
    case 'rotate key': {
      const key = keys.get(one)
      return key === undefined || key.isRevoked ? undefined : [`rotate key ${one}`, `issue key ${key.label}`]
    }
    case 'revoke key': {
      const key = keys.get(one)
      if (key === undefined) return undefined
      return key.isRevoked ? [] : [`revoke key ${one}`]
    }
    case 'edit key': {
      const key = keys.get(one)
      if (key === undefined || key.isRevoked) return undefined
      return [`edit key ${one} ${JSON.stringify({ label: key.label })} ${JSON.stringify({ label: labelOf(step) })}`]
    }
    // No key is banned here: whoever says that one was unbanned is wrong.
    case 'unban key':
      return undefined
    default:
      return null
  }
}

const untouched = ({ animals }: State, n: string) =>
  [...animals].filter(([, { imported }]) => imported === n).map(([id]) => id)

/** How many entries the command has told of; undefined if it does not say. */
function toldOf({ step, stdout }: Ran): number | undefined {
  const told = step.act === 'set status' ? /; (\d+) of them changed/.exec(stdout)?.[1] : undefined
  return told === undefined ? undefined : Number(told)
}

function apply(
  state: State,
  { step, about }: Ran,
  entries: readonly Entry[],
  rows: Map<string, { animal: Animal; id: string | undefined }>,
): void {
  const { animals, removed, keys, imports } = state
  const [one = ''] = about
  const change = (id: string, changes: Partial<Animal>) => {
    const animal = animals.get(id)
    if (animal !== undefined) animals.set(id, { ...animal, ...changes, imported: undefined })
  }
  const move = (id: string, from: Map<string, Animal>, to: Map<string, Animal>) => {
    const animal = from.get(id)
    from.delete(id)
    if (animal !== undefined) to.set(id, { ...animal, imported: undefined })
  }
  const issued = (label: string) => {
    const id = entries.find(({ act }) => act === 'issue key')?.key
    if (id !== undefined) keys.set(id, { label, isRevoked: false })
  }
  switch (step.act) {
    case 'import':
    case 'import with ids': {
      const told = JSON.parse(entries[0]?.to ?? '{}') as { import: number; animals: number; source: string }
      if (told.animals !== step.rows)
        throw new Finding(`${told.source} has ${step.rows} animals, the journal ${told.animals}`)
      const n = String(told.import)
      imports.set(n, { source: told.source })
      for (let row = 0; row < step.rows; row += 1) {
        const animal = { ...rowOf(step, row), imported: n }
        if (rows.has(animal.name)) throw new Finding(`${told.source} was imported twice`)
        rows.set(animal.name, { animal, id: step.act === 'import with ids' ? about[row] : undefined })
      }
      return
    }
    case 'undo':
      for (const id of untouched(state, one)) move(id, animals, removed)
      imports.delete(one)
      return
    case 'set status': {
      const status = statusOf(step)
      for (const { animal = '' } of entries) change(animal, { status: status === 'none' ? undefined : status })
      return
    }
    case 'edit':
      change(one, { name: newNameOf(step) })
      return
    case 'remove':
      for (const id of about) move(id, animals, removed)
      return
    case 'restore animal':
      for (const id of about) move(id, removed, animals)
      return
    case 'create key':
      issued(labelOf(step))
      return
    case 'rotate key':
      issued(keys.get(one)?.label ?? '')
      return
    case 'revoke key':
      keys.set(one, { label: keys.get(one)?.label ?? '', isRevoked: true })
      return
    case 'edit key':
      keys.set(one, { label: labelOf(step), isRevoked: false })
  }
}

/** Holds the animals that are shown against those of the model, and gives the new ones their ids. */
function bindAnimals(
  { animals, removed }: State,
  seen: Seen,
  rows: Map<string, { animal: Animal; id: string | undefined }>,
  creates: readonly Create[],
  beforeMs: number,
): void {
  const created = new Map(creates.map((create) => [create.name, create]))
  const shown = new Set<string>()
  for (const { id, name, categoryId, status } of seen.animals) {
    if (shown.has(id)) throw new Finding(`animal ${id} is shown twice`)
    shown.add(id)
    const known = animals.get(id)
    if (known !== undefined) {
      const { imported: _, ...values } = known
      if (isDeepStrictEqual(values, { name, categoryId, status })) continue
      throw new Finding(
        `animal ${id} is ${JSON.stringify({ name, categoryId, status })}, not ${JSON.stringify(values)}`,
      )
    }
    if (removed.has(id)) throw new Finding(`animal ${id} was removed, and is shown as ${name}`)
    const row = rows.get(name)
    const create = created.get(name)
    const from = row?.animal ?? (create && { categoryId: create.categoryId, status: undefined, imported: undefined })
    if (from === undefined) throw new Finding(`animal ${id}, ${name}, was added by nothing that was done as a whole`)
    if (from.categoryId !== categoryId || from.status !== status || (row?.id ?? create?.id ?? id) !== id) {
      throw new Finding(`animal ${id}, ${name}, is not as it was added`)
    }
    animals.set(id, { name, categoryId, status, imported: from.imported })
    rows.delete(name)
    created.delete(name)
  }
  for (const id of animals.keys()) {
    if (!shown.has(id)) throw new Finding(`animal ${id}, ${animals.get(id)?.name}, is lost`)
  }
  const [missing] = rows.keys()
  if (missing !== undefined) throw new Finding(`${rows.size} animals of an import are missing, ${missing} first`)
  for (const { id, name, endMs } of created.values()) {
    if (id !== undefined && endMs < beforeMs) throw new Finding(`animal ${id}, ${name}, was acknowledged and is lost`)
  }
}

function compareKeys({ keys }: State, seen: Seen): void {
  for (const { id, label, state } of seen.keys) {
    const key = keys.get(id)
    if (key === undefined) throw new Finding(`key ${id}, ${label}, is there, and the journal does not say so`)
    if (key.label !== label || key.isRevoked !== (state === 'revoked')) {
      throw new Finding(`key ${id} is ${state} and labelled ${label}, not ${JSON.stringify(key)}`)
    }
  }
  for (const id of keys.keys()) if (!seen.keys.some((key) => key.id === id)) throw new Finding(`key ${id} is lost`)
}
