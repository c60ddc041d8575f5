/**
 * The categories: names for their numbers, and what animals are in them. No two get one name, by whomever; those that
 * had one before this rule keep it. Those who name categories wait for each other. Each animal has its last merge noted
 * (`merged_pets`), so that table is never longer than those of the animals.
 */

import { INT64_MAX } from '../contract/int64.ts'
import { type MergeRefusal, whyNotMerged } from '../rules/changes.ts'
import { labelValues, mergeValues } from '../rules/journal.ts'
import { type SharedName, toNaming } from '../rules/names.ts'
import { PET_TABLES } from './animals.ts'
import type { Author } from './author.ts'
import { StoreUnusable } from './errors.ts'
import { OF_NO_SUBJECT, write } from './journal.ts'
import { type Database, hold, type Sql, Subject, selectIds, table } from './sql.ts'

export type MergeRecord = ReturnType<typeof MERGE.row>

const MERGED = {
  from: ['bigint', 'from_id'],
  /** The name that `from` had. */
  label: 'text?',
  into: ['bigint', 'into_id'],
  animals: 'int',
} as const
const MERGE = table({ n: 'bigint', atMs: 'int', who: 'text', ...MERGED, undoneAtMs: 'int?' })
const UNDONE = table({ ...MERGED, entryN: 'bigint' })
const NAME = table({ id: 'bigint', label: 'text' })

export type UnmergeResult = NonNullable<Awaited<ReturnType<Categories['undoMerge']>>>

/** Why an import that names categories adds nothing. */
const NAMED_MEANWHILE =
  'Categories were named while the file was read; nothing was imported. Look at `pets categories`, and import again.'

/** How many animals and removed ones a category has; without its number, how many others there are. */
const USE = table({ categoryId: 'bigint?', animals: 'int', removed: 'int' })
const USED = `SELECT category_id, sum(animals) AS animals, sum(removed) AS removed FROM (
  SELECT category_id, count(*) AS animals, 0 AS removed FROM pets GROUP BY category_id
  UNION ALL SELECT category_id, 0, count(*) FROM removed_pets GROUP BY category_id) AS of_each GROUP BY category_id`

/** Numbers greater than `low` and less than `high`. */
type Gap = ReturnType<typeof GAP.row>
const GAP = table({ low: 'bigint', high: 'bigint' })
const GAPS_READ = 1_000
/** The first, and the widest: a client can make as many as it makes animals. Bound: the greatest number; how many. */
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

/** Animals of a merge that nobody has changed since. Bound: the category that got them, the merge, its entry. */
const UNCHANGED = `category_id = $1 AND id IN (
  SELECT pet_id FROM merged_pets WHERE merge_n = $2
  AND NOT EXISTS (SELECT 1 FROM journal WHERE journal.pet_id = merged_pets.pet_id AND journal.n > $3))`

export class Categories extends Subject {
  /** By number in ascending order. */
  names(): Promise<ReadonlyMap<bigint, string>> {
    return categoryNames(this.db.read)
  }

  /** Whether no animal is there, removed ones included. */
  async areUnused(): Promise<boolean> {
    const any = PET_TABLES.map((pets) => `SELECT 1 FROM ${pets}`).join(' UNION ALL ')
    return (await this.db.read(`${any} LIMIT 1`)).length === 0
  }

  /** Numbers that no animal has, removed ones included: the least, and more than anybody needs. Looks at all animals. */
  gaps(): Promise<readonly Gap[]> {
    return GAP.select(this.db.scan, GAPS, [INT64_MAX, GAPS_READ])
  }

  /**
   * How many animals are in each category that has a name, and in those without one that have most animals; and how
   * many others there are, since a client can make as many as it makes animals.
   */
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

  /**
   * Gives these categories these names, or takes their names away if undefined, and each name of `more` to a category
   * of its own, of the least numbers that are free; all or none, in one commit. If one of the names would be that of
   * another category too, it is returned, and nothing is done.
   */
  async name(
    names: ReadonlyMap<bigint, string | undefined>,
    by: Author,
    more: readonly string[] = [],
  ): Promise<SharedName | undefined> {
    const gaps = more.length === 0 ? [] : await this.gaps()
    return this.#write(async (sql) => {
      const free = freeNumbers(gaps, new Set([...names.keys(), ...(await categoryNames(sql)).keys()]))
      const all = new Map([...names, ...more.map((label) => [free.next().value, label] as const)])
      return nameCategories(this.db, sql, all, by)
    })
  }

  /** Gives all animals of the category `from`, removed ones too, to `into`, and takes its name away, in one commit. */
  merge(from: bigint, into: bigint, by: Author) {
    return this.#write(async (sql): Promise<MergeRefusal | { readonly n: bigint; readonly animals: number }> => {
      const label = (await categoryNames(sql)).get(from)
      const anyAnimal = PET_TABLES.map((pets) => `SELECT 1 FROM ${pets} WHERE category_id = $1`).join(' UNION ALL ')
      const isThere = label !== undefined || (await sql(`${anyAnimal} LIMIT 1`, [from])).length > 0
      const refusal = whyNotMerged(from, into, isThere)
      if (refusal !== undefined) return refusal
      const [n = 0n] = await selectIds(
        sql,
        `INSERT INTO merges (at_ms, who, from_id, label, into_id, animals, entry_n) VALUES ($1, $2, $3, $4, $5, 0, 0)
         RETURNING n`,
        [by.atMs, by.who, from, label, into],
      )
      let animals = 0
      for (const pets of PET_TABLES) {
        await hold(this.db, sql, pets, 'category_id = $1', [from])
        animals += (
          await sql(
            `INSERT INTO merged_pets SELECT id, CAST($2 AS bigint) FROM ${pets} WHERE category_id = $1
             ON CONFLICT (pet_id) DO UPDATE SET merge_n = excluded.merge_n RETURNING 1`,
            [from, n],
          )
        ).length
        // Others may have come into the category meanwhile: they stay there.
        const mergedIds = '(SELECT pet_id FROM merged_pets WHERE merge_n = $3)'
        await sql(`UPDATE ${pets} SET category_id = $2 WHERE category_id = $1 AND id IN ${mergedIds}`, [from, into, n])
      }
      await sql('DELETE FROM categories WHERE id = $1', [from])
      const values = { from: labelValues(from, label), to: mergeValues(n, into, animals) }
      await write(this.db, sql, by, [{ act: 'merge', ...values }])
      await sql(
        `UPDATE merges SET animals = $2,
           entry_n = (SELECT max(n) FROM journal WHERE act = 'merge' AND ${OF_NO_SUBJECT} AND to_values = $3)
         WHERE n = $1`,
        [n, animals, values.to],
      )
      return { n, animals }
    })
  }

  /** Newest first. */
  merges(limit: number): Promise<readonly MergeRecord[]> {
    return MERGE.select(this.db.read, 'FROM merges ORDER BY n DESC LIMIT $1', [limit])
  }

  /**
   * Takes back those of its animals that nobody has changed since, and the name if no other category has it by then, in
   * one commit. Undefined if there is no such merge, or it is already undone.
   */
  undoMerge(n: bigint, by: Author) {
    return this.#write(async (sql) => {
      const update = 'UPDATE merges SET undone_at_ms = $2 WHERE n = $1 AND undone_at_ms IS NULL RETURNING'
      const [row] = await sql(`${update} ${UNDONE.columns}`, [n, by.atMs])
      if (row === undefined) return undefined
      const { from, label, into, animals, entryN } = UNDONE.row(row)
      let back = 0
      for (const pets of PET_TABLES) {
        // Waits for changes under way; the next statement then sees their journal entries.
        await hold(this.db, sql, pets, UNCHANGED, [into, n, entryN])
        const values = [into, n, entryN, from]
        back += (await sql(`UPDATE ${pets} SET category_id = $4 WHERE ${UNCHANGED} RETURNING 1`, values)).length
      }
      const { changes, shared } = toNaming(await categoryNames(sql), new Map([[from, label]]))
      const isFree = shared === undefined && changes.some(({ before, after }) => before === undefined && after)
      if (isFree) await sql('INSERT INTO categories VALUES ($1, $2)', [from, label])
      await sql('DELETE FROM merged_pets WHERE merge_n = $1', [n])
      const to = labelValues(from, isFree ? label : undefined)
      await write(this.db, sql, by, [{ act: 'undo merge', from: mergeValues(n, into, back), to, undoes: entryN }])
      // Somebody has changed the others since, or they are no more.
      return { back, kept: animals - back }
    })
  }

  #write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.db.write(async (sql) => {
      await this.db.dialect.lock(sql, 'categories')
      return work(sql)
    })
  }
}

/** The numbers of gaps that are not taken either; one that is taken later is left out too. */
export function* freeNumbers(gaps: readonly Gap[], usedNumbers: ReadonlySet<bigint>): Generator<bigint, never> {
  for (const { low, high } of gaps) for (let n = low + 1n; n < high; n += 1n) if (!usedNumbers.has(n)) yield n
  throw new Error('no number is left for a category')
}

/** In the transaction of an import. Throws StoreUnusable if a category, or a name, is there by then. */
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

/** With the lock. */
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
