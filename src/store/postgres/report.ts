/** What a report rests on, in PostgreSQL. */
import type { ReportFacts, Reports } from '../report.ts'
import { reportFacts } from '../shared/report-facts.ts'
import type { Database } from './connection/database.ts'

export class PostgresReports implements Reports {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  facts(fromMs: number, untilMs: number): Promise<ReportFacts> {
    return this.#database.transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', (query) =>
      reportFacts(
        { ask: (sql, values) => query(sql, values), bind: (n) => `$${n}::bigint`, isThere: 'true' },
        fromMs,
        untilMs,
      ),
    )
  }
}
