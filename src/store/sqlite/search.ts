/** Finds animals by part of their name, with the index of search-operations.ts once that is up to date. */
import { INT64_MIN } from '../../contract/int64.ts'
import { type FindQuery, fold } from '../records.ts'
import type { Database } from './database.ts'
import { IS_THERE } from './import-operations.ts'
import type { Writer } from './writer.ts'

/** Each step holds the write lock for about 30 ms. */
const NAMES_PER_STEP = 5_000
/** FTS5 has no shorter trigrams; shorter texts are searched in the table, from its newest animal on. */
const TRIGRAM = 3

export class SqliteSearch {
  readonly #database: Database
  readonly #writer: Writer
  readonly #sql

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
    const matches = 'SELECT rowid FROM pet_names WHERE pet_names MATCH ? ORDER BY rowid DESC'
    this.#sql = {
      matches: database.prepare(matches),
      matchesOfStatus: database.prepare(
        `SELECT pets.id FROM (${matches}) AS found JOIN pets ON pets.id = found.rowid WHERE coalesce(status, 'none') = ?`,
      ),
      indexedTo: database.prepare('SELECT indexed_to FROM pet_search'),
      newest: database.prepare(
        `SELECT id, name, coalesce(status, 'none') FROM pets WHERE id > ? AND ${IS_THERE} ORDER BY id DESC`,
      ),
    }
  }

  /** The ids of at most `limit` animals whose folded name contains the folded text, newest first. */
  async find({ text, status, limit }: FindQuery, onIndexed: (names: number) => void): Promise<bigint[]> {
    const wanted = fold(text)
    if ([...wanted].length < TRIGRAM) return this.#database.read(() => this.#scan(wanted, INT64_MIN, status, limit))
    for (;;) {
      const names = await this.#writer.run('indexNames', NAMES_PER_STEP)
      onIndexed(names)
      if (names < NAMES_PER_STEP) break
    }
    return this.#database.read(() => {
      // Animals newer than the index: created since, or while an import was running.
      const [indexedTo] = this.#sql.indexedTo.get() as unknown as [bigint]
      const newer = this.#scan(wanted, indexedTo, status, limit)
      return [...newer, ...this.#match(wanted, status, limit - newer.length)]
    })
  }

  #match(wanted: string, status: FindQuery['status'], limit: number): bigint[] {
    const phrase = `"${wanted.replaceAll('"', '""')}"`
    const matches =
      status === undefined ? this.#sql.matches.iterate(phrase) : this.#sql.matchesOfStatus.iterate(phrase, status)
    return [...matches.take(limit)].map((row) => (row as unknown as [bigint])[0])
  }

  #scan(wanted: string, after: bigint, status: FindQuery['status'], limit: number): bigint[] {
    const ids: bigint[] = []
    for (const row of this.#sql.newest.iterate(after)) {
      const [id, name, itsStatus] = row as unknown as [bigint, string, string]
      if (status !== undefined && status !== itsStatus) continue
      if (fold(name).includes(wanted) && ids.push(id) >= limit) break
    }
    return ids
  }
}
