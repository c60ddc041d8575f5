/**
 * The ledger: what the requests of each lineage came to, one row for each day (UTC), operation and outcome. A counter
 * (../contract/limits.ts) is what its windows hold now; the ledger is what they have admitted and refused over the
 * years. Its numbers only ever grow.
 */
import type { Operation } from '../contract/operations.ts'
import { Repository, table, text } from './sql.ts'

/** `other`: paths and methods that are no operation, and orders. */
export type LedgerOperation = Operation | 'other'

/**
 * `answered4xx` and `answered5xx` are some of the admitted requests: a request that was refused has 429 and is in
 * neither.
 */
export const OUTCOMES = [
  'admitted',
  'refusedByMinute',
  'refusedByDay',
  'refusedByBan',
  'answered4xx',
  'answered5xx',
] as const
type Outcome = (typeof OUTCOMES)[number]

/** Requests, by what they came to. */
export type Sums = Record<Outcome, number>

const ROW = table({ day: 'int', lineage: 'text', operation: 'text', outcome: 'text', n: 'int' })
const SUM = table({
  day: 'int',
  operation: (cell) => text(cell) as LedgerOperation,
  outcome: (cell) => text(cell) as Outcome,
  n: 'int',
})
const REFUSED = table({ lineage: 'text', refused: 'int' })

/** What is to be added to one row; `day` is the number of days since 1970. */
export interface LedgerRow {
  readonly day: number
  readonly lineage: string
  readonly operation: LedgerOperation
  readonly outcome: Outcome
  readonly n: number
}

interface LedgerQuery {
  /** Without it all lineages in sum. */
  readonly lineage: string | undefined
  /** The first day and the one after the last. */
  readonly fromDay: number
  readonly toDay: number
}

export interface LedgerSum {
  readonly day: number
  readonly operation: LedgerOperation
  readonly sums: Readonly<Sums>
}

const TOTAL = 'CAST(sum(n) AS bigint)'

export class Ledger extends Repository {
  /**
   * Adds these, all or none. The same row may occur twice. Rows are added in one order, so that two nodes cannot
   * deadlock. PostgreSQL sums integers of 64 bits beyond them. Throws StoreUnavailable.
   */
  async save(rows: readonly LedgerRow[]): Promise<void> {
    const { collateBinary, inputTable } = this.db.dialect
    const { from, values } = inputTable(ROW.types, rows.map(ROW.cells))
    const names = ['lineage', 'operation', 'outcome'].map(collateBinary)
    await this.db.write((sql) =>
      sql(
        `INSERT INTO ledger_days SELECT day, ${names}, CAST(sum(n) AS bigint)
         FROM ${from} WHERE true GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
         ON CONFLICT (day, lineage, operation, outcome) DO UPDATE SET n = ledger_days.n + excluded.n`,
        values,
      ),
    )
  }

  /** Only those that are not zero, by day and operation. */
  async sums({ lineage, fromDay, toDay }: LedgerQuery): Promise<readonly LedgerSum[]> {
    const of = lineage === undefined ? OF_ALL : OF_ONE
    const rows = await this.db.scan(
      `${of.with} SELECT day, operation, outcome, ${TOTAL} FROM ${of.from} GROUP BY 1, 2, 3 ORDER BY 1, 2`,
      [Math.max(fromDay, 0), toDay, ...(lineage === undefined ? [] : [lineage])],
    )
    const sums = new Map<string, LedgerSum & { readonly sums: Sums }>()
    for (const { day, operation, outcome, n } of rows.map(SUM.row)) {
      sums.getOrInsertComputed(`${day} ${operation}`, () => ({ day, operation, sums: newSums() })).sums[outcome] = n
    }
    return [...sums.values()]
  }

  /** Refusals by lineage from this day on, the most first; only of `among`, if given. At most a thousand lineages. */
  async refused(fromDay: number, among?: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const of = among === undefined ? '' : `AND ${this.db.dialect.isIn('lineage', 2)}`
    const rows = await this.db.scan(
      `SELECT lineage, ${TOTAL} FROM ledger_days WHERE day >= $1 AND outcome LIKE 'refused%' ${of}
       GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1000`,
      [fromDay, ...(among === undefined ? [] : [among])],
    )
    return new Map(rows.map(REFUSED.row).map(({ lineage, refused }) => [lineage, refused]))
  }
}

export function newSums(): Sums {
  return { admitted: 0, refusedByMinute: 0, refusedByDay: 0, refusedByBan: 0, answered4xx: 0, answered5xx: 0 }
}

/** Nothing of other lineages is read. */
const OF_ONE = {
  with: `WITH RECURSIVE asked (at_day) AS (
    SELECT CAST($1 AS bigint) WHERE CAST($1 AS bigint) < $2 UNION ALL SELECT at_day + 1 FROM asked WHERE at_day + 1 < $2)`,
  from: 'asked JOIN ledger_days ON day = at_day AND lineage = $3',
}
const OF_ALL = { with: '', from: 'ledger_days WHERE day >= $1 AND day < $2' }
