/** Stores the in-memory counters across restarts (../../shared/memory-counters.ts): one row per subject. */
import type { Usage } from '../../../contract/limits.ts'
import type { UsageStore } from '../../store.ts'
import type { Writer } from '../writing/writer.ts'
import type { Database } from './database.ts'

type UsageRow = [string, bigint, bigint, bigint, bigint, string, bigint, bigint]

export class SqliteUsage implements UsageStore {
  readonly #database: Database
  readonly #writer: Writer

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
  }

  load(): ReadonlyMap<string, Usage> {
    const select = this.#database.prepare(
      'SELECT subject, minute, minute_count, day, day_count, refused_at_ms, banned_until_ms, ban_limit FROM counters',
    )
    const rows = this.#database.read(() => select.all()) as unknown as UsageRow[]
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

  async save(used: ReadonlyMap<string, Usage>, spent: ReadonlySet<string>): Promise<void> {
    await this.#writer.run('saveUsage', used, spent)
  }
}
