/** Names of categories, which are unique, and the number of animals in each. */
import { INT64_MAX } from '../contract/int64.ts'
import { labelValues } from '../rules/journal.ts'
import { type SharedName, toNaming } from '../rules/names.ts'
import type { Author } from './author.ts'
import { StoreUnusable } from './errors.ts'
import { write } from './journal.ts'
import { type Database, Repository, type Sql, table } from './sql.ts'

const NAME = table({ id: 'bigint', label: 'text' })

const NAMED_MEANWHILE =
  'Categories were named while the file was read; nothing was imported. Look at `pets categories`, and import again.'

/** Animals and removed animals of a category, or of all other categories together. */
const USE = table({ categoryId: 'bigint?', animals: 'int', removed: 'int' })
const USED = `SELECT category_id, sum(animals) AS animals, sum(removed) AS removed FROM (
  SELECT category_id, count(*) AS animals, 0 AS removed FROM pets GROUP BY category_id
  UNION ALL SELECT category_id, 0, count(*) FROM removed_pets GROUP BY category_id) AS of_each GROUP BY category_id`

type Gap = ReturnType<typeof GAP.row>
const GAP = table({ low: 'bigint', high: 'bigint' })
const GAPS_READ = 1_000
/** The first gaps and the widest gap: a client can use as many numbers as it creates animals. */
const GAPS = `FROM (
  WITH taken AS (
      SELECT 0 AS id UNION SELECT category_id FROM pets WHERE category_id > 0
      UNION SELECT category_id FROM removed_pets WHERE category_id > 0
    ),
    gaps AS (SELECT id AS low, coalesce(lead(id) OVER (ORDER BY id), $1) AS high FROM taken),
    wide AS MATERIALIZED (SELECT * FROM gaps WHERE high - low > 1)
  SELECT * FROM (SELECT * FROM wide ORDER BY low LIMIT $2) AS least
  UNION SELECT * FROM (SELECT * FROM wide ORDER BY high - low DESC LIMIT 1) AS widest
) AS gaps ORDER BY low`

export class Categories extends Repository {
  names(): Promise<ReadonlyMap<bigint, string>> {
    return categoryNames(this.db.read)
  }

  /** The smallest numbers that no animal has. Reads all animals. */
  gaps(): Promise<readonly Gap[]> {
    return GAP.select(this.db.scan, GAPS, [INT64_MAX, GAPS_READ])
  }

  /** The number of animals in each named category, and in the largest unnamed ones; the others are counted together. */
  async counts(unnamed: number) {
    const rows = await this.db.scan(
      `WITH used AS MATERIALIZED (${USED}),
         unnamed AS (SELECT * FROM used WHERE NOT EXISTS (SELECT 1 FROM categories WHERE id = category_id))
       SELECT used.* FROM used JOIN categories ON id = category_id
       UNION ALL SELECT * FROM (SELECT * FROM unnamed ORDER BY animals DESC, category_id LIMIT $1) AS most
       UNION ALL SELECT NULL, count(*), 0 FROM unnamed`,
      [unnamed],
    )
    const used = new Map<bigint, { readonly animals: number; readonly removed: number }>()
    let others = 0
    for (const { categoryId, animals, removed } of rows.map(USE.row)) {
      if (categoryId === undefined) others = Math.max(0, animals - unnamed)
      else used.set(categoryId, { animals, removed })
    }
    return { used, others }
  }

  /** Sets or removes names, and gives each name of `more` a free number, all or none. Returns a name that is taken. */
  async name(
    names: ReadonlyMap<bigint, string | undefined>,
    by: Author,
    more: readonly string[] = [],
  ): Promise<SharedName | undefined> {
    const gaps = more.length === 0 ? [] : await this.gaps()
    return this.db.write(async (sql) => {
      await this.db.dialect.lock(sql, 'categories')
      const free = freeNumbers(gaps, new Set([...names.keys(), ...(await categoryNames(sql)).keys()]))
      const all = new Map([...names, ...more.map((label) => [free.next().value, label] as const)])
      return nameCategories(this.db, sql, all, by)
    })
  }
}

export function* freeNumbers(gaps: readonly Gap[], usedNumbers: ReadonlySet<bigint>): Generator<bigint, never> {
  for (const { low, high } of gaps) for (let n = low + 1n; n < high; n += 1n) if (!usedNumbers.has(n)) yield n
  throw new Error('no number is left for a category')
}

/** Runs in the transaction of an import. Throws StoreUnusable if a category or a name was created in the meantime. */
export async function nameNewCategories(
  db: Database,
  sql: Sql,
  names: ReadonlyMap<bigint, string>,
  by: Author,
): Promise<void> {
  if (names.size === 0) return
  await db.dialect.lock(sql, 'categories')
  const labels = await categoryNames(sql)
  const isTaken = [...names.keys()].some((id) => labels.has(id))
  if (isTaken || (await nameCategories(db, sql, names, by)) !== undefined) throw new StoreUnusable(NAMED_MEANWHILE)
}

async function nameCategories(
  db: Database,
  sql: Sql,
  names: ReadonlyMap<bigint, string | undefined>,
  by: Author,
): Promise<SharedName | undefined> {
  const { changes, shared } = toNaming(await categoryNames(sql), names)
  if (shared !== undefined || changes.length === 0) return shared
  const ids = changes.map(({ id }) => id)
  await sql(`DELETE FROM categories WHERE ${db.dialect.isIn('id', 1)}`, [ids])
  const rows = changes.flatMap(({ id, after }) => (after === undefined ? [] : [[id, after]]))
  const input = db.dialect.inputTable(NAME.types, rows)
  await sql(`INSERT INTO categories SELECT id, label FROM ${input.from}`, input.values)
  const entry = ({ id, before, after }: (typeof changes)[number]) => {
    return { act: 'label', from: labelValues(id, before), to: labelValues(id, after) } as const
  }
  await write(db, sql, by, changes.map(entry))
  return undefined
}

export async function categoryNames(sql: Sql): Promise<ReadonlyMap<bigint, string>> {
  return new Map((await NAME.select(sql, 'FROM categories ORDER BY id')).map(({ id, label }) => [id, label]))
}
