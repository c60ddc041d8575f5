/**
 * The index behind `find` in SQLite: FTS5 with trigrams over folded names, so that any part of a name of three characters or
 * more is found without reading the table. Creates and imports do not pay for it: the index is brought up to date by the next
 * search, from the first id that it does not hold. Animals that it holds already are kept up by whoever changes them.
 */
import type { PetStatus } from '../../contract/schemas.ts'
import { fold } from '../records.ts'
import type { Database } from './database.ts'

/** Each step holds the write lock for about a tenth of a second. */
const ROWS_PER_STEP = 20_000
/** FTS5 knows no shorter piece of text; shorter ones are looked for in the table, from its newest animal on. */
const TRIGRAM = 3

export class SqliteSearch {
  readonly #database: Database
  readonly #sql

  constructor(database: Database) {
    this.#database = database
    const matches = 'SELECT rowid FROM pet_names WHERE pet_names MATCH ? ORDER BY rowid DESC'
    this.#sql = {
      indexedTo: database.prepare('SELECT indexed_to FROM pet_search'),
      setIndexedTo: database.prepare('UPDATE pet_search SET indexed_to = ?'),
      last: database.prepare('SELECT max(id) FROM pets'),
      unindexed: database.prepare('SELECT id, name FROM pets WHERE id > ? ORDER BY id LIMIT ? + 0'),
      add: database.prepare('INSERT INTO pet_names (rowid, name) VALUES (?, ?)'),
      drop: database.prepare('DELETE FROM pet_names WHERE rowid = ?'),
      matches: database.prepare(matches),
      matchesOfStatus: database.prepare(
        `SELECT pets.id FROM (${matches}) AS found JOIN pets ON pets.id = found.rowid WHERE coalesce(status, 'none') = ?`,
      ),
      newest: database.prepare(`SELECT id, name, coalesce(status, 'none') FROM pets ORDER BY id DESC`),
    }
  }

  catchUp(onProgress: (done: number, of: number) => void = () => {}): void {
    const [last] = this.#database.read(() => this.#sql.last.get()) as unknown as [bigint | null]
    if (last === null) return
    const from = this.#indexedTo()
    for (let at = from; at < last; ) {
      at = this.#database.write(() => this.#step())
      onProgress(Number(at - from), Number(last - from))
    }
  }

  /** Where the index ends now. */
  #step(): bigint {
    const from = this.#indexedTo()
    const rows = this.#sql.unindexed.all(from, ROWS_PER_STEP) as unknown as [bigint, string][]
    for (const [id, name] of rows) this.#sql.add.run(id, fold(name))
    const to = rows.at(-1)?.[0] ?? from
    this.#sql.setIndexedTo.run(to)
    return to
  }

  /** For use in a write transaction: the name of an animal that the index may hold already. */
  replace(id: bigint, name: string): void {
    if (id > this.#indexedTo()) return
    this.#sql.drop.run(id)
    this.#sql.add.run(id, fold(name))
  }

  /** For use in a write transaction. */
  remove(id: bigint): void {
    if (id <= this.#indexedTo()) this.#sql.drop.run(id)
  }

  #indexedTo(): bigint {
    const [id] = this.#database.read(() => this.#sql.indexedTo.get()) as unknown as [bigint]
    return id
  }

  /** The ids of at most `limit` animals whose folded name holds the folded text, newest first. */
  find(text: string, status: PetStatus | 'none' | undefined, limit: number): bigint[] {
    const wanted = fold(text)
    if ([...wanted].length < TRIGRAM) return this.#scan(wanted, status, limit)
    const phrase = `"${wanted.replaceAll('"', '""')}"`
    const rows = this.#database.read(() =>
      take(
        status === undefined ? this.#sql.matches.iterate(phrase) : this.#sql.matchesOfStatus.iterate(phrase, status),
        limit,
      ),
    ) as unknown as [bigint][]
    return rows.map(([id]) => id)
  }

  #scan(wanted: string, status: PetStatus | 'none' | undefined, limit: number): bigint[] {
    return this.#database.read(() => {
      const ids: bigint[] = []
      for (const row of this.#sql.newest.iterate()) {
        const [id, name, itsStatus] = row as unknown as [bigint, string, string]
        if (status !== undefined && status !== itsStatus) continue
        if (fold(name).includes(wanted) && ids.push(id) >= limit) break
      }
      return ids
    })
  }
}

function take<T>(values: Iterable<T>, limit: number): T[] {
  const taken: T[] = []
  for (const value of values) if (taken.push(value) >= limit) break
  return taken
}
