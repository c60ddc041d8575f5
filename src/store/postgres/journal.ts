/**
 * The statement that writes a journal entry, in the transaction of the change, unless the session of its author has
 * ended.
 */

import type { Author } from '../author.ts'
import { SessionEnded } from '../people.ts'
import { SESSION_MS } from '../rules/bounds.ts'
import type { JournalAct } from '../rules/journal.ts'
import type { Query } from './connection/query.ts'

/** The subject of an entry, and the values before and after, as JSON objects. */
export interface Entry {
  readonly petId?: string
  readonly keyId?: string
  readonly from?: string
  readonly to?: string
}

/**
 * Throws SessionEnded. Called last in a transaction: a revocation that comes later waits for the commit, and one that
 * was committed before is seen. The lock is the weakest that a deletion waits for.
 */
export async function enter(query: Query, by: Author, act: JournalAct, entries: readonly Entry[]): Promise<void> {
  if (by.session !== undefined) {
    const holding = await query('SELECT 1 FROM sessions WHERE hash = $1 AND created_at_ms > $2::bigint FOR KEY SHARE', [
      by.session,
      by.atMs - SESSION_MS,
    ])
    if (holding.length === 0) throw new SessionEnded()
  }
  await query(
    `INSERT INTO journal (at_ms, who, act, pet_id, key_id, from_values, to_values)
     SELECT $1::bigint, $2, $3, entry.* FROM unnest($4::bigint[], $5::text[], $6::text[], $7::text[]) AS entry`,
    [
      by.atMs,
      by.who,
      act,
      entries.map(({ petId }) => petId ?? null),
      entries.map(({ keyId }) => keyId ?? null),
      entries.map(({ from }) => from ?? null),
      entries.map(({ to }) => to ?? null),
    ],
  )
}

/** Writes entries of several acts, in order. Throws SessionEnded. */
export async function enterAll(
  query: Query,
  by: Author,
  entries: readonly (readonly [JournalAct, Entry])[],
): Promise<void> {
  for (let first = 0; first < entries.length; ) {
    const act = entries[first]?.[0]
    if (act === undefined) return
    const other = entries.findIndex(([one], index) => index > first && one !== act)
    const next = other === -1 ? entries.length : other
    await enter(
      query,
      by,
      act,
      entries.slice(first, next).map(([, entry]) => entry),
    )
    first = next
  }
}
