/**
 * The operator's side of the animals: edit, remove and restore them, and the journal; ./search.ts finds them. None of
 * it is an operation of the interface (O3), which shows only the results. Each call is one transaction with its journal
 * entries. Rows are locked in the order of their ids, so two people who change the same animals cannot deadlock. A
 * removed animal disappears from the interface at once and can be restored until it is purged; its id is never given
 * again (R4).
 */
import { fold } from '../common/fold.ts'
import { isPetStatus, type NewPet, type PetStatus } from '../contract/schemas.ts'
import type { Author } from './author.ts'
import { BRIEF_NAME, FORMS_KEPT } from './bounds.ts'
import { addedValues, type Entry, exportedValues, JOURNAL_ACTS, type JournalAct, write, writeAll } from './journal.ts'
import { ReferenceTaken, referencesOf, setReferences } from './references.ts'
import { type PetRecord, type StoredPet, selectPets, toRecord } from './rows.ts'

export type { PetRecord } from './rows.ts'

import { type Choice, Search } from './search.ts'
import {
  big,
  type Database,
  foldedOf,
  hold,
  int,
  type Methods,
  optionalText,
  type Sql,
  text,
  type Value,
} from './sql.ts'

/** New values of an animal. An absent member stays unchanged; null removes a status (O4) or a reference. */
export interface PetChanges {
  readonly name?: string
  readonly categoryId?: bigint
  readonly status?: PetStatus | null
  /** As an import reads it; no two animals have one (./references.ts). */
  readonly reference?: string | null
}

/** An animal to be changed; with the version that the author read, if the change depends on it. */
export type Target = bigint | { readonly id: bigint; readonly version: bigint }

/**
 * What happens to the others if some animals are missing or have another version. With 'all that can be', a change that
 * sets no name returns only the beginnings of names (BRIEF_NAME, ./bounds.ts).
 */
type Reach = 'all or none' | 'all that can be'

/**
 * Whose animals a removal or a return may reach: with `own`, those that the author has added (or removed, to bring them
 * back), if nobody else has changed them since. Others are told as conflicts.
 */
export type Whose = 'any' | 'own'

export interface ChangeOutcome {
  /** Animals that did not have the values already. */
  readonly changed: number
  /** All animals reached, as they are now; none if nothing was done. */
  readonly pets: readonly PetRecord[]
  readonly missing: readonly bigint[]
  /**
   * Animals of which somebody has changed the same since the version that the author read, or not the author's own if
   * they must be, as they are now.
   */
  readonly conflicts: readonly PetRecord[]
  /** Set if nothing was done, because another animal has the reference: whose it is, as a part of a sentence. */
  readonly taken?: string
}

interface Added {
  /** Undefined if it has been purged since. */
  readonly pet: PetRecord | undefined
  /** False if it was there already: the same form was sent again. */
  readonly isNew: boolean
}

export interface JournalEntry {
  /** Counts up from 1. */
  readonly n: bigint
  readonly atMs: number
  readonly who: string
  readonly act: JournalAct
  /** Decimal; undefined if the entry is not about a single animal. */
  readonly petId: string | undefined
  readonly keyId: string | undefined
  /** The values before and after, as JSON objects. */
  readonly from: string | undefined
  readonly to: string | undefined
  /** The number of the entry that this one takes back. */
  readonly undoes?: bigint
}

export interface JournalQuery {
  readonly petId: bigint | undefined
  /** Only entries of these animals. */
  readonly petIds?: readonly bigint[]
  readonly keyId: string | undefined
  /** A part of the author's name, ignoring case and accents. */
  readonly who?: string | undefined
  /** Only entries of these acts. */
  readonly acts?: readonly JournalAct[]
  /** Unix ms; only entries since then. */
  readonly sinceMs: number | undefined
  /** Unix ms; only entries before then. */
  readonly untilMs?: number | undefined
  /** Only entries from this one on: bounds what a filter that finds little looks at. */
  readonly from?: bigint
  /** Only entries older than this one: where the previous page ended. */
  readonly before: bigint | undefined
  /** Returns only the beginnings of names (BRIEF_NAME). */
  readonly isBrief?: boolean
  readonly limit: number
}

/** Where animals are: what is locked in both is locked in this order. */
export const PET_TABLES = ['pets', 'removed_pets'] as const
/** What an animal keeps when it is removed or comes back. */
export const PET = 'id, name, category_id, status, folded'

export type PetRecords = Methods<Records>

export class Records extends Search {
  readonly #db: Database

  constructor(db: Database) {
    super(db)
    this.#db = db
  }

  /** An animal, removed or not; undefined if it never existed or has been purged. */
  async get(id: bigint): Promise<PetRecord | undefined> {
    const [pet] = await selectAny(this.#db, this.#db.read, [id])
    return pet
  }

  /**
   * Adds an animal for a person. `formToken` makes a repeated form add one animal: the same token again adds nothing
   * and returns the same animal (FORMS_KEPT).
   */
  add(pet: NewPet, by: Author, formToken: string): Promise<Added> {
    return this.#db.write(async (sql) => {
      const oldest = `SELECT at_ms FROM additions ORDER BY at_ms DESC LIMIT 1 OFFSET ${FORMS_KEPT - 1}`
      await sql(`DELETE FROM additions WHERE at_ms < (${oldest})`)
      // Of two requests at once the second one waits for the first.
      const token = 'INSERT INTO additions VALUES ($1, 0, $2) ON CONFLICT DO NOTHING RETURNING 1'
      const isNew = (await sql(token, [formToken, by.atMs])).length > 0
      if (isNew) {
        const petId = await insertPet(this.#db, sql, pet)
        await sql('UPDATE additions SET pet_id = $1 WHERE once = $2', [petId, formToken])
        await write(this.#db, sql, by, 'add', { petId, to: addedValues(pet) })
      }
      const [known] = await sql('SELECT pet_id FROM additions WHERE once = $1', [formToken])
      const [found] = await selectAny(this.#db, sql, [big(known?.[0])])
      return { pet: found, isNew }
    })
  }

  /** Who added or removed these animals last, and when; only those of which the journal says it. */
  async authors(act: 'add' | 'remove', ids: readonly bigint[]): Promise<ReadonlyMap<bigint, Author>> {
    const rows = await this.#db.read(
      `SELECT pet_id, at_ms, who FROM journal WHERE ${this.#db.dialect.isIn('pet_id', 1)} AND act = $2 ORDER BY n`,
      [ids, act],
    )
    return new Map(rows.map(([id, atMs, who]) => [big(id), { atMs: int(atMs), who: text(who) }]))
  }

  /**
   * All of these animals or none, unless `reach` says otherwise. A change that depends on a version is a conflict only
   * where somebody has changed the same since, or the animal was removed.
   */
  change(
    targets: readonly Target[],
    changes: PetChanges,
    by: Author,
    reach: Reach = 'all or none',
  ): Promise<ChangeOutcome> {
    const isBrief = reach === 'all that can be' && changes.name === undefined
    return this.#unlessTaken(async (sql) => {
      const pets = (await this.#held(sql, targets, isBrief)).filter(isThere)
      const untouched = await this.#untouched(sql, targets, pets, Object.keys(changes))
      const { reached, missing, conflicts } = sort(targets, pets, reach, (pet) => untouched.has(pet.id))
      const references = await referencesOf(this.#db, sql, changes.reference === undefined ? [] : idsOf(reached))
      const edits = reached.flatMap((pet) => {
        const values = difference(pet, references, changes)
        return values === undefined ? [] : [{ petId: BigInt(pet.id), ...values }]
      })
      await update(
        this.#db,
        sql,
        edits.map(({ petId }) => petId),
        changes,
      )
      await write(this.#db, sql, by, 'edit', ...edits)
      const now = await selectAny(this.#db, sql, idsOf(reached), isBrief)
      return { changed: edits.length, pets: now, missing, conflicts }
    })
  }

  /** All of these animals or none. */
  remove(targets: readonly Target[], by: Author, whose: Whose = 'any'): Promise<ChangeOutcome> {
    return this.#move(targets, 'remove', by, whose)
  }

  /** Brings removed animals back as they were; all of them or none. */
  restore(targets: readonly Target[], by: Author, whose: Whose = 'any'): Promise<ChangeOutcome> {
    return this.#move(targets, 'restore', by, whose)
  }

  /**
   * Takes back the newest entry of each of these animals, which has to be the version: an edit by the former values, a
   * removal by a return, an addition or a return by a removal. The new entry names the one that it takes back.
   */
  undo(
    targets: readonly Exclude<Target, bigint>[],
    by: Author,
    whose: Whose = 'any',
    reach: Reach = 'all or none',
  ): Promise<ChangeOutcome> {
    return this.#unlessTaken(async (sql) => {
      const pets = await this.#held(sql, targets)
      const versions = targets.map(({ version }) => version)
      const newest = await readEntries(sql, this.#db.dialect.isIn('n', 1), [versions])
      const entries = new Map(newest.map((entry) => [entry.petId, entry]))
      const added = await this.#own(sql, 'add', targets, by, whose)
      const removed = await this.#own(sql, 'remove', targets, by, whose)
      const { reached, missing, conflicts } = sort(targets, pets, reach, (pet) => {
        const { id, removedAtMs } = pet
        const act = isAsRead(targets, pet) ? entries.get(id)?.act : undefined
        if (act === 'edit') return removedAtMs === undefined
        if (act === 'remove') return removedAtMs !== undefined && removed(id)
        return (act === 'add' || act === 'restore') && removedAtMs === undefined && added(id)
      })
      const references = await referencesOf(this.#db, sql, idsOf(reached))
      const undone = reached.map((pet): DoneEntry => {
        const { act = 'edit', from = '{}' } = entries.get(pet.id) ?? {}
        const back = act === 'edit' ? difference(pet, references, formerValues(from)) : undefined
        return { n: pet.version, petId: BigInt(pet.id), act, from: back?.to, to: back?.from }
      })
      await takeBack(this.#db, sql, undone, by)
      const now = await selectAny(this.#db, sql, idsOf(reached), reach === 'all that can be')
      return { changed: reached.length, pets: now, missing, conflicts }
    })
  }

  async #move(targets: readonly Target[], act: 'remove' | 'restore', by: Author, whose: Whose): Promise<ChangeOutcome> {
    return this.#db.write(async (sql) => {
      const pets = (await this.#held(sql, targets)).filter((pet) => isThere(pet) === (act === 'remove'))
      const isOwn = await this.#own(sql, act === 'remove' ? 'add' : 'remove', targets, by, whose)
      const { reached, missing, conflicts } = sort(
        targets,
        pets,
        'all or none',
        (pet) => isAsRead(targets, pet) && isOwn(pet.id),
      )
      const ids = idsOf(reached)
      if (act === 'remove') await removePets(sql, this.#db.dialect.isIn('id', 1), [ids], by.atMs)
      else await restorePets(this.#db, sql, ids)
      await write(this.#db, sql, by, act, ...ids.map((petId) => ({ petId })))
      return { changed: ids.length, pets: await selectAny(this.#db, sql, ids), missing, conflicts }
    })
  }

  async #unlessTaken(work: (sql: Sql) => Promise<ChangeOutcome>): Promise<ChangeOutcome> {
    try {
      return await this.#db.write(work)
    } catch (error) {
      if (!(error instanceof ReferenceTaken)) throw error
      return { changed: 0, pets: [], missing: [], conflicts: [], taken: error.message }
    }
  }

  /** The animals, removed or not, locked. */
  async #held(sql: Sql, targets: readonly Target[], isBrief = false): Promise<readonly PetRecord[]> {
    const ids = [...versionsOf(targets).keys()]
    for (const table of PET_TABLES) await hold(this.#db, sql, table, this.#db.dialect.isIn('id', 1), [ids])
    return selectAny(this.#db, sql, ids, isBrief)
  }

  /** The animals of which nobody has changed these members since the version of the target. */
  async #untouched(
    sql: Sql,
    targets: readonly Target[],
    pets: readonly PetRecord[],
    members: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const versions = versionsOf(targets)
    const since = (pet: PetRecord) => versions.get(BigInt(pet.id)) ?? pet.version
    const newer = pets.filter((pet) => since(pet) < pet.version)
    const oldest = newer.reduce((least, pet) => (since(pet) < least ? since(pet) : least), newer[0]?.version ?? 0n)
    const rows = await sql(
      `SELECT pet_id, n, act, from_values, to_values FROM journal WHERE ${this.#db.dialect.isIn('pet_id', 1)} AND n > $2`,
      [idsOf(newer), oldest],
    )
    const untouched = new Set(pets.filter((pet) => since(pet) <= pet.version).map(({ id }) => id))
    for (const [petId, n, act, from, to] of rows) {
      const pet = newer.find(({ id }) => id === String(petId))
      if (pet === undefined || big(n) <= since(pet)) continue
      const touched = [...Object.keys(JSON.parse(text(from) || '{}')), ...Object.keys(JSON.parse(text(to) || '{}'))]
      if (act !== 'edit' || touched.some((member) => members.includes(member))) untouched.delete(pet.id)
    }
    return untouched
  }

  /** Whether the author did this act with an animal, and nobody else anything since; always, if anybody's will do. */
  async #own(sql: Sql, act: 'add' | 'remove', targets: readonly Target[], { who }: Author, whose: Whose) {
    if (whose === 'any') return () => true
    const rows = await sql(
      `SELECT pet_id FROM journal AS mine WHERE ${this.#db.dialect.isIn('pet_id', 1)} AND act = $2 AND who = $3
       AND NOT EXISTS (SELECT 1 FROM journal WHERE pet_id = mine.pet_id AND n > mine.n AND who <> $3)`,
      [[...versionsOf(targets).keys()], act, who],
    )
    const own = new Set(rows.map(([id]) => String(id)))
    return (id: string) => own.has(id)
  }

  /** Deletes animals for good that were removed before `beforeMs`; resolves to their number. */
  purge(beforeMs: number, by: Author): Promise<number> {
    return this.#db.write(async (sql) => {
      const rows = await sql('DELETE FROM removed_pets WHERE removed_at_ms < $1 RETURNING id', [beforeMs])
      const ids = rows.map(([id]) => big(id)).sort((a, b) => (a < b ? -1 : 1))
      for (const table of ['pet_references', 'merged_pets', 'arrivals'])
        await sql(`DELETE FROM ${table} WHERE ${this.#db.dialect.isIn('pet_id', 1)}`, [ids])
      await write(this.#db, sql, by, 'purge', ...ids.map((petId) => ({ petId })))
      return ids.length
    })
  }

  /** Writes the journal entry of an export in this format, of these animals. */
  noteExport(format: string, animals: Choice, by: Author): Promise<void> {
    return this.#db.write((sql) => write(this.#db, sql, by, 'export', { to: exportedValues(format, animals) }))
  }

  /** The beginnings of the names of these animals, as they are or were when removed, as far as they are there. */
  async names(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
    const pets = await selectAny(this.#db, this.#db.read, ids, true)
    return new Map(pets.map(({ id, name }) => [BigInt(id), name]))
  }

  /** Newest first. */
  async journal(query: JournalQuery): Promise<readonly JournalEntry[]> {
    const values: Value[] = [query.limit]
    const conditions = ['true']
    const add = (value: Value, condition: (n: number) => string) => {
      if (value !== undefined) conditions.push(condition(values.push(value)))
    }
    const { isIn } = this.#db.dialect
    add(query.petId, (n) => `pet_id = $${n}`)
    add(query.petIds, (n) => isIn('pet_id', n))
    add(query.keyId, (n) => `key_id = $${n}`)
    add(query.who === undefined ? undefined : await this.#authorsNamed(query.who), (n) => isIn('who', n))
    add(query.acts, (n) => isIn('act', n))
    add(query.sinceMs, (n) => `at_ms >= $${n}`)
    add(query.untilMs, (n) => `at_ms < $${n}`)
    add(query.before, (n) => `n < $${n}`)
    add(query.from, (n) => `n >= $${n}`)
    const found = `${conditions.join(' AND ')} ORDER BY n DESC LIMIT $1`
    const isQuick = [query.petId, query.petIds, query.keyId, query.from].some((bound) => bound !== undefined)
    const entries = await readEntries(isQuick ? this.#db.read : this.#db.scan, found, values)
    if (!query.isBrief) return entries
    return entries.map((entry) => ({ ...entry, from: briefly(entry.from), to: briefly(entry.to) }))
  }

  /** The authors of the journal whose names have this part. They are few, and found by an index. */
  async #authorsNamed(part: string): Promise<readonly string[]> {
    const rows = await this.#db.scan(`
      WITH RECURSIVE authors (who) AS (
        SELECT min(who) FROM journal
        UNION ALL SELECT (SELECT min(who) FROM journal WHERE who > authors.who) FROM authors WHERE authors.who IS NOT NULL
      ) SELECT who FROM authors WHERE who IS NOT NULL`)
    const wanted = fold(part)
    return rows.map(([who]) => text(who)).filter((who) => fold(who).includes(wanted))
  }
}

/** The versions that the changes depend on; undefined for those that do not. */
function versionsOf(targets: readonly Target[]): ReadonlyMap<bigint, bigint | undefined> {
  return new Map(targets.map((one) => (typeof one === 'bigint' ? [one, undefined] : [one.id, one.version])))
}

/** Whether an animal has the version that the change depends on, if it depends on one. */
function isAsRead(targets: readonly Target[], { id, version }: PetRecord): boolean {
  return (versionsOf(targets).get(BigInt(id)) ?? version) === version
}

function isThere({ removedAtMs }: PetRecord): boolean {
  return removedAtMs === undefined
}

/** Which of the animals a change reaches, and which not; `pets` are those found, of which `isOpen` says more. */
function sort(
  targets: readonly Target[],
  pets: readonly PetRecord[],
  reach: Reach,
  isOpen: (pet: PetRecord) => boolean,
) {
  const found = new Set(pets.map(({ id }) => BigInt(id)))
  const missing = [...versionsOf(targets).keys()].filter((id) => !found.has(id))
  const conflicts = pets.filter((pet) => !isOpen(pet))
  const isRefused = reach === 'all or none' && missing.length + conflicts.length > 0
  return { reached: isRefused ? [] : pets.filter(isOpen), missing, conflicts }
}

function idsOf(pets: readonly PetRecord[]): readonly bigint[] {
  return pets.map(({ id }) => BigInt(id))
}

/**
 * The values that a change replaces, and the new ones, as the journal has them; undefined if the animal already has
 * them.
 */
function difference(
  pet: StoredPet,
  references: ReadonlyMap<bigint, string>,
  changes: PetChanges,
): { from: string; to: string } | undefined {
  const from: string[] = []
  const to: string[] = []
  const compare = (member: string, before: string, after: string) => {
    if (before === after) return
    from.push(`"${member}":${before}`)
    to.push(`"${member}":${after}`)
  }
  if (changes.name !== undefined) compare('name', JSON.stringify(pet.name), JSON.stringify(changes.name))
  if (changes.categoryId !== undefined) compare('categoryId', pet.categoryId, changes.categoryId.toString())
  if (changes.status !== undefined) {
    compare('status', JSON.stringify(pet.status ?? null), JSON.stringify(changes.status))
  }
  if (changes.reference !== undefined) {
    const reference = references.get(BigInt(pet.id)) ?? null
    compare('reference', JSON.stringify(reference), JSON.stringify(changes.reference))
  }
  return from.length === 0 ? undefined : { from: `{${from.join(',')}}`, to: `{${to.join(',')}}` }
}

/** The values that an entry of the journal says, an int64 with all its digits. */
function formerValues(values: string): PetChanges {
  const { name, status, reference } = JSON.parse(values) as Record<'name' | 'reference', string | undefined> & {
    status?: string | null
  }
  const [, categoryId] = /"categoryId":(-?\d+)/.exec(values) ?? []
  return {
    ...(name !== undefined && { name }),
    ...(categoryId !== undefined && { categoryId: BigInt(categoryId) }),
    ...(status !== undefined && { status: isPetStatus(status) ? status : null }),
    ...(reference !== undefined && { reference }),
  }
}

/** In the transaction of its entry; returns its id. */
async function insertPet({ dialect }: Database, sql: Sql, { name, categoryId, status }: NewPet): Promise<bigint> {
  const insert = 'INSERT INTO pets (name, category_id, status, folded) VALUES ($1, $2, $3, $4) RETURNING id'
  const [row] = await sql(insert, [name, categoryId, status, foldedOf(name)])
  const id = big(row?.[0])
  const counted = dialect.counted('pets WHERE id = $1')
  if (counted !== undefined) await sql(counted, [id])
  return id
}

async function update(db: Database, sql: Sql, ids: readonly bigint[], changes: PetChanges): Promise<void> {
  const values: Value[] = [ids]
  const set: string[] = []
  const add = (column: string, value: Value) => set.push(`${column} = $${values.push(value)}`)
  if (changes.name !== undefined) add('name', changes.name)
  if (changes.name !== undefined) add('folded', foldedOf(changes.name))
  if (changes.categoryId !== undefined) add('category_id', changes.categoryId)
  if (changes.status !== undefined) add('status', changes.status)
  if (ids.length > 0 && set.length > 0) await sql(`UPDATE pets SET ${set} WHERE ${db.dialect.isIn('id', 1)}`, values)
  const { reference } = changes
  if (reference === undefined) return
  await setReferences(
    db,
    sql,
    ids.map((petId) => ({ petId, reference })),
  )
}

/** Moves the animals of which this is true to the removed ones. */
export async function removePets(sql: Sql, condition: string, values: readonly Value[], atMs: number): Promise<void> {
  const select = `SELECT ${PET}, CAST($${values.length + 1} AS bigint) FROM pets WHERE ${condition}`
  await sql(`INSERT INTO removed_pets (${PET}, removed_at_ms) ${select}`, [...values, atMs])
  await sql(`DELETE FROM pets WHERE ${condition}`, values)
}

/** The way back. */
async function restorePets({ dialect }: Database, sql: Sql, ids: readonly bigint[]): Promise<void> {
  const isOne = dialect.isIn('id', 1)
  await sql(`INSERT INTO pets (${PET}) SELECT ${PET} FROM removed_pets WHERE ${isOne} ORDER BY id`, [ids])
  const counted = dialect.counted(`removed_pets WHERE ${isOne}`)
  if (counted !== undefined) await sql(counted, [ids])
  await sql(`DELETE FROM removed_pets WHERE ${isOne}`, [ids])
}

/** An entry that is to be taken back, of an animal that is locked and has been as it says since. */
export interface DoneEntry {
  readonly n: bigint
  readonly petId: bigint
  readonly act: JournalAct
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** The acts that take back others. */
const UNDOING: Readonly<Partial<Record<JournalAct, JournalAct>>> = {
  add: 'remove',
  edit: 'edit',
  restore: 'remove',
  remove: 'restore',
}

const FORMER = {
  pet_id: 'bigint',
  name: 'text',
  folded: 'text',
  category_id: 'bigint',
  status: 'text',
  says_status: 'bigint',
} as const

/** Edits by the former values, removals by returns, additions and returns by removals. Each new entry names the old. */
export async function takeBack(db: Database, sql: Sql, entries: readonly DoneEntry[], by: Author): Promise<void> {
  const { isIn } = db.dialect
  const of = (...acts: readonly JournalAct[]) => entries.filter(({ act }) => acts.includes(act))
  const petIds = (some: readonly DoneEntry[]) => some.map(({ petId }) => petId)
  const former = of('edit', 'restore').map(({ petId, from = '{}' }) => {
    const { name, categoryId, status } = formerValues(from)
    const folded = name === undefined ? null : foldedOf(name)
    return [petId, name ?? null, folded, categoryId ?? null, status ?? null, status === undefined ? 0n : 1n]
  })
  const given = db.dialect.given(FORMER, former)
  await sql(
    `UPDATE pets SET name = coalesce(given.name, pets.name),
       folded = CASE WHEN given.name IS NULL THEN pets.folded ELSE given.folded END,
       category_id = coalesce(given.category_id, pets.category_id),
       status = CASE WHEN says_status = 1 THEN given.status ELSE pets.status END
     FROM ${given.from} WHERE pets.id = given.pet_id`,
    given.values,
  )
  const references = entries
    .filter(({ to = '{}' }) => 'reference' in (JSON.parse(to) as object))
    .map(({ petId, from = '{}' }) => ({ petId, reference: formerValues(from).reference ?? null }))
  await setReferences(db, sql, references)
  await restorePets(db, sql, petIds(of('remove')))
  await removePets(sql, isIn('id', 1), [petIds(of('add', 'restore'))], by.atMs)
  const undoing = entries.flatMap(({ n, petId, act, from, to }): (readonly [JournalAct, Entry])[] => {
    const way = UNDOING[act]
    return way === undefined ? [] : [[way, { petId, from: to, to: from, undoes: n }]]
  })
  await writeAll(db, sql, by, undoing)
}

/** Removed or not. */
export async function selectAny(
  db: Database,
  sql: Sql,
  ids: readonly bigint[],
  isBrief = false,
): Promise<readonly PetRecord[]> {
  const { isIn } = db.dialect
  const both = PET_TABLES.map((table) => `${selectPets(table, isBrief)} WHERE ${isIn('id', 1)}`).join(' UNION ALL ')
  const byId = new Map((await sql(both, [ids])).map(toRecord).map((pet) => [pet.id, pet]))
  return ids.flatMap((id) => byId.get(String(id)) ?? [])
}

/** The entries of the journal of which this is true. */
export async function readEntries(
  sql: Sql,
  condition: string,
  values: readonly Value[],
): Promise<readonly JournalEntry[]> {
  const columns = 'n, at_ms, who, act, pet_id, key_id, from_values, to_values, undoes'
  const rows = await sql(`SELECT ${columns} FROM journal WHERE ${condition}`, values)
  return rows.map(([n, atMs, who, act, petId, keyId, from, to, undoes]) => {
    const known = JOURNAL_ACTS.find((one) => one === act)
    if (known === undefined) throw new Error(`the journal holds an act that this version does not know: ${act}`)
    return {
      ...{ n: big(n), atMs: int(atMs), who: text(who), act: known },
      ...{ petId: optionalText(petId), keyId: optionalText(keyId), from: optionalText(from), to: optionalText(to) },
      ...(undoes !== null && { undoes: big(undoes) }),
    }
  })
}

/** Values with only the beginning of a long name. */
function briefly(values: string | undefined): string | undefined {
  if (values === undefined || values.length <= BRIEF_NAME) return values
  const { name } = JSON.parse(values) as { name?: unknown }
  if (typeof name !== 'string') return values
  const beginning = [...name.slice(0, 2 * BRIEF_NAME + 2)].slice(0, BRIEF_NAME + 1).join('')
  return values.replace(JSON.stringify(name), () => JSON.stringify(beginning))
}
