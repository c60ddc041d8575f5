/**
 * Counters in PostgreSQL: one statement counts for any number of subjects, as ../../contract/limits.ts says. The commit
 * does not wait for the disk, so a crash can lose half a second.
 */
import type { Timer } from '../../common/clock.ts'
import { MAX_BAN_WINDOW_MS } from '../../contract/limits.ts'
import { BatchedCounters, type CounterBefore, type CounterIncrement, toCounterBefore } from '../batched-counters.ts'
import { type SqlRow, text } from '../sql.ts'
import type { PostgresDatabase } from './connection/database.ts'

const SWEEP_EVERY_MS = 3_600_000

export const DATABASE_NOW_MS = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Follows FROM: this commit waits for no disk and no standby. */
export const NO_WAIT = "set_config('synchronous_commit', 'off', true)"

/** The subject's window: time does not run backwards for it, unless by more than a day. */
function windowAt(column: 'minute' | 'day', lengthMs: number): string {
  const window = `(now_ms / ${lengthMs})`
  return `CASE WHEN ${column} BETWEEN ${window} AND ${window} + ${86_400_000 / lengthMs} THEN ${column} ELSE ${window} END`
}

/** Takes no lock and creates no row. $2 is the time. */
const LOOK = `
  SELECT subject, now_ms, minute, minute_count, day, day_count, 0, banned_until_ms, ban_limit
  FROM counters, (SELECT coalesce($2::bigint, ${DATABASE_NOW_MS}) AS now_ms) AS clock
  WHERE subject = ANY($1::text[])
  UNION ALL SELECT '', coalesce($2::bigint, ${DATABASE_NOW_MS}), 0, 0, 0, 0, 0, 0, 0`

const TAKE = `
  WITH asked AS (
    SELECT asked.*
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
      AS asked (subject, n, per_minute, per_day, ban_refusals, ban_within_ms, ban_for_ms),
      ${NO_WAIT}
  ), held AS (
    SELECT * FROM counters WHERE subject = ANY($1::text[]) ORDER BY subject FOR UPDATE
  ), timed AS MATERIALIZED (
    -- $8 is the time in Unix ms; null is the database's own.
    SELECT held.*, coalesce($8::bigint, ${DATABASE_NOW_MS}) AS now_ms FROM held
  ), entered AS (
    SELECT *,
      coalesce(banned_until_ms > now_ms AND banned_until_ms - now_ms <= ban_for_ms + 86400000, false) AS banned,
      ${windowAt('minute', 60_000)} AS now_minute,
      ${windowAt('day', 86_400_000)} AS now_day,
      ARRAY(
        SELECT at_ms FROM unnest(refused_at_ms) AS at_ms
        WHERE at_ms > now_ms - ban_within_ms AND at_ms <= now_ms + 86400000
      ) AS refusals
    FROM timed JOIN asked USING (subject)
  ), used AS (
    SELECT *,
      CASE WHEN minute = now_minute THEN minute_count ELSE 0 END AS minute_used,
      CASE WHEN day = now_day THEN day_count ELSE 0 END AS day_used
    FROM entered
  ), counted AS (
    SELECT *, greatest(0, least(n, per_minute - minute_used, coalesce(per_day - day_used, n))) AS admitted FROM used
  ), decided AS (
    SELECT *,
      n > admitted AND cardinality(refusals) + n - admitted >= ban_refusals AS bans
    FROM counted
  ), written AS (
    UPDATE counters SET
      minute = now_minute,
      minute_count = minute_used + admitted,
      day = CASE WHEN per_day IS NULL THEN decided.day ELSE now_day END,
      day_count = CASE WHEN per_day IS NULL THEN decided.day_count ELSE day_used + admitted END,
      refused_at_ms = CASE
        WHEN ban_refusals IS NULL OR n = admitted THEN decided.refused_at_ms
        WHEN bans THEN '{}'
        ELSE refusals || array_fill(now_ms, ARRAY[(n - admitted)::int])
      END,
      banned_until_ms = CASE WHEN bans THEN now_ms + ban_for_ms ELSE decided.banned_until_ms END,
      ban_limit = CASE
        WHEN bans THEN CASE WHEN day_used + admitted >= per_day THEN per_day ELSE per_minute END
        ELSE decided.ban_limit
      END
    FROM decided
    WHERE counters.subject = decided.subject AND NOT decided.banned AND n > 0
  )
  SELECT subject, now_ms, minute, minute_count, day, day_count, cardinality(refusals), banned_until_ms, ban_limit FROM decided`

/** `isExpired` of ../../contract/limits.ts. $1 is the time. */
const SWEEP = `
  DELETE FROM counters WHERE subject IN (
    SELECT subject FROM counters, (SELECT coalesce($1::bigint, ${DATABASE_NOW_MS}) AS now_ms) AS clock
    WHERE (day + 2) * 86400000 <= now_ms AND (minute + 2) * 60000 <= now_ms AND banned_until_ms <= now_ms
      AND coalesce(refused_at_ms[cardinality(refused_at_ms)], 0) + ${MAX_BAN_WINDOW_MS} <= now_ms
    LIMIT 1000 FOR UPDATE OF counters SKIP LOCKED
  ) RETURNING 1`

/** Limits that no number of nodes reaches. */
const PROOF = 'proof'
const PROOFS = { perMinute: 1_000_000, perDay: undefined, ban: undefined }

/** The subject that represents all subjects without a row. */
const UNSEEN = ''

export class PostgresCounters extends BatchedCounters {
  readonly #database: PostgresDatabase
  readonly #serverNow: (() => number) | undefined
  readonly #sweeper: Timer

  /** `serverNow` replaces the database's clock in tests. */
  constructor(database: PostgresDatabase, serverNow?: () => number) {
    const { clock } = database
    super(clock)
    this.#database = database
    this.#serverNow = serverNow
    const sweep = () => void database.attempt('counters of the past are not deleted', () => this.sweep())
    this.#sweeper = clock.every(SWEEP_EVERY_MS, sweep).unref()
  }

  async unban(subject: string, untilMs: number): Promise<void> {
    const sql = `UPDATE counters SET banned_until_ms = 0 FROM ${NO_WAIT} WHERE subject = $1 AND banned_until_ms = $2::bigint`
    await this.#database.single(sql, [subject, untilMs])
  }

  protected async look(subjects: readonly string[]): Promise<readonly CounterBefore[]> {
    const befores = toBefores(await this.#database.query(LOOK, [subjects, this.#serverNow?.() ?? null]))
    const unseen = befores.get(UNSEEN)
    return subjects.flatMap((subject) => befores.get(subject) ?? unseen ?? [])
  }

  protected async count(takes: readonly CounterIncrement[]): Promise<readonly CounterBefore[]> {
    const befores = await this.#take(takes)
    // A new subject has no row to lock, and was not counted.
    const unseen = takes.filter(({ subject }) => !befores.has(subject))
    if (unseen.length > 0) {
      await this.#database.change(
        `INSERT INTO counters (subject)
         SELECT subject FROM unnest($1::text[]) AS unseen (subject), ${NO_WAIT} ORDER BY subject ON CONFLICT DO NOTHING`,
        [unseen.map(({ subject }) => subject)],
      )
      for (const [subject, before] of await this.#take(unseen)) befores.set(subject, before)
    }
    return takes.map(({ subject }) => {
      const before = befores.get(subject)
      if (before === undefined) throw new Error(`the counters of ${subject} vanished while they were counted`)
      return before
    })
  }

  async #take(takes: readonly CounterIncrement[]): Promise<Map<string, CounterBefore>> {
    const rows = await this.#database.change(TAKE, [
      takes.map(({ subject }) => subject),
      takes.map(({ count }) => count),
      takes.map(({ limits }) => limits.perMinute),
      takes.map(({ limits }) => limits.perDay ?? null),
      takes.map(({ limits }) => limits.ban?.refusals ?? null),
      takes.map(({ limits }) => limits.ban?.withinMs ?? null),
      takes.map(({ limits }) => limits.ban?.forMs ?? null),
      this.#serverNow?.() ?? null,
    ])
    return toBefores(rows)
  }

  /** Counts once, because a database that responds can still refuse writes. Throws StoreUnavailable. */
  async revive(): Promise<void> {
    await this.consume(PROOF, PROOFS)
  }

  /** Deletes some expired rows, skipping locked ones. */
  async sweep(): Promise<void> {
    for (;;) {
      const rows = await this.#database.own(SWEEP, [this.#serverNow?.() ?? null])
      if (rows.length < 1_000) return
    }
  }

  async close(): Promise<void> {
    this.#database.clock.cancel(this.#sweeper)
  }
}

function toBefores(rows: readonly SqlRow[]): Map<string, CounterBefore> {
  return new Map(rows.map(([subject, ...numbers]) => [text(subject), toCounterBefore(numbers.map(Number))]))
}
