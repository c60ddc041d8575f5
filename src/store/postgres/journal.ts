/** The statement that writes a journal entry, in the transaction of the change. */
import type { Author, JournalAct } from '../records.ts'
import type { Query } from './query.ts'

/** The subject of an entry, and the values before and after, as JSON objects. */
export interface Entry {
  readonly petId?: string
  readonly keyId?: string
  readonly from?: string
  readonly to?: string
}

export async function enter(query: Query, by: Author, act: JournalAct, entries: readonly Entry[]): Promise<void> {
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
