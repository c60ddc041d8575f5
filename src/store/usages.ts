/**
 * The counts of requests in a database, one row for each subject: of a SQLite file what its process counts in memory
 * (../counters/memory-counters.ts), of PostgreSQL the counters themselves (postgres/counters.ts).
 */
import type { Usage } from '../contract/limits.ts'
import { type Database, type Dialect, type Row, table, text } from './sql.ts'

const USAGE = table({
  subject: 'text',
  minute: 'int',
  minuteCount: 'int',
  day: 'int',
  dayCount: 'int',
  bannedUntilMs: 'int',
  banLimit: 'int',
  refusedAtMs: (json) => JSON.parse(text(json)) as number[],
})
const COUNTS = USAGE.columns.replace('subject, ', '')
const LAST = 'refused_at_ms'

/** A query of all of them, for `toUsages`. */
export function selectUsages({ toJson }: Pick<Dialect, 'toJson'>): string {
  return `SELECT ${USAGE.columns.replace(LAST, toJson)} FROM counters`
}

export function toUsages(rows: readonly Row[]): ReadonlyMap<string, Usage> {
  return new Map(rows.map(USAGE.row).map(({ subject, ...usage }) => [subject, usage]))
}

/** Saves these in the place of those of the same subjects, and deletes those without one, in one commit. */
export async function saveUsages(db: Database, usages: ReadonlyMap<string, Usage | undefined>): Promise<void> {
  const { dialect } = db
  const rows = [...usages].flatMap(([subject, usage]) => (usage ? [USAGE.cells({ subject, ...usage })] : []))
  const expired = [...usages.keys()].filter((subject) => usages.get(subject) === undefined)
  const input = dialect.inputTable(USAGE.types, rows)
  await db.write(async (sql) => {
    if (expired.length > 0) await sql(`DELETE FROM counters WHERE ${dialect.isIn('subject', 1)}`, [expired])
    await sql(
      `INSERT INTO counters (${USAGE.columns})
       SELECT ${USAGE.columns.replace(LAST, dialect.fromJson)} FROM ${input.from} WHERE true
       ON CONFLICT (subject) DO UPDATE SET ${COUNTS.replace(/\w+/g, '$& = excluded.$&')}`,
      input.values,
    )
  })
}
