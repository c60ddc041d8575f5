/** The steps of the operator on animals and imports: each is done and held to test/model/operator.ts. */
import fc from 'fast-check'
import { BadRows } from '../../../src/animals-file/file-errors.ts'
import type { Issuer } from '../../../src/domain/keys.ts'
import { change, duplicates, importAll, type OperatorState, remove, restore, undo } from '../../model/operator.ts'
import type { Animal } from '../../model/pets.ts'
import { readInto } from '../../support/lists.ts'
import { BODY_LIMIT } from '../histories.ts'
import { assertSame, by, fraction, type History, pickOf, picksOf, stepsOf } from '../history.ts'
import { authorOf, type Place } from '../place.ts'

const STATUSES = ['available', 'pending', 'sold', 'none'] as const
const several = () => fc.array(fraction(), { minLength: 1, maxLength: 3 })
/** Of animals that are there, or of any that ever were. */
const whose = fc.oneof(
  { weight: 6, arbitrary: fc.constant('live' as const) },
  { weight: 1, arbitrary: fc.constant('any' as const) },
)

function idsOf({ state }: History, picks: readonly number[], whose: 'live' | 'any'): readonly bigint[] {
  return picksOf([...(whose === 'live' ? state.animals.keys() : state.given)], picks)
}

const setStatus = stepsOf({
  name: 'set-status',
  weight: 4,
  draw: fc.record({ by: by(), picks: several(), whose, status: fc.constantFrom(...STATUSES) }),
  can: (history) => history.state.given.size > 0,
  async play(history, place: Place, { by, picks, whose, status }) {
    const ids = idsOf(history, picks, whose)
    if (ids.length === 0) return
    history.tell(`pets set-status ${status} ${ids.join(' ')}`)
    const changes = { status: status === 'none' ? null : status }
    const operator = await place.operator(by)
    const { missing } = await operator.store.records.change(ids, changes, authorOf(operator))
    assertSame('whether it was done', missing.length === 0, change(history.state, ids, changes, place.nowMs()))
  },
})

const edit = stepsOf({
  name: 'edit',
  weight: 3,
  draw: fc.record({
    by: by(),
    picks: fc.array(fraction(), { minLength: 1, maxLength: 1 }),
    whose,
    isNamed: fc.boolean(),
    category: fc.constantFrom(undefined, 7n, 9_223_372_036_854_775_807n, -1n),
  }),
  can: (history, { isNamed, category }) => history.state.given.size > 0 && (isNamed || category !== undefined),
  async play(history, place: Place, { by, picks, whose, isNamed, category }) {
    const ids = idsOf(history, picks, whose)
    if (ids.length === 0) return
    const name = isNamed ? `Edited ${history.next()} é` : undefined
    const options = [name && `--name '${name}'`, category !== undefined && `--category ${category}`].filter(Boolean)
    history.tell(`pets edit ${ids.join(' ')} ${options.join(' ')}`)
    const changes = { ...(name !== undefined && { name }), ...(category !== undefined && { categoryId: category }) }
    const operator = await place.operator(by)
    const { missing } = await operator.store.records.change(ids, changes, authorOf(operator))
    assertSame('whether it was done', missing.length === 0, change(history.state, ids, changes, place.nowMs()))
  },
})

/** Of animals that are in one place and go to the other. */
const moves = [
  { act: 'remove', line: 'remove', from: 'animals', move: remove },
  { act: 'restore', line: 'restore-animal', from: 'removed', move: restore },
] as const
const moving = moves.map(({ act, line, from, move }) =>
  stepsOf({
    name: line,
    weight: 3,
    draw: fc.record({ by: by(), picks: several(), whose }),
    can: ({ state }) => (from === 'removed' ? state.removed : state.given).size > 0,
    async play(history, place: Place, { by, picks, whose }) {
      const { state } = history
      const ids = picksOf([...(whose === 'live' ? state[from].keys() : state.given)], picks)
      if (ids.length === 0) return
      history.tell(`pets ${line} ${ids.join(' ')}`)
      const operator = await place.operator(by)
      const { missing } = await operator.store.records[act](ids, authorOf(operator))
      assertSame('whether it was done', missing.length === 0, move(state, ids, place.nowMs()))
    },
  }),
)

interface ImportOptions {
  readonly withIds: boolean
  readonly allowDuplicates: boolean
  readonly skipInvalid: boolean
  readonly dryRun: boolean
}

interface ImportStep extends ImportOptions {
  readonly rows: number
  /** Some row that is there already, or no animal at all, or an id that is taken. */
  readonly odd: 'nothing' | 'there' | 'bad' | 'taken' | 'twice'
  readonly picks: readonly number[]
}

const importing = stepsOf({
  name: 'import',
  weight: 3,
  draw: fc.record({
    by: by(),
    rows: fc.integer({ min: 1, max: 12 }),
    withIds: fc.boolean(),
    allowDuplicates: fc.boolean(),
    skipInvalid: fc.boolean(),
    picks: several(),
    dryRun: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    odd: fc.oneof(
      { weight: 4, arbitrary: fc.constant('nothing' as const) },
      { weight: 2, arbitrary: fc.constantFrom('there' as const, 'bad' as const, 'taken' as const, 'twice' as const) },
    ),
  }),
  async play(history, place: Place, { by, ...step }) {
    const { state } = history
    const { withIds, skipInvalid, allowDuplicates, dryRun, odd } = step
    const rows = rowsOf(history, step)
    const good = rows.filter(({ isBad }) => !isBad)
    const source = `i${history.next()}.csv`
    const csv = csvOf(rows, withIds)
    const options = { withIds, skipInvalid, allowDuplicates, dryRun }
    const flags = flagsOf(options).join(' ')
    history.tell(`printf '${csv.replaceAll('\n', '\\n')}' > ${source}; pets import ${source} ${flags}`)
    const before = highestOf(state)
    const isRefused =
      (good.length < rows.length && !skipInvalid) ||
      (withIds && hasTaken(history, good)) ||
      (!withIds && !allowDuplicates && duplicates(state, good) > 0)
    const n = await importCsv(await place.operator(by), csv, { source, ...options })
    const isDone = !isRefused && !dryRun && good.length > 0
    assertSame(`whether the import (${odd}) was done`, n !== undefined, isDone)
    if (n === undefined) return
    assertSame('a number of an import that is free', state.imports.has(n), false)
    const ids = withIds ? good.map(({ id }) => id) : await newIds(place, before, good.length)
    for (const id of ids) if (!withIds) assertSame(`the id ${id} was given before`, state.given.has(id), false)
    const animals = good.map(
      ({ name, categoryId, status }, row) => [ids[row] ?? 0n, { name, categoryId, status }] as const,
    )
    importAll(state, n, new Map(animals), source, place.nowMs())
  },
})

async function importCsv(
  operator: Issuer,
  csv: string,
  { skipInvalid, ...options }: ImportOptions & { source: string },
) {
  const { allowDuplicates, withIds, source, dryRun } = options
  const duplicates = allowDuplicates ? 'add' : 'refuse'
  const job = {
    rowLimit: BODY_LIMIT,
    by: authorOf(operator),
    dryRun,
    source,
    withIds,
    skipInvalid,
    duplicates,
  } as const
  try {
    return (await readInto(operator.store, csv, job)).outcome?.n
  } catch (error) {
    if (error instanceof BadRows) return undefined
    throw error
  }
}

function flagsOf(options: ImportOptions): readonly string[] {
  const all = Object.entries(options).flatMap(([name, isSet]) => (isSet ? name : []))
  return all.map((name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
}

interface Row extends Animal {
  readonly id: bigint
  readonly isBad: boolean
}

function rowsOf(history: History, { rows, odd, picks }: ImportStep): readonly Row[] {
  const { animals, removed } = history.state
  const [there] = picksOf([...animals.values()], picks)
  const [taken] = picksOf([...animals.keys(), ...removed.keys()], picks)
  // Ids beyond all that were given, or in the gaps that earlier ones have left.
  const first = (picks[0] ?? 0) < 0.5 ? highestOf(history.state) + 1n + BigInt(history.next() % 3) : 1n
  const free: bigint[] = []
  for (let id = first; free.length < rows; id += 1n) if (!animals.has(id) && !removed.has(id)) free.push(id)
  return free.map((id, row) => {
    const status = pickOf(['available', 'pending', 'sold', undefined], (row % 4) / 4)
    const animal = { name: `Import ${history.next()}.${row}`, categoryId: BigInt(row % 3), status }
    const isLast = row === rows - 1
    const isLike = isLast && odd === 'there' && there !== undefined && isPlain(there.name)
    return {
      ...animal,
      ...(isLike && { name: there.name, categoryId: there.categoryId }),
      id: isLast && odd === 'taken' && taken !== undefined ? taken : isLast && odd === 'twice' ? (free[0] ?? id) : id,
      isBad: isLast && odd === 'bad',
    }
  })
}

const isPlain = (name: string) => /^[A-Za-z0-9. é]+$/.test(name) && name.trim() === name

function csvOf(rows: readonly Row[], withIds: boolean): string {
  const lines = rows.map(({ id, name, categoryId, status, isBad }) =>
    [...(withIds ? [id] : []), name, categoryId, isBad ? 'no status' : (status ?? '')].join(','),
  )
  return `${[withIds ? 'id,name,categoryId,status' : 'name,categoryId,status', ...lines].join('\n')}\n`
}

function hasTaken({ state: { animals, removed } }: History, rows: readonly Row[]): boolean {
  const ids = rows.map(({ id }) => id)
  return new Set(ids).size < ids.length || ids.some((id) => animals.has(id) || removed.has(id))
}

/** The ids that the service has given to the rows, which are there in their order. */
async function newIds(place: Place, after: bigint, rows: number): Promise<readonly bigint[]> {
  const added = await place.exported(after)
  assertSame('how many animals were added', added.length, rows)
  return added.map((json) => BigInt(/"id":(\d+)/.exec(json)?.[1] ?? '0'))
}

function highestOf({ given }: OperatorState): bigint {
  return [...given].reduce((most, id) => (id > most ? id : most), 0n)
}

const undoing = stepsOf({
  name: 'undo',
  weight: 2,
  draw: fc.record({ by: by(), pick: fraction() }),
  can: (history) => history.state.imports.size > 0,
  async play(history, place: Place, { by, pick }) {
    const n = pickOf([...history.state.imports.keys()], pick) ?? 99n
    history.tell(`pets imports undo ${n}`)
    const operator = await place.operator(by)
    const undone = await operator.store.imports.undo(n, authorOf(operator))
    assertSame('what the undo says', undone, undo(history.state, n, place.nowMs()))
  },
})

export const animalSteps = [setStatus, edit, ...moving, importing, undoing]
