/** The counts of requests, one row per subject: saved by SQLite, shared by PostgreSQL (postgres/counters.ts). */
import type { Counter } from '../contract/limits.ts'
import { type Database, type Dialect, type SqlRow, table, text } from './sql.ts'

const COUNTER = table({
  subject: 'text',
  minute: 'int',
  minuteCount: 'int',
  day: 'int',
  dayCount: 'int',
  bannedUntilMs: 'int',
  banLimit: 'int',
  refusedAtMs: (json) => JSON.parse(text(json)) as number[],
})
const COUNTS = COUNTER.columns.replace('subject, ', '')
const LAST = 'refused_at_ms'

export function selectCounters({ toJson }: Pick<Dialect, 'toJson'>): string {
  return `SELECT ${COUNTER.columns.replace(LAST, toJson)} FROM counters`
}

export function toCounters(rows: readonly SqlRow[]): ReadonlyMap<string, Counter> {
  return new Map(rows.map(COUNTER.row).map(({ subject, ...counter }) => [subject, counter]))
}

/** Saves these counts and deletes the undefined ones, in one commit. */
export async function saveCounters(db: Database, counters: ReadonlyMap<string, Counter | undefined>): Promise<void> {
  const { dialect } = db
  const rows = [...counters].flatMap(([subject, counter]) => (counter ? [COUNTER.cells({ subject, ...counter })] : []))
  const expired = [...counters.keys()].filter((subject) => counters.get(subject) === undefined)
  const input = dialect.inputTable(COUNTER.types, rows)
  await db.write(async (sql) => {
    if (expired.length > 0) await sql(`DELETE FROM counters WHERE ${dialect.isIn('subject', 1)}`, [expired])
    await sql(
      `INSERT INTO counters (${COUNTER.columns})
       SELECT ${COUNTER.columns.replace(LAST, dialect.fromJson)} FROM ${input.from} WHERE true
       ON CONFLICT (subject) DO UPDATE SET ${COUNTS.replace(/\w+/g, '$& = excluded.$&')}`,
      input.values,
    )
  })
}
