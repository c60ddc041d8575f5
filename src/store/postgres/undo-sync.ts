/**
 * Undoes a sync in the transaction of the undo. What it changed is in the journal, entry by entry, and each animal that
 * nobody has changed since is put back; the others are kept as they are.
 */

import type { Author } from '../author.ts'
import type { Undone } from '../imports.ts'
import { type JournalAct, UNDOING_ACTS, undoneSyncValues } from '../rules/journal.ts'
import { CHANGED_SINCE } from '../rules/sync.ts'
import type { Query } from './connection/query.ts'
import { type Entry, enter, enterAll } from './journal.ts'
import { TURN } from './turn.ts'

const ENTRIES_TOGETHER = 1_000

/** The journal entry of a sync itself. */
const SYNC_ENTRY = `
  SELECT n FROM journal WHERE act = 'sync' AND to_values LIKE '{"import":' || $1::bigint || ',%' ORDER BY n DESC LIMIT 1`

/** Its entries about animals, found from its own backwards. */
const FIND_ENTRIES = `
  INSERT INTO sync_entries
  SELECT n, pet_id, act, from_values, to_values FROM journal
  WHERE n < $1::bigint AND pet_id IS NOT NULL
    AND (to_values LIKE '{"import":' || $2::bigint || ',%' OR to_values = '{"import":' || $2::bigint || '}')
  ORDER BY n DESC LIMIT $3`

const hold = (table: string) => `
  SELECT count(*) FROM (
    SELECT FROM ${table} WHERE id IN (SELECT pet_id FROM sync_entries) ORDER BY id FOR UPDATE
  ) AS held`

/** Those of animals that somebody has changed since, or that are not where the sync has left them. */
const FORGET_CHANGED = `
  DELETE FROM sync_entries AS entry WHERE ${CHANGED_SINCE}
    OR NOT CASE act WHEN 'remove' THEN EXISTS (SELECT FROM removed_pets WHERE id = entry.pet_id)
      ELSE EXISTS (SELECT FROM pets WHERE id = entry.pet_id) END`

const TAKE_BACK = [
  `UPDATE pets SET name = coalesce(was ->> 'name', name), category_id = coalesce((was ->> 'categoryId')::bigint, category_id),
     status = CASE WHEN was ? 'status' THEN was ->> 'status' ELSE status END
   FROM (SELECT pet_id, from_values::jsonb AS was FROM sync_entries WHERE act IN ('edit', 'restore')) AS entry
   WHERE id = pet_id AND was IS NOT NULL`,
  `DELETE FROM pet_references WHERE pet_id IN (SELECT pet_id FROM sync_entries WHERE to_values::jsonb ? 'reference')`,
]
const REMOVE_AGAIN = `
  WITH gone AS (
    DELETE FROM pets WHERE id IN (SELECT pet_id FROM sync_entries WHERE act IN ('add', 'restore'))
    RETURNING id, name, category_id, status
  )
  INSERT INTO removed_pets SELECT id, name, category_id, status, $1::bigint FROM gone`
const RESTORE_AGAIN = `
  WITH back AS (
    DELETE FROM removed_pets WHERE id IN (SELECT pet_id FROM sync_entries WHERE act = 'remove')
    RETURNING id, name, category_id, status
  )
  INSERT INTO pets (id, name, category_id, status) SELECT id, name, category_id, status FROM back ORDER BY id`

/** The next entries whose own are to be written, by animal; they are gone then. */
const SOME_ENTRIES = `
  WITH taken AS (
    DELETE FROM sync_entries WHERE pet_id IN (SELECT pet_id FROM sync_entries ORDER BY pet_id LIMIT ${ENTRIES_TOGETHER})
    RETURNING pet_id, act, from_values, to_values
  )
  SELECT * FROM taken ORDER BY pet_id`

/** Undoes a sync of so many animals, in the transaction; undefined if the number is that of an import. */
export async function undoSync(query: Query, n: bigint, animals: number, author: Author): Promise<Undone | undefined> {
  const [own] = await query(SYNC_ENTRY, [n])
  if (own === undefined) return undefined
  await query(TURN)
  const by = { ...author }
  await query(
    'CREATE TEMP TABLE sync_entries (n bigint, pet_id bigint, act text, from_values text, to_values text) ON COMMIT DROP',
  )
  await query(FIND_ENTRIES, [own[0], n, animals])
  await query('CREATE INDEX sync_entries_by_animal ON sync_entries (pet_id)')
  for (const table of ['pets', 'removed_pets']) await query(hold(table))
  await query(FORGET_CHANGED)
  for (const statement of TAKE_BACK) await query(statement)
  await query(RESTORE_AGAIN)
  await query(REMOVE_AGAIN, [by.atMs])
  const [counted] = await query("SELECT count(*), count(*) FILTER (WHERE act = 'add') FROM sync_entries")
  const [all, removed] = [Number(counted?.[0]), Number(counted?.[1])]
  for (let rows = await query(SOME_ENTRIES); rows.length > 0; rows = await query(SOME_ENTRIES)) {
    const entries = rows.flatMap(([petId, act, from, to]): (readonly [JournalAct, Entry])[] => {
      const undoing = UNDOING_ACTS[act as JournalAct]
      if (undoing === undefined) return []
      return [[undoing, { petId: petId ?? '', ...(to && { from: to }), ...(from && { to: from }) }]]
    })
    await enterAll(query, by, entries)
  }
  const putBack = all - removed
  await enter(query, by, 'undo import', [{ from: undoneSyncValues(n, removed, putBack) }])
  return { removed, putBack, kept: animals - all }
}
