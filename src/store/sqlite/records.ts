/** The operator's side of the animals in SQLite: each call is one write transaction, its entries in the journal included. */
import { INT64_MAX } from '../../contract/int64.ts'
import { isPetStatus } from '../../contract/schemas.ts'
import {
  type Author,
  difference,
  type FindQuery,
  type JournalAct,
  type JournalEntry,
  type JournalQuery,
  type Outcome,
  type PetChanges,
  type PetRecord,
  type PetRecords,
} from '../records.ts'
import type { Database } from './database.ts'
import { SqliteSearch } from './search.ts'

type RecordRow = [
  id: bigint,
  name: string,
  categoryId: bigint,
  status: string | null,
  removedAtMs: bigint | null,
  version: bigint | null,
]

type EntryRow = [
  n: bigint,
  atMs: bigint,
  who: string,
  act: JournalAct,
  petId: bigint | null,
  keyId: string | null,
  from: string | null,
  to: string | null,
]

const RECORD = (table: string, removedAt: string) => `
  SELECT id, name, category_id, status, ${removedAt}, (SELECT max(n) FROM journal WHERE pet_id = id) FROM ${table} WHERE id = ?`

const entries = (filter: string) => `
  SELECT n, at_ms, who, act, pet_id, key_id, from_values, to_values FROM journal
  WHERE ${filter} AND n < ?1 AND at_ms >= ?2 ORDER BY n DESC LIMIT ?3 + 0`

export class SqliteRecords implements PetRecords {
  readonly #database: Database
  readonly #forget: () => void
  readonly #search: SqliteSearch
  readonly #sql

  /** `forget` is called when animals have changed, so that no answer kept in memory outlives them. */
  constructor(database: Database, forget: () => void) {
    this.#database = database
    this.#forget = forget
    this.#search = new SqliteSearch(database)
    this.#sql = {
      live: database.prepare(RECORD('pets', 'NULL')),
      removed: database.prepare(RECORD('removed_pets', 'removed_at_ms')),
      update: database.prepare('UPDATE pets SET name = ?, category_id = ?, status = ? WHERE id = ?'),
      addToCount: database.prepare('UPDATE pet_counts SET n = n + ? WHERE status = ?'),
      keepRemoved: database.prepare('INSERT INTO removed_pets VALUES (?, ?, ?, ?, ?)'),
      remove: database.prepare('DELETE FROM pets WHERE id = ?'),
      insert: database.prepare('INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)'),
      dropRemoved: database.prepare('DELETE FROM removed_pets WHERE id = ?'),
      overdue: database.prepare('SELECT id FROM removed_pets WHERE removed_at_ms < ? ORDER BY id'),
      enter: database.prepare(
        'INSERT INTO journal (at_ms, who, act, pet_id, from_values, to_values) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      journal: database.prepare(entries('true')),
      journalOfPet: database.prepare(entries('pet_id = ?4')),
      journalOfKey: database.prepare(entries('key_id = ?4')),
      categories: database.prepare('SELECT id, label FROM categories ORDER BY id'),
      category: database.prepare('SELECT label FROM categories WHERE id = ?'),
      label: database.prepare('INSERT OR REPLACE INTO categories VALUES (?, ?)'),
      unlabel: database.prepare('DELETE FROM categories WHERE id = ?'),
    }
  }

  get(id: bigint): PetRecord | undefined {
    return this.#database.read(() => this.#live(id) ?? this.#removed(id))
  }

  #live(id: bigint): PetRecord | undefined {
    return toRecord(this.#sql.live.get(id))
  }

  #removed(id: bigint): PetRecord | undefined {
    return toRecord(this.#sql.removed.get(id))
  }

  change(ids: readonly bigint[], changes: PetChanges, by: Author, version?: bigint): Outcome {
    return this.#each(
      ids,
      (id) => this.#live(id),
      version,
      (pet) => {
        const difference_ = difference(pet, changes)
        if (difference_ === undefined) return false
        const name = changes.name ?? pet.name
        const status = changes.status === undefined ? (pet.status ?? null) : changes.status
        this.#sql.update.run(name, changes.categoryId ?? BigInt(pet.categoryId), status, BigInt(pet.id))
        this.#count(pet.status, -1)
        this.#count(status ?? undefined, 1)
        if (name !== pet.name) this.#search.replace(BigInt(pet.id), name)
        this.#enter(by, 'edit', BigInt(pet.id), difference_)
        return true
      },
    )
  }

  remove(ids: readonly bigint[], by: Author, version?: bigint): Outcome {
    return this.#each(
      ids,
      (id) => this.#live(id),
      version,
      (pet) => {
        const id = BigInt(pet.id)
        this.#sql.keepRemoved.run(id, pet.name, BigInt(pet.categoryId), pet.status ?? null, BigInt(by.atMs))
        this.#sql.remove.run(id)
        this.#count(pet.status, -1)
        this.#search.remove(id)
        this.#enter(by, 'remove', id)
        return true
      },
    )
  }

  restore(ids: readonly bigint[], by: Author): Outcome {
    return this.#each(
      ids,
      (id) => this.#removed(id),
      undefined,
      (pet) => {
        const id = BigInt(pet.id)
        this.#sql.insert.run(id, pet.name, BigInt(pet.categoryId), pet.status ?? null)
        this.#sql.dropRemoved.run(id)
        this.#count(pet.status, 1)
        this.#search.replace(id, pet.name)
        this.#enter(by, 'restore', id)
        return true
      },
    )
  }

  /** Does `work` for each of the animals, or for none when one is missing or not the version that was read. */
  #each(
    ids: readonly bigint[],
    read: (id: bigint) => PetRecord | undefined,
    version: bigint | undefined,
    work: (pet: PetRecord) => boolean,
  ): Outcome {
    const wanted = [...new Set(ids)]
    const outcome = this.#database.write((): Outcome => {
      const missing = wanted.filter((id) => read(id) === undefined)
      if (missing.length > 0) return { missing }
      let changed = 0
      for (const id of wanted) {
        const pet = read(id)
        if (pet === undefined) continue
        if (version !== undefined && pet.version !== version) return { current: pet }
        if (work(pet)) changed += 1
      }
      return { changed }
    })
    this.#forget()
    return outcome
  }

  purge(beforeMs: number, by: Author): number {
    return this.#database.write(() => {
      const ids = (this.#sql.overdue.all(BigInt(beforeMs)) as unknown as [bigint][]).map(([id]) => id)
      for (const id of ids) {
        this.#sql.dropRemoved.run(id)
        this.#enter(by, 'purge', id)
      }
      return ids.length
    })
  }

  journal({ petId, keyId, sinceMs = 0, before = INT64_MAX, limit }: JournalQuery): readonly JournalEntry[] {
    const bounds = [before, BigInt(sinceMs), limit] as const
    const rows = this.#database.read(() => {
      if (petId !== undefined) return this.#sql.journalOfPet.all(...bounds, petId)
      return keyId === undefined ? this.#sql.journal.all(...bounds) : this.#sql.journalOfKey.all(...bounds, keyId)
    })
    return rows.map(toEntry)
  }

  find({ text, status, limit }: FindQuery, onProgress?: (done: number, of: number) => void): readonly PetRecord[] {
    this.#search.catchUp(onProgress)
    const ids = this.#search.find(text, status, limit)
    return ids.flatMap((id) => this.#live(id) ?? [])
  }

  categories(): ReadonlyMap<bigint, string> {
    return new Map(this.#database.read(() => this.#sql.categories.all()) as unknown as [bigint, string][])
  }

  label(categoryId: bigint, text: string | undefined, by: Author): void {
    this.#database.write(() => {
      const [before] = (this.#sql.category.get(categoryId) ?? []) as unknown as [string?]
      if (before === text) return
      if (text === undefined) this.#sql.unlabel.run(categoryId)
      else this.#sql.label.run(categoryId, text)
      const values = (label: string | undefined) =>
        `{"categoryId":${categoryId},"label":${JSON.stringify(label ?? null)}}`
      this.#enter(by, 'label', undefined, { from: values(before), to: values(text) })
    })
  }

  #count(status: string | undefined, n: number): void {
    this.#sql.addToCount.run(n, status ?? 'none')
  }

  #enter(by: Author, act: JournalAct, petId?: bigint, values?: { from: string; to: string }): void {
    this.#sql.enter.run(BigInt(by.atMs), by.who, act, petId ?? null, values?.from ?? null, values?.to ?? null)
  }
}

function toEntry(row: unknown): JournalEntry {
  const [n, atMs, who, act, petId, keyId, from, to] = row as EntryRow
  return {
    n,
    atMs: Number(atMs),
    who,
    act,
    petId: petId?.toString(),
    keyId: keyId ?? undefined,
    from: from ?? undefined,
    to: to ?? undefined,
  }
}

function toRecord(row: unknown): PetRecord | undefined {
  if (row === undefined) return undefined
  const [id, name, categoryId, status, removedAtMs, version] = row as RecordRow
  return {
    id: id.toString(),
    name,
    categoryId: categoryId.toString(),
    status: isPetStatus(status) ? status : undefined,
    version: version ?? 0n,
    removedAtMs: removedAtMs === null ? undefined : Number(removedAtMs),
  }
}
