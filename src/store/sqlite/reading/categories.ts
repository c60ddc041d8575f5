/** The categories in SQLite: read here, changed by the writer (../writing/naming/categories.ts). */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Eventual } from '../../../common/eventual.ts'
import { INT64_MIN } from '../../../contract/int64.ts'
import type { Author } from '../../author.ts'
import type { CategoryStore, CategoryUse, Merged, MergeRecord, SharedName, UnmergedAnimals } from '../../categories.ts'
import { CATEGORY_NAMES, toNames } from '../rows/categories.ts'
import { IS_THERE } from '../rows/pets.ts'
import type { Writer } from '../writing/writer.ts'
import type { Database } from './database.ts'

/** About 3 ms, so that clients are answered meanwhile. */
const COUNTED_PER_STEP = 5_000

const step = (table: string, condition: string) => `
  SELECT category_id, count(*), max(id) FROM (
    SELECT id, category_id FROM ${table} WHERE id > ? AND ${condition} ORDER BY id LIMIT ${COUNTED_PER_STEP})
  GROUP BY category_id`

const MERGES = `
  SELECT n, at_ms, who, from_id, label, into_id, animals, undone_at_ms FROM merges ORDER BY n DESC LIMIT ? + 0`

type MergeRow = [
  n: bigint,
  atMs: bigint,
  who: string,
  from: bigint,
  label: string | null,
  into: bigint,
  animals: bigint,
  undoneAtMs: bigint | null,
]

export class SqliteCategories implements CategoryStore {
  readonly #database: Database
  readonly #writer: Writer

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
  }

  names(): ReadonlyMap<bigint, string> {
    return toNames(this.#database.read(() => this.#database.prepare(CATEGORY_NAMES).all()))
  }

  async used(): Promise<ReadonlyMap<bigint, CategoryUse>> {
    const animals = await this.#count(step('pets', IS_THERE))
    const removed = await this.#count(step('removed_pets', 'true'))
    const ids = new Set([...animals.keys(), ...removed.keys()])
    return new Map([...ids].map((id) => [id, { animals: animals.get(id) ?? 0, removed: removed.get(id) ?? 0 }]))
  }

  async #count(sql: string): Promise<ReadonlyMap<bigint, number>> {
    const counts = new Map<bigint, number>()
    const statement = this.#database.prepare(sql)
    for (let after = INT64_MIN; ; await nextTurn()) {
      const rows = this.#database.read(() => statement.all(after)) as unknown as [bigint, bigint, bigint][]
      if (rows.length === 0) return counts
      for (const [id, count, last] of rows) {
        counts.set(id, (counts.get(id) ?? 0) + Number(count))
        if (last > after) after = last
      }
    }
  }

  name(names: ReadonlyMap<bigint, string | undefined>, by: Author): Eventual<SharedName | undefined> {
    return this.#writer.run('nameCategories', names, by)
  }

  merge(from: bigint, into: bigint, by: Author): Eventual<Merged | undefined> {
    return this.#writer.run('mergeCategories', from, into, by)
  }

  merges(limit: number): readonly MergeRecord[] {
    const rows = this.#database.read(() => this.#database.prepare(MERGES).all(limit)) as unknown as MergeRow[]
    return rows.map(([n, atMs, who, from, label, into, animals, undoneAtMs]) => ({
      ...{ n, who, from, into, label: label ?? undefined },
      atMs: Number(atMs),
      animals: Number(animals),
      undoneAtMs: undoneAtMs === null ? undefined : Number(undoneAtMs),
    }))
  }

  undoMerge(n: bigint, by: Author): Eventual<UnmergedAnimals | undefined> {
    return this.#writer.run('undoMerge', n, by)
  }
}
