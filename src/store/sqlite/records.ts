/** The operator's side of the animals in SQLite: reads here, changes by the writer (record-operations.ts). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Eventual } from '../../common/eventual.ts'
import { INT64_MAX } from '../../contract/int64.ts'
import type { NewPet } from '../../contract/schemas.ts'
import type {
  Added,
  Author,
  FindQuery,
  Found,
  JournalAct,
  JournalEntry,
  JournalQuery,
  Outcome,
  PetChanges,
  PetRecord,
  PetRecords,
  Reach,
  Target,
} from '../records.ts'
import type { Database } from './database.ts'
import { LIVE, REMOVED, toRecord } from './record-rows.ts'
import { SqliteSearch } from './search.ts'
import type { Writer } from './writer.ts'

/** Each step of a purge holds the right to write for about 20 ms, and leaves others the time to take it. */
const PURGED_PER_STEP = 2_000
const PAUSE_MS = 4

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

const entries = (filter: string) => `
  SELECT n, at_ms, who, act, pet_id, key_id, from_values, to_values FROM journal
  WHERE ${filter} AND n < ?1 AND at_ms >= ?2 ORDER BY n DESC LIMIT ?3 + 0`
/** Unary plus: the entries of one subject are few, and those of one author may be most of the journal. */
const IF_BY = '(?5 IS NULL OR +who = ?5)'

export class SqliteRecords implements PetRecords {
  readonly #database: Database
  readonly #writer: Writer
  readonly #search: SqliteSearch
  readonly #sql

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
    this.#search = new SqliteSearch(database, writer)
    this.#sql = {
      live: database.prepare(LIVE),
      removed: database.prepare(REMOVED),
      journal: database.prepare(entries('true')),
      journalOfPet: database.prepare(entries(`pet_id = ?4 AND ${IF_BY}`)),
      journalOfKey: database.prepare(entries(`key_id = ?4 AND ${IF_BY}`)),
      journalBy: database.prepare(entries('who = ?4')),
      added: database.prepare("SELECT at_ms, who FROM journal WHERE pet_id = ? AND act = 'add' ORDER BY n LIMIT 1"),
      categories: database.prepare('SELECT id, label FROM categories ORDER BY id'),
    }
  }

  get(id: bigint): PetRecord | undefined {
    return this.#database.read(() => toRecord(this.#sql.live.get(id)) ?? toRecord(this.#sql.removed.get(id)))
  }

  add(pet: NewPet, by: Author, once: string): Eventual<Added> {
    return this.#writer.run('addPet', pet, by, once)
  }

  addedBy(ids: readonly bigint[]): ReadonlyMap<bigint, Author> {
    const entries = this.#database.read(() => ids.map((id) => [id, this.#sql.added.get(id)] as const))
    return new Map(
      entries.flatMap(([id, entry]) => {
        if (entry === undefined) return []
        const [atMs, who] = entry as unknown as [bigint, string]
        return [[id, { atMs: Number(atMs), who }] as const]
      }),
    )
  }

  change(pets: readonly Target[], changes: PetChanges, by: Author, reach: Reach = 'all or none'): Eventual<Outcome> {
    return this.#writer.run('changePets', pets, changes, by, reach)
  }

  remove(pets: readonly Target[], by: Author): Eventual<Outcome> {
    return this.#writer.run('removePets', pets, by)
  }

  restore(ids: readonly bigint[], by: Author): Eventual<Outcome> {
    return this.#writer.run('restorePets', ids, by)
  }

  async purge(beforeMs: number, by: Author): Promise<number> {
    for (let purged = 0; ; ) {
      const some = await this.#writer.run('purgePets', beforeMs, PURGED_PER_STEP, by)
      purged += some
      if (some < PURGED_PER_STEP) return purged
      await sleep(PAUSE_MS)
    }
  }

  journal({ petId, keyId, who, sinceMs = 0, before = INT64_MAX, limit }: JournalQuery): readonly JournalEntry[] {
    const bounds = [before, BigInt(sinceMs), limit] as const
    const rows = this.#database.read(() => {
      if (petId !== undefined) return this.#sql.journalOfPet.all(...bounds, petId, who ?? null)
      if (keyId !== undefined) return this.#sql.journalOfKey.all(...bounds, keyId, who ?? null)
      return who === undefined ? this.#sql.journal.all(...bounds) : this.#sql.journalBy.all(...bounds, who)
    })
    return rows.map(toEntry)
  }

  async find(query: FindQuery, onIndexed: (names: number) => void = () => {}): Promise<Found> {
    const { ids, stoppedAt } = await this.#search.find(query, onIndexed)
    const pets = this.#database.read(() => ids.flatMap((id) => toRecord(this.#sql.live.get(id)) ?? []))
    return { pets, stoppedAt }
  }

  /** Ends what goes on by itself. */
  close(): Promise<void> {
    return this.#search.close()
  }

  categories(): ReadonlyMap<bigint, string> {
    return new Map(this.#database.read(() => this.#sql.categories.all()) as unknown as [bigint, string][])
  }

  label(categoryId: bigint, text: string | undefined, by: Author): Eventual<void> {
    return this.#writer.run('labelCategory', categoryId, text, by)
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
