/** The samples of the dashboard in PostgreSQL, in one table for all nodes. */
import type { SampleStore, SampleTimes, SavedSample } from '../samples.ts'
import type { Database } from './database.ts'

export class PostgresSamples implements SampleStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async load(node: string, sinceMs: number): Promise<readonly SavedSample[]> {
    const rows = await this.#database.query(
      'SELECT at_ms, sample FROM samples WHERE node = $1 AND at_ms > $2::bigint ORDER BY at_ms',
      [node, sinceMs],
    )
    return rows.map(([atMs, json]) => ({ atMs: Number(atMs), json: json ?? '' }))
  }

  /** Two nodes may delete the same old samples at the same time: neither waits for the other. */
  save(node: string, samples: readonly SavedSample[], { nowMs, keptMs }: SampleTimes): Promise<void> {
    return this.#database.transaction('BEGIN', async (query) => {
      await query(
        `INSERT INTO samples SELECT $1, added.* FROM unnest($2::bigint[], $3::text[]) AS added
         ON CONFLICT (node, at_ms) DO UPDATE SET sample = excluded.sample`,
        [node, samples.map(({ atMs }) => atMs), samples.map(({ json }) => json)],
      )
      await query(
        `DELETE FROM samples WHERE (node, at_ms) IN (
           SELECT node, at_ms FROM samples WHERE at_ms <= $1::bigint OR at_ms > $2::bigint FOR UPDATE SKIP LOCKED
         )`,
        [nowMs - keptMs, nowMs + keptMs],
      )
    })
  }
}
