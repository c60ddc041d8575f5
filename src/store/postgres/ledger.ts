/** The ledger in PostgreSQL: each node adds its own sums, every few seconds and at its end. */
import {
  ADDING,
  type LedgerOperation,
  type LedgerQuery,
  type LedgerRow,
  type LedgerSave,
  type LedgerStore,
  type LedgerSum,
  SUM_COLUMNS,
  SUMS,
  toSums,
} from '../ledger.ts'
import type { Database } from './connection/database.ts'

const SAVE_AFTER_MS = 5_000

/** Of one row may be told twice. Rows are added in one order, so that two nodes cannot deadlock. */
const SAVE = `
  WITH fresh AS (
    INSERT INTO ledger_saves VALUES ($1, $2::bigint, $3::bigint)
    ON CONFLICT (process) DO UPDATE SET n = excluded.n, at_ms = excluded.at_ms WHERE ledger_saves.n < excluded.n
    RETURNING 1
  )
  INSERT INTO ledger
  SELECT 1, hour, lineage COLLATE "C", operation COLLATE "C", ${SUM_COLUMNS.map((column) => `sum(${column})`)} FROM unnest($4::bigint[], $5::text[], $6::text[], ${SUMS.map((_, n) => `$${n + 7}::bigint[]`)})
    AS added (hour, lineage, operation, ${SUM_COLUMNS})
  WHERE EXISTS (SELECT 1 FROM fresh)
  GROUP BY 2, 3, 4 ORDER BY 2, 3, 4
  ${ADDING}`

/** A row that another node is moving is left to it. */
const ROLL_UP = `
  WITH old AS (
    SELECT span, hour, lineage, operation FROM ledger WHERE span = 1 AND hour < $1::bigint
    ORDER BY hour, lineage, operation LIMIT $2::bigint FOR UPDATE SKIP LOCKED
  ), moved AS (
    DELETE FROM ledger USING old
    WHERE (ledger.span, ledger.hour, ledger.lineage, ledger.operation) = (old.span, old.hour, old.lineage, old.operation)
    RETURNING ledger.*
  ), added AS (
    INSERT INTO ledger
    SELECT 24, hour / 24 * 24, lineage, operation, ${SUM_COLUMNS.map((column) => `sum(${column})`)}
    FROM moved GROUP BY 2, 3, 4 ORDER BY 2, 3, 4
    ${ADDING}
  )
  SELECT count(*) FROM moved`

/** Of all hours and all days; nothing is there before. */
const FIRST_HOUR = `
  least(${[1, 24].map((span) => `coalesce((SELECT min(hour) FROM ledger WHERE span = ${span}), $2::bigint)`)})`
/** A lineage is looked up hour by hour, and nothing of the others is read. */
const OF_ONE = `
  generate_series(greatest($1::bigint, ${FIRST_HOUR}), $2::bigint - 1) AS asked (begin_hour) CROSS JOIN LATERAL (
    SELECT * FROM ledger WHERE span IN (1, 24) AND hour = begin_hour AND lineage = $3 OFFSET 0
  ) AS ledger`
const OF_ALL = 'ledger WHERE span IN (1, 24) AND hour >= $1::bigint AND hour < $2::bigint'

export class PostgresLedger implements LedgerStore {
  readonly saveAfterMs = SAVE_AFTER_MS
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async save(rows: readonly LedgerRow[], { process, n, atMs }: LedgerSave): Promise<void> {
    await this.#database.change(SAVE, [
      process,
      n,
      atMs,
      rows.map(({ hour }) => hour),
      rows.map(({ lineage }) => lineage),
      rows.map(({ operation }) => operation),
      ...SUMS.map((name) => rows.map(({ sums }) => sums[name])),
    ])
  }

  async sums({ lineage, fromHour, toHour, by }: LedgerQuery): Promise<readonly LedgerSum[]> {
    const rows = await this.#database.patientQuery(
      `SELECT hour / ${by === 'day' ? '24 * 24' : '1'}, operation, ${SUM_COLUMNS.map((column) => `sum(${column})`)}
       FROM ${lineage === undefined ? OF_ALL : OF_ONE} GROUP BY 1, 2 ORDER BY 1, 2`,
      [fromHour, toHour, ...(lineage === undefined ? [] : [lineage])],
    )
    return rows.map(([hour, operation, ...sums]) => ({
      hour: Number(hour),
      operation: operation as LedgerOperation,
      sums: toSums(sums),
    }))
  }

  async rowsIn(hour: number): Promise<number> {
    const query = 'SELECT count(*) FROM ledger WHERE span = 1 AND hour = $1::bigint'
    const [row] = await this.#database.patientQuery(query, [hour])
    return Number(row?.[0])
  }

  async rollUp(hour: number, limit: number): Promise<number> {
    const [row] = await this.#database.change(ROLL_UP, [hour, limit])
    return Number(row?.[0])
  }

  async forgetSaves(beforeMs: number): Promise<void> {
    await this.#database.change('DELETE FROM ledger_saves WHERE at_ms < $1::bigint', [beforeMs])
  }
}
