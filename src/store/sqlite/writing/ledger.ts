/** Adds to the ledger (../../ledger.ts), and makes days of old hours a few rows at a time. */
import { ADDING, type LedgerRow, type LedgerSave, SUM_COLUMNS, SUMS } from '../../ledger.ts'
import type { Connection } from '../file/connection.ts'

const OLDEST = 'FROM ledger WHERE span = 1 AND hour < ? ORDER BY hour, lineage, operation LIMIT ? + 0'

export function ledgerWrites(connection: Connection) {
  return {
    saveLedger(rows: readonly LedgerRow[], { process, n, atMs }: LedgerSave): void {
      const note = connection.prepare(`
        INSERT INTO ledger_saves VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET n = excluded.n, at_ms = excluded.at_ms WHERE n < excluded.n`)
      if (note.run(process, BigInt(n), BigInt(atMs)).changes === 0n) return
      const add = connection.prepare(`INSERT INTO ledger VALUES (1, ?, ?, ?, ${SUMS.map(() => '?')}) ${ADDING}`)
      for (const { hour, lineage, operation, sums } of rows) {
        add.run(BigInt(hour), lineage, operation, ...SUMS.map((name) => BigInt(sums[name])))
      }
    },

    rollUpLedger(hour: number, limit: number): number {
      const key = 'span, hour, lineage, operation'
      connection
        .prepare(
          `INSERT INTO ledger
           SELECT 24, hour / 24 * 24, lineage, operation, ${SUM_COLUMNS.map((column) => `sum(${column})`)}
           FROM (SELECT * ${OLDEST}) GROUP BY 2, 3, 4 ${ADDING}`,
        )
        .run(BigInt(hour), limit)
      const drop = connection.prepare(`DELETE FROM ledger WHERE (${key}) IN (SELECT ${key} ${OLDEST})`)
      return Number(drop.run(BigInt(hour), limit).changes)
    },

    forgetLedgerSaves(beforeMs: number): void {
      connection.prepare('DELETE FROM ledger_saves WHERE at_ms < ?').run(BigInt(beforeMs))
    },
  }
}
