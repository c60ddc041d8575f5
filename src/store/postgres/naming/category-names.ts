/** The names of categories in PostgreSQL: how they are read, and changed with their entries in the journal. */

import type { Author } from '../../author.ts'
import type { SharedName } from '../../categories.ts'
import { toNaming } from '../../rules/category-names.ts'
import { labelValues, NAMED_MEANWHILE } from '../../rules/journal.ts'
import { StoreUnusable } from '../../store.ts'
import type { Query } from '../connection/query.ts'
import { enter } from '../journal.ts'

/** Locks the table, since a row may not exist yet. */
export const LOCK = 'LOCK TABLE categories IN SHARE ROW EXCLUSIVE MODE'

/** Names the new categories of an import. Throws StoreUnusable if one, or one of the names, is there meanwhile. */
export async function nameNewCategories(query: Query, names: ReadonlyMap<bigint, string>, by: Author): Promise<void> {
  if (names.size === 0) return
  await query(LOCK)
  const there = await categoryNames(query)
  const isTaken = [...names.keys()].some((id) => there.has(id))
  if (isTaken || (await nameCategories(query, names, by)) !== undefined) throw new StoreUnusable(NAMED_MEANWHILE)
}

/** With the lock. */
export async function nameCategories(
  query: Query,
  names: ReadonlyMap<bigint, string | undefined>,
  by: Author,
): Promise<SharedName | undefined> {
  const { changes, shared } = toNaming(await categoryNames(query), names)
  if (shared !== undefined || changes.length === 0) return shared
  const ids = changes.map(({ id }) => id)
  await query('DELETE FROM categories WHERE id = ANY($1::bigint[])', [ids])
  const named = changes.filter(({ after }) => after !== undefined)
  await query('INSERT INTO categories SELECT * FROM unnest($1::bigint[], $2::text[])', [
    named.map(({ id }) => id),
    named.map(({ after }) => after ?? ''),
  ])
  const entries = changes.map(({ id, before, after }) => ({
    from: labelValues(id, before),
    to: labelValues(id, after),
  }))
  await enter(query, by, 'label', entries)
  return undefined
}

export async function categoryNames(query: Query): Promise<ReadonlyMap<bigint, string>> {
  const rows = await query('SELECT id, label FROM categories ORDER BY id')
  return new Map(rows.map(([id, label]) => [BigInt(id ?? ''), label ?? '']))
}
