/** Where the counters in memory are kept across restarts (../memory-counters.ts): one row a subject. */
import type { Usage } from '../../contract/limits.ts'
import type { UsageStore } from '../store.ts'
import type { Database } from './database.ts'

type UsageRow = [string, bigint, bigint, bigint, bigint, string, bigint, bigint]

export class SqliteUsage implements UsageStore {
  readonly #database: Database
  readonly #sql

  constructor(database: Database) {
    this.#database = database
    this.#sql = {
      load: database.prepare(
        'SELECT subject, minute, minute_count, day, day_count, refused_at_ms, banned_until_ms, ban_limit FROM counters',
      ),
      save: database.prepare('INSERT OR REPLACE INTO counters VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
      drop: database.prepare('DELETE FROM counters WHERE subject = ?'),
    }
  }

  load(): ReadonlyMap<string, Usage> {
    const rows = this.#database.read(() => this.#sql.load.all()) as unknown as UsageRow[]
    return new Map(
      rows.map(([subject, minute, minuteCount, day, dayCount, refusedAtMs, bannedUntilMs, banLimit]) => [
        subject,
        {
          minute: Number(minute),
          minuteCount: Number(minuteCount),
          day: Number(day),
          dayCount: Number(dayCount),
          refusedAtMs: JSON.parse(refusedAtMs) as number[],
          bannedUntilMs: Number(bannedUntilMs),
          banLimit: Number(banLimit),
        },
      ]),
    )
  }

  save(used: ReadonlyMap<string, Usage>, spent: Iterable<string>): void {
    this.#database.writeBehind(() => {
      for (const subject of spent) this.#sql.drop.run(subject)
      for (const [subject, usage] of used) {
        this.#sql.save.run(
          subject,
          BigInt(usage.minute),
          BigInt(usage.minuteCount),
          BigInt(usage.day),
          BigInt(usage.dayCount),
          JSON.stringify(usage.refusedAtMs),
          BigInt(usage.bannedUntilMs),
          BigInt(usage.banLimit),
        )
      }
    })
  }
}
