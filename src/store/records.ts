/**
 * How people edit, remove and restore animals, and read the journal. Each call is one transaction with its entries, and
 * locks rows in the order of their ids. Only results are visible in the API (O3), and an id is never given again (R4).
 */
import { fold } from '../common/fold.ts'
import type { NewPet } from '../contract/schemas.ts'
import { BRIEF_NAME, FORMS_KEPT, PURGE_MS, RESTORABLE_MS } from '../rules/bounds.ts'
import { type ChangeMode, type ChangeTarget, mayUndo, partition, untouched, versionsOf } from '../rules/changes.ts'
import { exportedValues, type JournalAct } from '../rules/journal.ts'
import { type AnimalChanges, difference, ofTexts, TEXT_MEMBERS, type TextMember } from '../rules/members.ts'
import type { AnimalFilter } from '../rules/search.ts'
import {
  insertAnimal,
  lockAnimals,
  membersOf,
  removeAnimals,
  restoreAnimals,
  selectAny,
  setMembers,
  TextTaken,
  textsOf,
  undoEntries,
} from './animals.ts'
import type { Author } from './author.ts'
import { ENTRY, type JournalEntry, statesOf, write } from './journal.ts'
import { type AnimalRecord, TEXT_TABLES } from './rows.ts'
import { Search } from './search.ts'
import { big, type Dialect, int, type Methods, type Sql, selectIds, table, text, type Value } from './sql.ts'
import { noteReturns } from './waits.ts'

export interface ChangeOutcome {
  readonly changed: number
  /** All affected animals as they are now; none if nothing was done. */
  readonly pets: readonly AnimalRecord[]
  readonly missing: readonly bigint[]
  /** The animals that someone changed since they were read. */
  readonly conflicts: readonly AnimalRecord[]
  readonly actN?: bigint | undefined
  /** The owner of a reference that is taken; then nothing was done. */
  readonly textConflict?: string
}

interface NewAnimal extends NewPet, Readonly<Partial<Record<TextMember, string | null>>> {
  /** The arrival day, since 1970; today by default. */
  readonly cameOn?: number | undefined
}

interface Addition extends Pick<ChangeOutcome, 'textConflict'> {
  readonly pet: AnimalRecord | undefined
  readonly isNew: boolean
}

interface JournalFilters {
  readonly petId?: bigint | undefined
  readonly petIds?: readonly bigint[]
  readonly keyId?: string | undefined
  readonly acts?: readonly JournalAct[]
  readonly partOf?: bigint
  readonly sinceMs?: number | undefined
  /** Only entries from this one on, which limits the search. */
  readonly from?: bigint
  readonly before?: bigint | undefined
}

export interface JournalQuery extends JournalFilters {
  /** Part of the author's name, ignoring case and accents. */
  readonly who?: string | undefined
  /** Shows an act on several animals by its own entry, without its parts. */
  readonly isWhole?: boolean
  /** Returns only the beginnings of names (BRIEF_NAME). */
  readonly isBrief?: boolean
  readonly limit: number
}

type JournalCondition = readonly [about: 'animals' | 'entries', sql: (n: number, isIn: Dialect['isIn']) => string]

const CONDITIONS: { readonly [Name in keyof JournalFilters]-?: JournalCondition } = {
  petId: ['animals', (n) => `pet_id = $${n}`],
  petIds: ['animals', (n, isIn) => isIn('pet_id', n)],
  keyId: ['entries', (n) => `key_id = $${n}`],
  acts: ['entries', (n, isIn) => isIn('act', n)],
  partOf: ['animals', (n) => `part_of = $${n}`],
  sinceMs: ['entries', (n) => `at_ms >= $${n}`],
  from: ['entries', (n) => `n >= $${n}`],
  before: ['entries', (n) => `n < $${n}`],
}

export type AnimalRecords = Methods<Records>

const NOTHING: ChangeOutcome = { changed: 0, pets: [], missing: [], conflicts: [] }

const DONE = table({ petId: 'bigint', atMs: 'int', who: 'text' })
const PART = table({ id: ['bigint', 'pet_id'], version: ['bigint', 'n'] })
const PARTS = table({ n: ['bigint', 'part_of'], act: 'text', animals: ['int', 'count(*)'] })

export class Records extends Search {
  /** Also a removed animal; undefined if it never existed or was deleted permanently. */
  async get(id: bigint): Promise<AnimalRecord | undefined> {
    const [pet] = await selectAny(this.db, this.db.read, [id])
    return pet
  }

  /** A repeated `formToken` adds nothing and returns the same animal, or none after a purge. */
  add({ cameOn, ...pet }: NewAnimal, by: Author, formToken: string): Promise<Addition> {
    return this.#unlessTaken<Addition>({ pet: undefined, isNew: false }, async (sql) => {
      const oldest = `SELECT at_ms FROM additions ORDER BY at_ms DESC LIMIT 1 OFFSET ${FORMS_KEPT - 1}`
      await sql(`DELETE FROM additions WHERE at_ms < (${oldest})`)
      // A simultaneous request waits. Numbers continue, because the clock might have been ahead.
      const next = '(SELECT coalesce(max(at_ms), 0) + 1 FROM additions)'
      const token = `INSERT INTO additions VALUES ($1, 0, ${next}) ON CONFLICT DO NOTHING RETURNING 1`
      const isNew = (await sql(token, [formToken])).length > 0
      if (isNew) {
        const petId = await insertAnimal(this.db, sql, pet)
        await sql('UPDATE additions SET pet_id = $1 WHERE once = $2', [petId, formToken])
        const atMs = cameOn === undefined ? by.atMs : undefined
        await sql('INSERT INTO arrivals (pet_id, day, at_ms) VALUES ($1, $2, $3)', [petId, cameOn, atMs])
        const changes = ofTexts((name) => pet[name] ?? null)
        await setMembers(this.db, sql, [{ petId, changes }])
        const added = { ...pet, status: pet.status ?? null, ...changes }
        await write(this.db, sql, by, [{ act: 'add', petId, ...difference({}, added), ...statesOf(undefined, added) }])
      }
      const [addition] = await sql('SELECT pet_id FROM additions WHERE once = $1', [formToken])
      const [stored] = await selectAny(this.db, sql, [big(addition?.[0])])
      return { pet: stored, isNew }
    })
  }

  /** Who added or removed these animals last, and when, as far as known. */
  async authors(act: 'add' | 'remove', ids: readonly bigint[]): Promise<ReadonlyMap<bigint, Author>> {
    const entries = `FROM journal WHERE ${this.db.dialect.isIn('pet_id', 1)} AND act = $2 ORDER BY n`
    const rows = await DONE.select(this.db.read, entries, [ids, act])
    return new Map(rows.map(({ petId, ...by }) => [petId, by]))
  }

  /** Changes all or none, unless `mode` differs. It conflicts if someone changed the same or removed the animal. */
  change(
    targets: readonly ChangeTarget[],
    changes: AnimalChanges,
    by: Author,
    mode: ChangeMode = 'all or none',
  ): Promise<ChangeOutcome> {
    const isBrief = mode === 'all that can be' && changes.name === undefined
    return this.#unlessTaken<ChangeOutcome>(NOTHING, async (sql) => {
      const pets = (await this.#lock(sql, targets, isBrief)).filter(isThere)
      const open = untouched(targets, pets, await this.#since(sql, targets, pets), Object.keys(changes))
      const { reached, missing, conflicts } = partition(targets, pets, mode, ({ id }) => open.has(id))
      const changed = TEXT_MEMBERS.filter((name) => changes[name] !== undefined)
      const texts = await textsOf(this.db, sql, idsOf(reached), changed)
      const edits = reached.flatMap((pet) => {
        const before = membersOf(pet, texts)
        const values = difference(before, changes)
        if (values === undefined) return []
        const states = statesOf(before, { ...before, ...changes })
        return [{ act: 'edit' as const, petId: BigInt(pet.id), changes, ...values, ...states }]
      })
      await setMembers(this.db, sql, edits)
      const actN = await write(this.db, sql, by, edits)
      if (changes.status !== undefined) {
        const away = reached.filter(({ status }) => status !== 'available' && status !== 'pending')
        await noteReturns(this.db, sql, idsOf(away))
      }
      const now = await selectAny(this.db, sql, idsOf(reached), isBrief)
      return { changed: edits.length, pets: now, missing, conflicts, actN }
    })
  }

  remove(targets: readonly ChangeTarget[], by: Author, mode?: ChangeMode): Promise<ChangeOutcome> {
    return this.#move(targets, 'remove', by, mode)
  }

  /** Restores all of these animals or none, unless `mode` differs. */
  restore(targets: readonly ChangeTarget[], by: Author, mode?: ChangeMode): Promise<ChangeOutcome> {
    return this.#move(targets, 'restore', by, mode)
  }

  /** Undoes the newest entry of each animal, which must be its version. */
  undo(
    targets: readonly Exclude<ChangeTarget, bigint>[],
    by: Author,
    mode: ChangeMode = 'all or none',
  ): Promise<ChangeOutcome> {
    return this.#unlessTaken<ChangeOutcome>(NOTHING, async (sql) => {
      const pets = await this.#lock(sql, targets)
      const versions = targets.map(({ version }) => version)
      const newest = await ENTRY.select(sql, `FROM journal WHERE ${this.db.dialect.isIn('n', 1)}`, [versions])
      const entries = new Map(newest.map((entry) => [entry.petId, entry]))
      const isOpen = (pet: AnimalRecord, isAsRead: boolean) =>
        isAsRead && mayUndo(entries.get(pet.id)?.act, !isThere(pet))
      const { reached, missing, conflicts } = partition(targets, pets, mode, isOpen)
      const undone = reached.flatMap(({ id }): JournalEntry[] => {
        const entry = entries.get(id)
        if (entry === undefined || entry.act === 'edit') return entry ? [entry] : []
        return [{ ...entry, from: undefined, to: undefined }]
      })
      const actN = await undoEntries(this.db, sql, undone, by)
      const now = await selectAny(this.db, sql, idsOf(reached), mode === 'all that can be')
      return { changed: reached.length, pets: now, missing, conflicts, actN }
    })
  }

  async parts(actN: bigint, limit: number): Promise<readonly { id: bigint; version: bigint }[]> {
    return PART.select(this.db.read, 'FROM journal WHERE part_of = $1 ORDER BY n LIMIT $2', [actN, limit])
  }

  /** For each act, the number of animals by what was done to them. */
  async partsOf(actNs: readonly bigint[]): Promise<ReadonlyMap<bigint, Readonly<Record<string, number>>>> {
    if (actNs.length === 0) return new Map()
    const acts = `FROM journal WHERE ${this.db.dialect.isIn('part_of', 1)} GROUP BY part_of, act`
    const byAct = Map.groupBy(await PARTS.select(this.db.read, acts, [actNs]), ({ n }) => n)
    return new Map(
      [...byAct].map(([n, parts]) => [n, Object.fromEntries(parts.map(({ act, animals }) => [act, animals]))]),
    )
  }

  async #move(
    targets: readonly ChangeTarget[],
    act: 'remove' | 'restore',
    by: Author,
    mode: ChangeMode = 'all or none',
  ): Promise<ChangeOutcome> {
    return this.db.write(async (sql) => {
      const isBrief = mode === 'all that can be'
      const pets = (await this.#lock(sql, targets, isBrief)).filter((pet) => isThere(pet) === (act === 'remove'))
      const { reached, missing, conflicts } = partition(targets, pets, mode, (_pet, isAsRead) => isAsRead)
      const ids = idsOf(reached)
      if (act === 'remove') await removeAnimals(sql, this.db.dialect.isIn('id', 1), [ids], by.atMs)
      else await restoreAnimals(this.db, sql, ids)
      const entries = reached.map((pet) => {
        const state = { status: pet.status ?? null, categoryId: BigInt(pet.categoryId) }
        return { act, petId: BigInt(pet.id), ...statesOf(state, state) }
      })
      const actN = await write(this.db, sql, by, entries)
      return { changed: ids.length, pets: await selectAny(this.db, sql, ids, isBrief), missing, conflicts, actN }
    })
  }

  async #unlessTaken<T>(nothing: T, work: (sql: Sql) => Promise<T>): Promise<T> {
    try {
      return await this.db.write(work)
    } catch (error) {
      if (!(error instanceof TextTaken)) throw error
      return { ...nothing, textConflict: error.message }
    }
  }

  async #lock(sql: Sql, targets: readonly ChangeTarget[], isBrief = false): Promise<readonly AnimalRecord[]> {
    const ids = [...versionsOf(targets).keys()]
    await lockAnimals(this.db, sql, this.db.dialect.isIn('id', 1), [ids])
    return selectAny(this.db, sql, ids, isBrief)
  }

  #since(sql: Sql, targets: readonly ChangeTarget[], pets: readonly AnimalRecord[]): Promise<readonly JournalEntry[]> {
    const versions = versionsOf(targets)
    const newer = pets.flatMap(({ id, version }) => {
      const since = versions.get(BigInt(id)) ?? version
      return since < version ? [{ id: BigInt(id), since }] : []
    })
    const oldest = newer.reduce((least, { since }) => (since < least ? since : least), newer[0]?.since ?? 0n)
    const ids = newer.map(({ id }) => id)
    return ENTRY.select(sql, `FROM journal WHERE ${this.db.dialect.isIn('pet_id', 1)} AND n > $2`, [ids, oldest])
  }

  /** Resolves to the number of animals. Two looks PURGE_MS apart must agree, in case the clock was ahead. */
  purge(by: Author): Promise<number> {
    return this.db.write(async (sql) => {
      const [[cell] = []] = await sql("SELECT value FROM shelter WHERE member = 'purge'")
      const lastLookMs = cell === undefined || int(cell) > by.atMs ? undefined : int(cell)
      if (lastLookMs !== undefined && by.atMs - lastLookMs < PURGE_MS) return 0
      const note = `INSERT INTO shelter VALUES ('purge', $1) ON CONFLICT (member) DO UPDATE SET value = excluded.value`
      await sql(note, [String(by.atMs)])
      if (lastLookMs === undefined) return 0
      const over = 'DELETE FROM removed_pets WHERE removed_at_ms < $1 RETURNING id'
      const ids = (await selectIds(sql, over, [lastLookMs - RESTORABLE_MS])).sort((a, b) => (a < b ? -1 : 1))
      // Arrival date and entries stay, because the monthly report counts them.
      for (const table of Object.values(TEXT_TABLES))
        await sql(`DELETE FROM ${table} WHERE ${this.db.dialect.isIn('pet_id', 1)}`, [ids])
      const entry = (petId: bigint) => ({ act: 'purge' as const, petId })
      await write(this.db, sql, by, ids.map(entry))
      return ids.length
    })
  }

  noteExport(format: string, animals: AnimalFilter, by: Author): Promise<void> {
    return this.db.write(async (sql) => {
      await write(this.db, sql, by, [{ act: 'export', to: exportedValues(format, animals) }])
    })
  }

  /** The beginnings of the names of these animals, as they are or were when removed. */
  async names(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
    const pets = await selectAny(this.db, this.db.read, ids, true)
    return new Map(pets.map(({ id, name }) => [BigInt(id), name]))
  }

  async journal(query: JournalQuery): Promise<readonly JournalEntry[]> {
    const values: Value[] = [query.limit]
    const conditions = ['true']
    const { isIn } = this.db.dialect
    let hasParts = query.isWhole !== true
    for (const [name, [about, condition]] of Object.entries(CONDITIONS)) {
      const value = query[name as keyof JournalFilters]
      if (value === undefined) continue
      conditions.push(condition(values.push(value), isIn))
      if (about === 'animals') hasParts = true
    }
    if (query.who !== undefined) conditions.push(isIn('who', values.push(await this.#authorsNamed(query.who))))
    if (!hasParts) conditions.push('part_of IS NULL')
    const source = `FROM journal WHERE ${conditions.join(' AND ')} ORDER BY n DESC LIMIT $1`
    const isQuick = [query.petId, query.petIds, query.keyId, query.partOf, query.from].some(
      (bound) => bound !== undefined,
    )
    const entries = await ENTRY.select(isQuick ? this.db.read : this.db.scan, source, values)
    if (!query.isBrief) return entries
    return entries.map((entry) => ({ ...entry, from: briefly(entry.from), to: briefly(entry.to) }))
  }

  async #authorsNamed(part: string): Promise<readonly string[]> {
    const rows = await this.db.scan(`
      WITH RECURSIVE authors (who) AS (
        SELECT min(who) FROM journal
        UNION ALL SELECT (SELECT min(who) FROM journal WHERE who > authors.who) FROM authors WHERE authors.who IS NOT NULL
      ) SELECT who FROM authors WHERE who IS NOT NULL`)
    const foldedPart = fold(part)
    return rows.map(([who]) => text(who)).filter((who) => fold(who).includes(foldedPart))
  }
}

function isThere({ removedAtMs }: AnimalRecord): boolean {
  return removedAtMs === undefined
}

function idsOf(pets: readonly AnimalRecord[]): readonly bigint[] {
  return pets.map(({ id }) => BigInt(id))
}

function briefly(values: string | undefined): string | undefined {
  if (values === undefined || values.length <= BRIEF_NAME) return values
  const { name } = JSON.parse(values) as { name?: unknown }
  if (typeof name !== 'string') return values
  const beginning = [...name.slice(0, 2 * BRIEF_NAME + 2)].slice(0, BRIEF_NAME + 1).join('')
  return values.replace(JSON.stringify(name), () => JSON.stringify(beginning))
}
