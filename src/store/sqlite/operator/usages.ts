/**
 * The counts of requests in a SQLite file: one row per subject, kept across restarts
 * (../../counters/memory-counters.ts).
 */
import type { Usage } from '../../../contract/limits.ts'
import type { StoredUsages } from '../../archive.ts'
import { toUsages } from '../../rows.ts'
import type { Cell, Database } from '../../sql.ts'

const USAGE = {
  subject: 'text',
  minute: 'bigint',
  minute_count: 'bigint',
  day: 'bigint',
  day_count: 'bigint',
  refused_at_ms: 'text', // a JSON array
  banned_until_ms: 'bigint',
  ban_limit: 'bigint',
} as const

export const USAGES = `SELECT ${Object.keys(USAGE)} FROM counters`

/** Saves these and deletes `spent`, in one commit. */
export async function saveUsages(
  db: Database,
  used: ReadonlyMap<string, Usage>,
  spent: ReadonlySet<string>,
): Promise<void> {
  const rows = [...used].map(([subject, usage]): Cell[] => [
    ...[subject, BigInt(usage.minute), BigInt(usage.minuteCount), BigInt(usage.day), BigInt(usage.dayCount)],
    ...[JSON.stringify(usage.refusedAtMs), BigInt(usage.bannedUntilMs), BigInt(usage.banLimit)],
  ])
  const given = db.dialect.given(USAGE, rows)
  await db.write(async (sql) => {
    if (spent.size > 0) await sql(`DELETE FROM counters WHERE ${db.dialect.isIn('subject', 1)}`, [[...spent]])
    await sql(`INSERT OR REPLACE INTO counters SELECT ${Object.keys(USAGE)} FROM ${given.from}`, given.values)
  })
}

export function storedUsages(db: Database): StoredUsages {
  return {
    usages: async () => toUsages(await db.scan(USAGES)),
    putUsages: (usages) => saveUsages(db, usages, new Set()),
  }
}
