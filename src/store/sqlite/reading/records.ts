/** The operator's side of the animals in SQLite: reads here, changes by the writer (../writing/records.ts). */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Eventual } from '../../../common/eventual.ts'
import { INT64_MAX } from '../../../contract/int64.ts'
import type { NewPet } from '../../../contract/schemas.ts'
import type { Author } from '../../author.ts'
import type {
  Added,
  ChangeOutcome,
  Choice,
  FindQuery,
  FoundPets,
  JournalEntry,
  JournalQuery,
  OrderedPet,
  OrderedQuery,
  PetChanges,
  PetRecord,
  PetRecords,
  Reach,
  Tally,
  TallyQuery,
  Target,
  Whose,
} from '../../records.ts'
import { BRIEF_NAME, LONG_VALUES_BYTES } from '../../rules/bounds.ts'
import type { JournalAct } from '../../rules/journal.ts'
import { finishUndos, pause } from '../importing/steps.ts'
import { HIDDEN, LIVE, LIVE_BRIEF, REMOVED, REMOVED_BRIEF, toRecord } from '../rows/records.ts'
import type { Writer } from '../writing/writer.ts'
import type { Database } from './database.ts'
import { find, findInOrder, tally } from './lists.ts'
import { SqliteSearch } from './search.ts'

/** Entries read at a time; each may hold two names of full length. */
const ENTRIES_PER_STEP = 10
/** A step of a purge holds the write lock for about 20 ms, and pauses so that others can take it. */
const PURGED_PER_STEP = 2_000

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

/** Values with a name are long only because of it; ?6 asks for its beginning only. */
const briefly = (values: string) => `
  CASE WHEN ?6 AND octet_length(${values}) > ${LONG_VALUES_BYTES}
  THEN json_replace(${values}, '$.name', substr(${values} ->> '$.name', 1, ${BRIEF_NAME + 1})) ELSE ${values} END`
const entries = (filter: string) => `
  SELECT n, at_ms, who, act, pet_id, key_id, ${briefly('from_values')}, ${briefly('to_values')} FROM journal
  WHERE ${filter} AND n < ?1 AND at_ms >= ?2 AND n >= ?7 AND at_ms < ?8
    AND (?9 IS NULL OR act IN (SELECT value FROM json_each(?9))) ORDER BY n DESC LIMIT ?3 + 0`
/**
 * The unary plus keeps the index by author from being used: entries of one subject are few, those of one author may be
 * most of the journal.
 */
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
      liveBrief: database.prepare(LIVE_BRIEF),
      removed: database.prepare(REMOVED),
      removedBrief: database.prepare(REMOVED_BRIEF),
      hidden: database.prepare(HIDDEN),
      journal: database.prepare(entries('true')),
      journalOfPet: database.prepare(entries(`pet_id = ?4 AND ${IF_BY}`)),
      journalOfKey: database.prepare(entries(`key_id = ?4 AND ${IF_BY}`)),
      journalBy: database.prepare(entries('who = ?4')),
      author: database.prepare('SELECT at_ms, who FROM journal WHERE pet_id = ? AND act = ? ORDER BY n DESC LIMIT 1'),
    }
  }

  get(id: bigint): PetRecord | undefined {
    const { live, removed, hidden } = this.#sql
    return this.#database.read(() => toRecord(live.get(id) ?? removed.get(id) ?? hidden.get(id)))
  }

  add(pet: NewPet, by: Author, once: string): Eventual<Added> {
    return this.#writer.run('addPet', pet, by, once)
  }

  authors(act: 'add' | 'remove', ids: readonly bigint[]): ReadonlyMap<bigint, Author> {
    const entries = this.#database.read(() => ids.map((id) => [id, this.#sql.author.get(id, act)] as const))
    return new Map(
      entries.flatMap(([id, entry]) => {
        if (entry === undefined) return []
        const [atMs, who] = entry as unknown as [bigint, string]
        return [[id, { atMs: Number(atMs), who }] as const]
      }),
    )
  }

  change(
    pets: readonly Target[],
    changes: PetChanges,
    by: Author,
    reach: Reach = 'all or none',
  ): Eventual<ChangeOutcome> {
    return this.#writer.run('changePets', pets, changes, by, reach)
  }

  remove(pets: readonly Target[], by: Author, whose: Whose = 'any'): Eventual<ChangeOutcome> {
    return this.#writer.run('removePets', pets, by, whose)
  }

  /** Animals of an import being undone are first moved to the removed ones. */
  async restore(pets: readonly Target[], by: Author, whose: Whose = 'any'): Promise<ChangeOutcome> {
    await finishUndos(this.#writer, this.#database.clock)
    return this.#writer.run('restorePets', pets, by, whose)
  }

  async purge(beforeMs: number, by: Author): Promise<number> {
    await finishUndos(this.#writer, this.#database.clock)
    for (let purged = 0; ; ) {
      const some = await this.#writer.run('purgePets', beforeMs, PURGED_PER_STEP, by)
      purged += some
      if (some < PURGED_PER_STEP) return purged
      await pause(this.#database.clock)
    }
  }

  noteExport(format: string, animals: Choice, by: Author): Eventual<void> {
    return this.#writer.run('noteExport', format, animals, by)
  }

  /** Read in steps if brief, so that others are answered meanwhile; entries never change. */
  async journal(query: JournalQuery): Promise<readonly JournalEntry[]> {
    const { isBrief = false, limit } = query
    if (!isBrief) return this.#entries(query)
    const found: JournalEntry[] = []
    for (let before = query.before; ; await nextTurn()) {
      const wanted = Math.min(ENTRIES_PER_STEP, limit - found.length)
      const some = this.#entries({ ...query, before, limit: wanted })
      found.push(...some)
      if (some.length < wanted || found.length === limit) return found
      before = some.at(-1)?.n
    }
  }

  #entries({ petId, keyId, who, sinceMs = 0, before = INT64_MAX, limit, isBrief = false, ...more }: JournalQuery) {
    const { acts, from = 0n, untilMs } = more
    const bounds = [before, BigInt(sinceMs), limit] as const
    const until = untilMs === undefined ? INT64_MAX : BigInt(untilMs)
    const rest = [isBrief ? 1 : 0, from, until, acts === undefined ? null : JSON.stringify(acts)] as const
    const rows = this.#database.read(() => {
      if (petId !== undefined) return this.#sql.journalOfPet.all(...bounds, petId, who ?? null, ...rest)
      if (keyId !== undefined) return this.#sql.journalOfKey.all(...bounds, keyId, who ?? null, ...rest)
      return who === undefined
        ? this.#sql.journal.all(...bounds, null, null, ...rest)
        : this.#sql.journalBy.all(...bounds, who, null, ...rest)
    })
    return rows.map(toEntry)
  }

  names(ids: readonly bigint[]): ReadonlyMap<bigint, string> {
    const { liveBrief, removedBrief } = this.#sql
    const pets = this.#database.read(() =>
      ids.flatMap((id) => toRecord(liveBrief.get(id) ?? removedBrief.get(id)) ?? []),
    )
    return new Map(pets.map(({ id, name }) => [BigInt(id), name]))
  }

  async find(query: FindQuery, onIndexed?: (names: number) => void): Promise<FoundPets> {
    const { ids, stoppedAt } = await find(this.#search, query, onIndexed)
    return { pets: this.#listed(ids, query), stoppedAt }
  }

  async findInOrder(query: OrderedQuery): Promise<readonly OrderedPet[] | undefined> {
    const places = await findInOrder(this.#search, query)
    if (places === undefined) return undefined
    const pets = this.#listed(
      places.map(({ id }) => id),
      { ...query, isBrief: true },
    )
    const keys = new Map(places.map(({ id, key }) => [`${id}`, key]))
    return pets.map((pet) => ({ pet, key: keys.get(pet.id) ?? '' }))
  }

  tally(query: TallyQuery): Promise<Tally> {
    return tally(this.#search, query)
  }

  #listed(ids: readonly bigint[], { status, isBrief }: Pick<FindQuery, 'status' | 'isBrief'>): readonly PetRecord[] {
    const { live, liveBrief, removed, removedBrief } = this.#sql
    const [whole, brief] = status === 'removed' ? [removed, removedBrief] : [live, liveBrief]
    return this.#database.read(() => ids.flatMap((id) => toRecord((isBrief ? brief : whole).get(id)) ?? []))
  }

  /** Ends background work. */
  close(): Promise<void> {
    return this.#search.close()
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
