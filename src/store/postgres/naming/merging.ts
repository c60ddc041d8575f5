/**
 * Merges of categories in PostgreSQL, and their undo: one statement for all animals, in one transaction. Each animal
 * has its last merge noted (`merged_pets`), so the table is never longer than those of the animals.
 */

import type { Author } from '../../author.ts'
import type { Merged, MergeRecord, UnmergedAnimals } from '../../categories.ts'
import { toNaming } from '../../rules/category-names.ts'
import { labelValues, mergeValues } from '../../rules/journal.ts'
import type { Query } from '../connection/query.ts'
import { enter } from '../journal.ts'
import { categoryNames } from './category-names.ts'

/** Locks in the order of every change of animals. */
const hold = (table: string, condition: string) => `
  SELECT count(*) FROM (SELECT FROM ${table} WHERE ${condition} ORDER BY id FOR UPDATE) AS held`

const move = (table: string) => `
  WITH moved AS (UPDATE ${table} SET category_id = $2::bigint WHERE category_id = $1::bigint RETURNING id),
  noted AS (
    INSERT INTO merged_pets SELECT id, $3::bigint FROM moved
    ON CONFLICT (pet_id) DO UPDATE SET merge_n = excluded.merge_n
  )
  SELECT count(*) FROM moved`

const UNCHANGED = `category_id = $2::bigint AND id IN (
  SELECT pet_id FROM merged_pets WHERE merge_n = $3::bigint
  AND NOT EXISTS (SELECT FROM journal WHERE journal.pet_id = merged_pets.pet_id AND journal.n > $4::bigint))`

const moveBack = (table: string) => `
  WITH moved AS (UPDATE ${table} SET category_id = $1::bigint WHERE ${UNCHANGED} RETURNING id)
  SELECT count(*) FROM moved`

const TABLES = ['pets', 'removed_pets'] as const

/** With the lock of the categories. */
export async function mergeCategories(
  query: Query,
  from: bigint,
  into: bigint,
  by: Author,
): Promise<Merged | undefined> {
  const label = (await categoryNames(query)).get(from)
  const [row] = await query(
    `INSERT INTO merges (at_ms, who, from_id, label, into_id, animals, entry_n)
     VALUES ($1::bigint, $2, $3::bigint, $4, $5::bigint, 0, 0) RETURNING n`,
    [by.atMs, by.who, from, label ?? null, into],
  )
  const n = BigInt(row?.[0] ?? '')
  let animals = 0
  for (const table of TABLES) {
    await query(hold(table, 'category_id = $1::bigint'), [from])
    const [moved] = await query(move(table), [from, into, n])
    animals += Number(moved?.[0])
  }
  if (animals === 0 && label === undefined) {
    await query('DELETE FROM merges WHERE n = $1::bigint', [n])
    return undefined
  }
  await query('DELETE FROM categories WHERE id = $1::bigint', [from])
  await enter(query, by, 'merge', [{ from: labelValues(from, label), to: mergeValues(n, into, animals) }])
  // Nothing else has drawn from a sequence in this session since the entry.
  await query('UPDATE merges SET animals = $2::bigint, entry_n = lastval() WHERE n = $1::bigint', [n, animals])
  return { n, animals }
}

/** With the lock of the categories. */
export async function undoMerge(query: Query, n: bigint, by: Author): Promise<UnmergedAnimals | undefined> {
  const [found] = await query(
    `UPDATE merges SET undone_at_ms = $2::bigint WHERE n = $1::bigint AND undone_at_ms IS NULL
     RETURNING from_id, label, into_id, animals, entry_n`,
    [n, by.atMs],
  )
  if (found === undefined) return undefined
  const [from, into] = [BigInt(found[0] ?? ''), BigInt(found[2] ?? '')]
  const label = found[1] ?? undefined
  const values = [from, into, n, found[4]]
  let back = 0
  for (const table of TABLES) {
    // Waits for changes under way; the next statement then sees their journal entries.
    await query(hold(table, `$1::bigint IS NOT NULL AND ${UNCHANGED}`), values)
    const [moved] = await query(moveBack(table), values)
    back += Number(moved?.[0])
  }
  const { changes, shared } = toNaming(await categoryNames(query), new Map([[from, label]]))
  const isFree = shared === undefined && changes.some(({ before, after }) => before === undefined && after)
  if (isFree) await query('INSERT INTO categories VALUES ($1::bigint, $2)', [from, label])
  await query('DELETE FROM merged_pets WHERE merge_n = $1::bigint', [n])
  const to = labelValues(from, isFree ? label : undefined)
  await enter(query, by, 'undo merge', [{ from: mergeValues(n, into, back), to }])
  return { back, kept: Number(found[3]) - back }
}

export async function listMerges(query: Query, limit: number): Promise<readonly MergeRecord[]> {
  const rows = await query(
    'SELECT n, at_ms, who, from_id, label, into_id, animals, undone_at_ms FROM merges ORDER BY n DESC LIMIT $1',
    [limit],
  )
  return rows.map(([n, atMs, who, from, label, into, animals, undoneAtMs]) => ({
    n: BigInt(n ?? ''),
    atMs: Number(atMs),
    who: who ?? '',
    from: BigInt(from ?? ''),
    label: label ?? undefined,
    into: BigInt(into ?? ''),
    animals: Number(animals),
    undoneAtMs: typeof undoneAtMs === 'string' ? Number(undoneAtMs) : undefined,
  }))
}
