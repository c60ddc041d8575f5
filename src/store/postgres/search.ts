/**
 * The index behind `find` in PostgreSQL: trigrams (pg_trgm) of folded names. The first search creates it without
 * blocking writes, so a service without searches pays nothing. If the extension cannot be installed, names are compared
 * one by one.
 */
import type { FindQuery } from '../records.ts'
import { StoreUnavailable } from '../store.ts'
import type { Database } from './database.ts'
import { makeFold } from './fold.ts'

export class PostgresSearch {
  readonly #database: Database
  #prepared: Promise<void> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** The ids of the animals found, newest first. */
  async find({ text, status, limit }: FindQuery): Promise<readonly bigint[]> {
    this.#prepared ??= this.#prepare().catch((error: unknown) => {
      this.#prepared = undefined
      throw error
    })
    await this.#prepared
    const values: unknown[] = [text, limit]
    const hasStatus = status === undefined ? 'true' : `coalesce(status, 'none') = $${values.push(status)}`
    const rows = await this.#database.patientQuery(
      `SELECT id FROM pets
       WHERE pets_fold(name) LIKE '%' || regexp_replace(pets_fold($1), '([%_\\\\])', '\\\\\\1', 'g') || '%' AND ${hasStatus}
       ORDER BY id DESC LIMIT $2`,
      values,
    )
    return rows.map(([id]) => BigInt(id ?? ''))
  }

  async #prepare(): Promise<void> {
    await makeFold(this.#database)
    const [found] = await this.#database.patientQuery(
      "SELECT (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('pets_by_name'))",
    )
    const indexed = found?.[0]
    if (indexed === 't') return
    // The remains of an interrupted build.
    if (indexed === 'f') await this.#database.patientQuery('DROP INDEX IF EXISTS pets_by_name')
    try {
      await this.#database.patientQuery('CREATE EXTENSION IF NOT EXISTS pg_trgm')
      await this.#database.patientQuery(
        'CREATE INDEX CONCURRENTLY IF NOT EXISTS pets_by_name ON pets USING gin (pets_fold(name) gin_trgm_ops)',
      )
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
    }
  }
}
