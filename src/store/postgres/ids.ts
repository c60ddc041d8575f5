/**
 * The ids that the database gives to animals: those of `pet_ids`, each once (R4), while anybody may draw further ones.
 */
import type { Query } from './connection/query.ts'

/**
 * Ids this close ahead are drawn one by one, which takes 50 ms at most: `setval` could move the sequence back behind
 * ids that others draw meanwhile. Nobody draws more than this during one statement.
 */
const NEAR = 100_000

/** Ids given from now on are greater than `id`; this holds at once, also if the transaction fails. */
export async function giveIdsAfter(query: Query, id: bigint): Promise<void> {
  await query(
    `WITH ahead AS MATERIALIZED (
       SELECT $1::bigint - CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS ids FROM pet_ids
     )
     SELECT CASE
       WHEN ids > ${NEAR} THEN setval('pet_ids', $1::bigint)
       ELSE (SELECT max(nextval('pet_ids')) FROM generate_series(1, ids))
     END FROM ahead WHERE ids > 0`,
    [id],
  )
}
