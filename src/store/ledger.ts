/** The ledger: the requests of each lineage by UTC day, operation and outcome. Its numbers only grow. */
import type { Operation } from '../contract/operations.ts'
import { type Cell, Repository, snakeCase, table, text } from './sql.ts'

/** `other`: paths and methods that are not operations, and orders. */
export type LedgerOperation = Operation | 'other'

/** `answered4xx` and `answered5xx` are parts of the admitted requests. A refused request is in neither. */
export const OUTCOMES = [
  'admitted',
  'refusedByMinute',
  'refusedByDay',
  'refusedByBan',
  'answered4xx',
  'answered5xx',
] as const
type Outcome = (typeof OUTCOMES)[number]

export type Sums = Record<Outcome, number>

const SUMMED = {
  day: 'int',
  operation: (cell: Cell | undefined) => text(cell) as LedgerOperation,
  outcome: (cell: Cell | undefined) => text(cell) as Outcome,
  n: 'int',
} as const
const SUM = table(SUMMED)
const ROW = table({ ...SUMMED, lineage: 'text' })
const REFUSED = table({ lineage: 'text', refused: 'int' })

/** `day` is the number of days since 1970. */
export type LedgerRow = ReturnType<typeof ROW.row>

interface LedgerQuery {
  readonly lineage: string | undefined
  readonly fromDay: number
  readonly toDay: number
}

export interface LedgerSum extends Pick<LedgerRow, 'day' | 'operation'> {
  readonly sums: Readonly<Sums>
}

const TOTAL = 'CAST(sum(n) AS bigint)'

export class Ledger extends Repository {
  /** Adds all or none, in a fixed order, so that nodes do not deadlock. Throws StoreUnavailable. */
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

  /** Refusals by lineage since this day, most first, at most a thousand; only of `among`, if given. */
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

/** Adds the hours of 2.1's ledger to the days. `hours` is that table. */
export function sumHours(hours: string): string {
  const counts = OUTCOMES.map(
    (name) => `SELECT hour, lineage, operation, '${name}' AS outcome, ${snakeCase(name)} AS n`,
  )
  return `
  INSERT INTO ledger_days SELECT hour / 24, lineage, operation, outcome, CAST(sum(n) AS bigint) FROM (
    ${counts.map((count) => `${count} FROM ${hours}`).join(' UNION ALL ')}
  ) AS counted WHERE n > 0 GROUP BY 1, 2, 3, 4
  ON CONFLICT (day, lineage, operation, outcome) DO UPDATE SET n = ledger_days.n + excluded.n`
}

export function newSums(): Sums {
  return { admitted: 0, refusedByMinute: 0, refusedByDay: 0, refusedByBan: 0, answered4xx: 0, answered5xx: 0 }
}

const OF_ONE = {
  with: `WITH RECURSIVE asked (at_day) AS (
    SELECT CAST($1 AS bigint) WHERE CAST($1 AS bigint) < $2 UNION ALL SELECT at_day + 1 FROM asked WHERE at_day + 1 < $2)`,
  from: 'asked JOIN ledger_days ON day = at_day AND lineage = $3',
}
const OF_ALL = { with: '', from: 'ledger_days WHERE day >= $1 AND day < $2' }
