/**
 * The counts of requests in a database, one row for each subject: of a SQLite file what its process counts in memory
 * (../counters/memory-counters.ts), of PostgreSQL the counters themselves (postgres/counters.ts).
 */
import type { Usage } from '../contract/limits.ts'
import { type Cell, type Database, type Dialect, int, type Row, text } from './sql.ts'

const USAGE = {
  subject: 'text',
  minute: 'bigint',
  minute_count: 'bigint',
  day: 'bigint',
  day_count: 'bigint',
  banned_until_ms: 'bigint',
  ban_limit: 'bigint',
  refused_at_ms: 'text', // a JSON array
} as const
const [SUBJECT, ...COUNTS] = Object.keys(USAGE)

/** A query of all of them, for `toUsages`. */
export function selectUsages({ toJson }: Pick<Dialect, 'toJson'>): string {
  return `SELECT ${SUBJECT}, ${COUNTS.slice(0, -1)}, ${toJson('refused_at_ms')} FROM counters`
}

export function toUsages(rows: readonly Row[]): ReadonlyMap<string, Usage> {
  return new Map(
    rows.map(([subject, minute, minuteCount, day, dayCount, bannedUntilMs, banLimit, refusedAtMs]) => [
      text(subject),
      {
        ...{ minute: int(minute), minuteCount: int(minuteCount), day: int(day), dayCount: int(dayCount) },
        ...{ bannedUntilMs: int(bannedUntilMs), banLimit: int(banLimit) },
        refusedAtMs: JSON.parse(text(refusedAtMs)) as number[],
      },
    ]),
  )
}

/** Saves these in the place of those of the same subjects and deletes `spent`, in one commit. */
export async function saveUsages(
  db: Database,
  used: ReadonlyMap<string, Usage>,
  spent: ReadonlySet<string> = new Set(),
): Promise<void> {
  const rows = [...used].map(([subject, usage]): Cell[] => [
    ...[subject, BigInt(usage.minute), BigInt(usage.minuteCount), BigInt(usage.day), BigInt(usage.dayCount)],
    ...[BigInt(usage.bannedUntilMs), BigInt(usage.banLimit), JSON.stringify(usage.refusedAtMs)],
  ])
  const { dialect } = db
  const given = dialect.given(USAGE, rows)
  await db.write(async (sql) => {
    if (spent.size > 0) await sql(`DELETE FROM counters WHERE ${dialect.isIn('subject', 1)}`, [[...spent]])
    await sql(
      `INSERT INTO counters (${SUBJECT}, ${COUNTS})
       SELECT ${SUBJECT}, ${COUNTS.slice(0, -1)}, ${dialect.fromJson('refused_at_ms')} FROM ${given.from} WHERE true
       ON CONFLICT (subject) DO UPDATE SET ${COUNTS.map((name) => `${name} = excluded.${name}`)}`,
      given.values,
    )
  })
}
