/**
 * Animals in SQLite. Creates that arrive close together share one commit and are acknowledged after it; lists and single
 * animals are answered from ready text while the table is unchanged (ready.ts). Every statement costs the same whatever
 * the table's size: lists walk an index from its end, counts are kept as they change.
 */
import type { StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { INT64_MIN } from '../../contract/int64.ts'
import { petJson } from '../../contract/json.ts'
import { isPetStatus, type NewPet, type PetStatus } from '../../contract/schemas.ts'
import { toPage } from '../page.ts'
import type { PetCounts, PetPage, PetQuery, PetRow, PetStore, PetText } from '../store.ts'
import { type Database, isBusy, unavailable } from './database.ts'
import { ReadyLists, ReadyPets } from './ready.ts'

/**
 * Creates wait so many turns of the event loop, and at most so many ms, for others to share their commit, which holds the
 * loop for half a millisecond whatever it carries. Turns are the measure because an idle loop passes them in no time.
 */
const GATHER_TURNS = 3
const GATHER_MS = 3
/** Bounds how long one commit may hold the event loop: about 3 ms. */
const ROWS_PER_COMMIT = 1_000
/** While another process writes (an import, say), creates wait this long before they answer 503. */
const BUSY_PATIENCE_MS = 2_000
const BUSY_RETRY_MS = 5
const ROWS_PER_EXPORT_BATCH = 1_000

interface PendingCreate {
  readonly pet: NewPet
  readonly resolve: (created: PetText) => void
  readonly reject: (error: unknown) => void
}

/** The newest animals of one filter, and those before an id. */
interface ListStatements {
  readonly newest: StatementSync
  readonly before: StatementSync
}

const COLUMNS = 'id, name, category_id, status'

type ListedRow = [id: bigint, name: string, categoryId: bigint, status: string | null]

export class SqlitePets implements PetStore {
  readonly commits = { count: 0, rows: 0 }
  readonly #database: Database
  readonly #lists = new ReadyLists()
  readonly #pets = new ReadyPets()
  #pending: PendingCreate[] = []
  #committing = false
  readonly #sql
  readonly #listing: Readonly<Record<PetStatus | 'any', ListStatements>>

  constructor(database: Database) {
    this.#database = database
    this.#listing = {
      any: listStatements(database, 'pets', 'true'),
      available: listStatements(database, 'pets INDEXED BY pets_available', "status = 'available'"),
      pending: listStatements(database, 'pets INDEXED BY pets_pending', "status = 'pending'"),
      sold: listStatements(database, 'pets INDEXED BY pets_sold', "status = 'sold'"),
    }
    this.#sql = {
      get: database.prepare(`SELECT ${COLUMNS} FROM pets WHERE id = ?`),
      insert: database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)'),
      addToCount: database.prepare('UPDATE pet_counts SET n = n + ? WHERE status = ?'),
      counts: database.prepare('SELECT status, n FROM pet_counts'),
      setStatus: database.prepare('UPDATE pets SET status = ? WHERE id = ?'),
    }
  }

  /** Forgets the ready texts; called when another process has committed. */
  forget(): void {
    this.#lists.clear()
    this.#pets.clear()
  }

  list({ limit, status, before }: PetQuery): PetPage {
    this.#database.look()
    if (before === undefined) return this.#lists.page(status, limit, (count) => this.#newest(status, count))
    const rows = this.#database.read(() => this.#listing[status ?? 'any'].before.all(before, limit + 1))
    return toPage(rows.map(toListed), limit)
  }

  #newest(status: PetStatus | undefined, count: number): PetText[] {
    return this.#database.read(() => this.#listing[status ?? 'any'].newest.all(count)).map(toListed)
  }

  get(id: bigint): string | undefined {
    this.#database.look()
    const ready = this.#pets.get(id)
    if (ready !== undefined) return ready
    const row = this.#database.read(() => this.#sql.get.get(id))
    if (row === undefined) return undefined
    const { json } = toListed(row)
    this.#pets.set(id, json)
    return json
  }

  create(pet: NewPet): Promise<PetText> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ pet, resolve, reject })
      if (this.#committing) return
      this.#committing = true
      this.#gather(GATHER_TURNS, performance.now() + GATHER_MS)
    })
  }

  #gather(turns: number, untilMs: number): void {
    setImmediate(() => {
      if (turns > 1 && performance.now() < untilMs) this.#gather(turns - 1, untilMs)
      else void this.#commitPending()
    })
  }

  async #commitPending(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, ROWS_PER_COMMIT)
      try {
        const created = await this.#commit(batch.map(({ pet }) => pet))
        batch.forEach(({ resolve }, index) => {
          const pet = created[index]
          if (pet !== undefined) resolve(pet)
        })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#committing = false
  }

  async #commit(pets: readonly NewPet[]): Promise<PetText[]> {
    const deadline = performance.now() + BUSY_PATIENCE_MS
    for (;;) {
      try {
        const created = this.#database.write(() => {
          const rows = pets.map((pet) => this.#insert(pet))
          this.#addToCounts(pets.map(({ status }) => status))
          return rows
        })
        this.commits.count += 1
        this.commits.rows += created.length
        created.forEach((row, index) => {
          this.#lists.add(row, pets[index]?.status)
        })
        return created
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error
        await sleep(BUSY_RETRY_MS)
      }
    }
  }

  #insert({ name, categoryId, status }: NewPet): PetText {
    const id = BigInt(this.#sql.insert.run(name, categoryId, status ?? null).lastInsertRowid)
    return { id, json: petJson(id, name, categoryId, status) }
  }

  #addToCounts(statuses: readonly (PetStatus | undefined)[]): void {
    const added = new Map<string, number>()
    for (const status of statuses) added.set(status ?? 'none', (added.get(status ?? 'none') ?? 0) + 1)
    for (const [status, n] of added) this.#sql.addToCount.run(n, status)
  }

  /** Rows are gathered in a temporary table first, so that the service's own writes are held up only by the last, short step. */
  async import(batches: AsyncIterable<readonly NewPet[]>): Promise<number> {
    const database = this.#database
    database.exec('CREATE TEMP TABLE staged (name TEXT, category_id INTEGER, status TEXT)')
    try {
      const stage = database.prepare('INSERT INTO temp.staged VALUES (?, ?, ?)')
      database.exec('BEGIN')
      for await (const pets of batches) {
        for (const { name, categoryId, status } of pets) stage.run(name, categoryId, status ?? null)
      }
      database.exec('COMMIT')
      return database.write(() => {
        const { changes } = database
          .prepare(
            'INSERT INTO pets (name, category_id, status) SELECT name, category_id, status FROM temp.staged ORDER BY rowid',
          )
          .run()
        database.exec(`
          UPDATE pet_counts SET n = n + (SELECT count(*) FROM temp.staged WHERE coalesce(staged.status, 'none') = pet_counts.status)`)
        return Number(changes)
      })
    } catch (error) {
      if (database.inTransaction) database.exec('ROLLBACK')
      throw unavailable(error)
    } finally {
      database.exec('DROP TABLE temp.staged')
      this.forget()
    }
  }

  /** On a connection of its own: a statement sees what its own connection writes while it runs. */
  async *export(after: bigint = INT64_MIN): AsyncIterable<readonly PetRow[]> {
    const reader = this.#database.openReader()
    try {
      let batch: PetRow[] = []
      const rows = reader.prepare(`SELECT ${COLUMNS} FROM pets WHERE id > ? ORDER BY id`)
      rows.setReturnArrays(true)
      rows.setReadBigInts(true)
      for (const row of rows.iterate(after)) {
        const [id, name, categoryId, status] = row as unknown as ListedRow
        batch.push({
          id: id.toString(),
          name,
          categoryId: categoryId.toString(),
          status: isPetStatus(status) ? status : undefined,
        })
        if (batch.length < ROWS_PER_EXPORT_BATCH) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
    } finally {
      reader.close()
    }
  }

  setStatus(id: bigint, status: PetStatus): boolean {
    const found = this.#database.write(() => {
      const row = this.#sql.get.get(id) as unknown as ListedRow | undefined
      if (row === undefined) return false
      this.#sql.setStatus.run(status, id)
      this.#sql.addToCount.run(-1, row[3] ?? 'none')
      this.#sql.addToCount.run(1, status)
      return true
    })
    this.forget()
    return found
  }

  count(): PetCounts {
    const counts = { available: 0, pending: 0, sold: 0, none: 0 }
    const rows = this.#database.read(() => this.#sql.counts.all()) as unknown as [keyof typeof counts, bigint][]
    for (const [status, n] of rows) counts[status] = Number(n)
    return counts
  }
}

/** `filter` as a literal, since SQLite uses an index of some rows only where it knows when it prepares that they are meant. */
function listStatements(database: Database, source: string, filter: string): ListStatements {
  const animals = `SELECT ${COLUMNS} FROM ${source} WHERE ${filter}`
  // `LIMIT ? + 0`: a bare `LIMIT ?` makes SQLite prepare the statement again each time it is given a number.
  const inOrder = 'ORDER BY id DESC LIMIT ? + 0'
  return {
    newest: database.prepare(`${animals} ${inOrder}`),
    before: database.prepare(`${animals} AND id < ? ${inOrder}`),
  }
}

function toListed(row: unknown): PetText {
  const [id, name, categoryId, status] = row as ListedRow
  return { id, json: petJson(id, name, categoryId, isPetStatus(status) ? status : undefined) }
}
