/** The categories in PostgreSQL. Those who name them wait for each other, so no two get one name. */

import type { Author } from '../../author.ts'
import type { CategoryStore, CategoryUse, Merged, MergeRecord, SharedName, UnmergedAnimals } from '../../categories.ts'
import type { Database } from '../connection/database.ts'
import { categoryNames, LOCK, nameCategories } from './category-names.ts'
import { listMerges, mergeCategories, undoMerge } from './merging.ts'

const USED = `
  SELECT category_id, sum(animals), sum(removed) FROM (
    SELECT category_id, count(*) AS animals, 0 AS removed FROM pets GROUP BY category_id
    UNION ALL SELECT category_id, 0, count(*) FROM removed_pets GROUP BY category_id
  ) AS used GROUP BY category_id`

export class PostgresCategories implements CategoryStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  names(): Promise<ReadonlyMap<bigint, string>> {
    return categoryNames(this.#database.query)
  }

  async used(): Promise<ReadonlyMap<bigint, CategoryUse>> {
    const rows = await this.#database.patientQuery(USED)
    return new Map(
      rows.map(([id, animals, removed]) => [BigInt(id ?? ''), { animals: Number(animals), removed: Number(removed) }]),
    )
  }

  name(names: ReadonlyMap<bigint, string | undefined>, by: Author): Promise<SharedName | undefined> {
    return this.#database.transaction('BEGIN', async (query) => {
      await query(LOCK)
      return nameCategories(query, names, by)
    })
  }

  merge(from: bigint, into: bigint, by: Author): Promise<Merged | undefined> {
    return this.#database.transaction('BEGIN', async (query) => {
      await query(LOCK)
      return mergeCategories(query, from, into, by)
    })
  }

  merges(limit: number): Promise<readonly MergeRecord[]> {
    return listMerges(this.#database.query, limit)
  }

  undoMerge(n: bigint, by: Author): Promise<UnmergedAnimals | undefined> {
    return this.#database.transaction('BEGIN', async (query) => {
      await query(LOCK)
      return undoMerge(query, n, by)
    })
  }
}
