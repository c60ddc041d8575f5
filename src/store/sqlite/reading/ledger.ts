/** The ledger in SQLite: saved as soon as the counters are, by the same writer. */
import type { Eventual } from '../../../common/eventual.ts'
import {
  type LedgerOperation,
  type LedgerQuery,
  type LedgerRow,
  type LedgerSave,
  type LedgerStore,
  type LedgerSum,
  SUM_COLUMNS,
  toSums,
} from '../../ledger.ts'
import { SAVE_AFTER_MS } from '../../shared/memory-counters.ts'
import type { Writer } from '../writing/writer.ts'
import type { Database } from './database.ts'

/** Of all hours and all days; nothing is there before. */
const FIRST_HOUR = `
  min(${[1, 24].map((span) => `coalesce((SELECT min(hour) FROM ledger WHERE span = ${span}), ?2)`)})`
/** A lineage is looked up hour by hour, and nothing of the others is read. */
const OF_ONE = `
  (WITH RECURSIVE
    first (hour) AS (SELECT max(?1, ${FIRST_HOUR})),
    asked (hour) AS (SELECT hour FROM first WHERE hour < ?2 UNION ALL SELECT hour + 1 FROM asked WHERE hour + 1 < ?2)
  SELECT ledger.* FROM asked CROSS JOIN ledger
  WHERE ledger.span IN (1, 24) AND ledger.hour = asked.hour AND lineage = ?3)`
const OF_ALL = '(SELECT * FROM ledger WHERE span IN (1, 24) AND hour >= ?1 AND hour < ?2)'

export class SqliteLedger implements LedgerStore {
  readonly saveAfterMs = SAVE_AFTER_MS
  readonly #database: Database
  readonly #writer: Writer

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
  }

  save(rows: readonly LedgerRow[], save: LedgerSave): Eventual<void> {
    return this.#writer.run('saveLedger', rows, save)
  }

  sums({ lineage, fromHour, toHour, by }: LedgerQuery): readonly LedgerSum[] {
    const select = this.#database.prepare(`
      SELECT hour / ${by === 'day' ? '24 * 24' : '1'} AS begin, operation, ${SUM_COLUMNS.map((column) => `sum(${column})`)}
      FROM ${lineage === undefined ? OF_ALL : OF_ONE} GROUP BY 1, 2 ORDER BY 1, 2`)
    const asked = [BigInt(fromHour), BigInt(toHour), ...(lineage === undefined ? [] : [lineage])]
    const rows = this.#database.read(() => select.all(...asked)) as unknown as (readonly unknown[])[]
    return rows.map(([hour, operation, ...sums]) => ({
      hour: Number(hour),
      operation: String(operation) as LedgerOperation,
      sums: toSums(sums),
    }))
  }

  rowsIn(hour: number): number {
    const count = this.#database.prepare('SELECT count(*) FROM ledger WHERE span = 1 AND hour = ?')
    const [n] = this.#database.read(() => count.get(BigInt(hour))) as unknown as [bigint]
    return Number(n)
  }

  rollUp(hour: number, limit: number): Eventual<number> {
    return this.#writer.run('rollUpLedger', hour, limit)
  }

  forgetSaves(beforeMs: number): Eventual<void> {
    return this.#writer.run('forgetLedgerSaves', beforeMs)
  }
}
