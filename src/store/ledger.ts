/**
 * The ledger: what the requests of each lineage came to, by hour (UTC) and operation. A counter (../contract/limits.ts)
 * is what its windows hold now; the ledger is what they have admitted and refused over the years. Sums only ever grow,
 * and hours become days when they are 13 months old.
 */
import type { Operation } from '../contract/operations.ts'
import { type InputTable, int, numberOf, type Sql, Subject, table, text } from './sql.ts'

/** `other`: paths and methods that are no operation, and orders. */
export type LedgerOperation = Operation | 'other'

/**
 * Requests of one lineage, by what they came to. `answered4xx` and `answered5xx` are some of the admitted ones: a
 * request that was refused has 429 and is in neither.
 */
export type Sums = { -readonly [Name in keyof ReturnType<typeof SUM.row>]: number }

const COUNTS = {
  admitted: 'int',
  refusedByMinute: 'int',
  refusedByDay: 'int',
  refusedByBan: 'int',
  answered4xx: 'int',
  answered5xx: 'int',
} as const
const SUM = table(COUNTS)
const ROW = table({ hour: 'int', lineage: 'text', operation: 'text', ...COUNTS })
const SUM_OF_HOUR = table({ hour: 'int', operation: (cell) => text(cell) as LedgerOperation, ...COUNTS })
const REFUSED = table({ lineage: 'text', refused: 'int' })
export const SUMS = Object.keys(SUM.row([])) as (keyof Sums)[]
const SUM_COLUMNS = Object.keys(SUM.types)

/** What is to be added to one row; `hour` is the number of hours since 1970. */
export interface LedgerRow {
  readonly hour: number
  readonly lineage: string
  readonly operation: LedgerOperation
  readonly sums: Readonly<Sums>
}

/** Sent again with the same number, a save is made once: its outcome may have been unknown. */
export interface LedgerSave {
  readonly process: string
  /** Greater than that of the save before. */
  readonly n: number
  readonly atMs: number
}

interface LedgerQuery {
  /** Without it all lineages in sum. */
  readonly lineage: string | undefined
  /** The first hour and the one after the last. */
  readonly fromHour: number
  readonly toHour: number
  readonly by: 'hour' | 'day'
}

/** Of an hour, or of the day that begins with it. */
export type LedgerSum = Omit<LedgerRow, 'lineage'>

const TOTALS = SUM_COLUMNS.map((column) => `sum(${column})`)
const REFUSALS = 'CAST(sum(refused_by_minute + refused_by_day + refused_by_ban) AS bigint)'
const OLDEST = 'FROM ledger WHERE span = 1 AND hour < $1 ORDER BY hour, lineage, operation LIMIT $2'

export class Ledger extends Subject {
  /**
   * Adds these, all or none; at most a thousand lineages. The same row may occur twice in one save. Rows are added in
   * one order, so that two nodes cannot deadlock. Throws StoreUnavailable.
   */
  save(rows: readonly LedgerRow[], { process, n, atMs }: LedgerSave): Promise<void> {
    return this.db.write(async (sql) => {
      const fresh = await sql(
        `INSERT INTO ledger_saves VALUES ($1, $2, $3)
         ON CONFLICT (process) DO UPDATE SET n = excluded.n, at_ms = excluded.at_ms WHERE ledger_saves.n < excluded.n
         RETURNING 1`,
        [process, n, atMs],
      )
      if (fresh.length === 0) return
      const cells = rows.map(({ sums, ...row }) => ROW.cells({ ...row, ...sums }))
      await this.#add(sql, '1, hour', this.db.dialect.inputTable(ROW.types, cells))
    })
  }

  /** Adds up the given rows as those of this span and hour. PostgreSQL sums integers of 64 bits beyond them. */
  async #add(sql: Sql, spanAndHour: string, { from, values }: InputTable): Promise<void> {
    const { collateBinary } = this.db.dialect
    await sql(
      `INSERT INTO ledger SELECT ${spanAndHour}, ${collateBinary('lineage')}, ${collateBinary('operation')},
         ${TOTALS.map((total) => `CAST(${total} AS bigint)`)}
       FROM ${from} WHERE true GROUP BY 2, 3, 4 ORDER BY 2, 3, 4
       ON CONFLICT (span, hour, lineage, operation) DO UPDATE SET ${SUM_COLUMNS.map(
         (column) => `${column} = ledger.${column} + excluded.${column}`,
       )}`,
      values,
    )
  }

  /** Only those that are not zero, by hour and operation. An hour that has become a day is told as the day's first. */
  async sums({ lineage, fromHour, toHour, by }: LedgerQuery): Promise<readonly LedgerSum[]> {
    const [first, end] = await this.#within(fromHour, toHour)
    const of = lineage === undefined ? OF_ALL : OF_ONE
    const rows = await this.db.scan(
      `${of.with} SELECT hour / ${by === 'day' ? '24 * 24' : '1'}, operation, ${TOTALS} FROM ${of.from} GROUP BY 1, 2 ORDER BY 1, 2`,
      [first, end, ...(lineage === undefined ? [] : [lineage])],
    )
    return rows.map(SUM_OF_HOUR.row).map(({ hour, operation, ...sums }) => ({ hour, operation, sums }))
  }

  /** Refusals by lineage from this hour on, the most first; only of `among`, if given. At most a thousand lineages. */
  async refused(fromHour: number, among?: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const of = among === undefined ? '' : `AND ${this.db.dialect.isIn('lineage', 2)}`
    const rows = await this.db.scan(
      `SELECT lineage, ${REFUSALS} FROM ledger WHERE span = 1 AND hour >= $1 ${of}
       GROUP BY 1 HAVING ${REFUSALS} > 0 ORDER BY 2 DESC, 1 LIMIT 1000`,
      [fromHour, ...(among === undefined ? [] : [among])],
    )
    return new Map(rows.map(REFUSED.row).map(({ lineage, refused }) => [lineage, refused]))
  }

  /** Of these hours, those between which there is something: a lineage is looked up hour by hour. */
  async #within(fromHour: number, toHour: number): Promise<readonly [number, number]> {
    const ends = ['min', 'max'].flatMap((of) =>
      [1, 24].map((span) => `(SELECT ${of}(hour) FROM ledger WHERE span = ${span})`),
    )
    const [hours = []] = await this.db.read(`SELECT ${ends}`)
    const filled = hours.filter((hour) => hour !== null).map(int)
    return [Math.max(fromHour, Math.min(toHour, ...filled)), Math.min(toHour, Math.max(fromHour, ...filled) + 1)]
  }

  rowsIn(hour: number): Promise<number> {
    return numberOf(this.db.read, 'SELECT count(*) FROM ledger WHERE span = 1 AND hour = $1', [hour])
  }

  /**
   * Makes days of the hours before `hour`, at most so many rows in one commit; returns how many rows it took. Those
   * that another node is moving are left to it.
   */
  rollUp(hour: number, limit: number): Promise<number> {
    return this.db.write(async (sql) => {
      const { skipLocked } = this.db.dialect
      const rows = await sql(`SELECT ${ROW.columns} ${OLDEST} ${skipLocked}`, [hour, limit])
      const input = this.db.dialect.inputTable(ROW.types, rows)
      await sql(
        `DELETE FROM ledger WHERE span = 1 AND (hour, lineage, operation) IN (SELECT hour, lineage, operation FROM ${input.from})`,
        input.values,
      )
      await this.#add(sql, '24, hour / 24 * 24', input)
      return rows.length
    })
  }

  /** Forgets processes that saved last before this time. */
  async deleteOldSaves(beforeMs: number): Promise<void> {
    await this.db.write((sql) => sql('DELETE FROM ledger_saves WHERE at_ms < $1', [beforeMs]))
  }
}

/** Nothing of other lineages is read. */
const OF_ONE = {
  with: `WITH RECURSIVE asked (at_hour) AS (
    SELECT CAST($1 AS bigint) WHERE CAST($1 AS bigint) < $2 UNION ALL SELECT at_hour + 1 FROM asked WHERE at_hour + 1 < $2)`,
  from: 'asked JOIN ledger ON ledger.span IN (1, 24) AND ledger.hour = asked.at_hour AND lineage = $3',
}
const OF_ALL = { with: '', from: 'ledger WHERE span IN (1, 24) AND hour >= $1 AND hour < $2' }
