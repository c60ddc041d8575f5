/** PostgreSQL for the operator's side (../sql.ts): how statements run, and where the dialects differ. */
import type { Columns, Database, Dialect } from '../sql.ts'
import { StoreUnavailable } from '../store.ts'
import type { PostgresDatabase } from './connection/database.ts'
import { isRetryable } from './connection/errors.ts'

const TRIES = 4

/**
 * Up to this distance ids are drawn one by one, in at most 50 ms: `setval` could move the sequence back behind ids that
 * others draw.
 */
const NEAR = 100_000

/** Beyond this many rows the planner's statistics are refreshed. */
const LARGE = 10_000

/** Imports and syncs wait for each other. The limit: the server might not know that a client is gone. */
const TURN = `
  SET LOCAL lock_timeout = '60s';
  SELECT FROM pets_schema FOR UPDATE;
  SET LOCAL lock_timeout TO DEFAULT`

export const DIALECT: Dialect = {
  forUpdate: 'FOR UPDATE',
  forShare: 'FOR KEY SHARE',
  lock: (sql, table) => sql(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`),
  isIn: (expression, n) => `${expression} = ANY($${n})`,
  inputTable(columns, rows, first = 1) {
    const names = Object.keys(columns)
    const arrays = Object.values(columns).map((type, n) => `$${first + n}::${type}[]`)
    return {
      from: `unnest(${arrays}) WITH ORDINALITY AS input (${names}, place)`,
      values: names.map((_, n) => rows.map((row) => row[n] ?? null) as readonly string[]),
    }
  },
  collateBinary: (expression) => `${expression} COLLATE "C"`,
  folded: (column, folded = 'folded') => `coalesce(${folded}, lower(${column} COLLATE "C")) COLLATE "C"`,
  countAll: "SELECT coalesce(status, 'none'), count(*) FROM pets GROUP BY 1",
  keepsCounts: false,
  async addToCounts() {},
  async reserveIdsUpTo(sql, id) {
    await sql(
      `WITH ahead AS MATERIALIZED (
         SELECT $1::bigint - CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS ids FROM pet_ids
       )
       SELECT CASE
         WHEN ids > ${NEAR} THEN setval('pet_ids', $1::bigint)
         ELSE (SELECT max(nextval('pet_ids')) FROM generate_series(1, ids))
       END FROM ahead WHERE ids > 0`,
      [id],
    )
  },
  assignIds: (table, condition) => `
    UPDATE ${table} SET pet_id = assigned.id
    FROM (
      SELECT place, nextval('pet_ids') AS id
      FROM (SELECT place FROM ${table} WHERE ${condition} ORDER BY place) AS ordered
    ) AS assigned
    WHERE assigned.place = ${table}.place`,
  lastGivenId: 'SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM pet_ids',
  analyze: (sql, table) => sql(`ANALYZE ${table}`),
  // Not json, whose strings can contain text that PostgreSQL cannot store.
  toJson: (column) => `array_to_json(${column})::text`,
  fromJson: (column) => `ARRAY(SELECT json_array_elements_text(${column}::json)::bigint)`,
  tables: `SELECT table_name::text FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`,
  async columnsOf(sql, table) {
    const rows = await sql(
      `SELECT column_name::text, data_type::text FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`,
      [table],
    )
    const [[keyColumns] = []] = await sql(
      'SELECT indnkeyatts FROM pg_index WHERE indrelid = CAST($1 AS regclass) AND indisprimary',
      [table],
    )
    const columns = rows.map(([name, type]) => [String(name), type === 'text' ? 'text' : 'bigint'] as const)
    return { columns: Object.fromEntries(columns) as Columns, keyColumns: Number(keyColumns) }
  },
  continueAfter: (sql, table) =>
    sql(`SELECT setval(pg_get_serial_sequence('${table}', 'n'), max(n)) FROM ${table} HAVING max(n) > 0`),
}

export function onPostgres(postgres: PostgresDatabase): Database {
  const { clock, single, longQuery } = postgres
  return {
    dialect: DIALECT,
    clock,
    read: single,
    scan: longQuery,
    async write(work) {
      for (let triesLeft = TRIES - 1; ; triesLeft -= 1) {
        try {
          return await postgres.act(work)
        } catch (error) {
          if (triesLeft === 0 || !(error instanceof StoreUnavailable && isRetryable(error.cause))) throw error
        }
      }
    },
    snapshot: (work) => postgres.transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work),
    bulk: (tables, work) =>
      postgres.transaction('BEGIN', async (sql) => {
        for (const table of tables) await sql(`CREATE TEMP TABLE ${table} ON COMMIT DROP`)
        return work(sql, async () => void (await sql(TURN)))
      }),
    // Autovacuum runs a minute later. Within the transaction this would wait for an index build.
    async analyzeIfLarge(tables, rows) {
      if (rows >= LARGE) await longQuery(`ANALYZE (SKIP_LOCKED) ${tables}`).catch(() => undefined)
    },
  }
}
