/** The figures of a report (../domain/report.ts), counted by the database in one snapshot. */
import { DAY_MS, MINUTE_MS } from '../common/clock.ts'
import { IN_EFFECT } from './journal.ts'
import { ofImports, ofKeys } from './origins.ts'
import { IN_RANGE, int, numberOf, Repository, table, text } from './sql.ts'
import { type DayOf, daysIn, waitDayIn } from './waits.ts'

/** From the first instant up to, but not including, the second. Unix ms. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** Categories that are counted separately; all others are counted together. */
const MAX_CATEGORIES = 1_000

/** Animals that moved alike in a span; without a span, existing animals with a known arrival. */
const COUNT = table({
  span: 'int?',
  /**
   * A status, `none`, `left`, `gone`, or `listed` for imported animals; undefined if unknown. Without a span, `gone` is a
   * removed animal, and `unknown` one with only a known wait.
   */
  before: ['text?', 'was'],
  after: ['text?', 'became'],
  categoryId: 'bigint?',
  isOther: 'int',
  /** The day on which the wait began, since 1970 (./waits.ts). */
  day: 'int?',
  animals: 'int',
})

export type Count = ReturnType<typeof COUNT.row>

export type ReportFacts = Awaited<ReturnType<Report['facts']>>

const ANIMALS = [
  "SELECT id, coalesce(status, 'none') AS status, category_id, 1 AS presence FROM pets",
  "SELECT id, coalesce(status, 'none') AS status, category_id, 0 AS presence FROM removed_pets",
  `SELECT pet_id AS id, CAST(NULL AS text) AS status, CAST(NULL AS bigint) AS category_id, -1 AS presence FROM journal
   WHERE act = 'purge' AND pet_id IS NOT NULL`,
].map((select) => `(${select}) AS animals`)
const IS_REMOVED = "(SELECT act FROM journal WHERE pet_id = id ORDER BY n DESC LIMIT 1) = 'remove'"

/** The known origin of each animal (./origins.ts): 1 a key, 2 a person, 3 a file. */
const ORIGINS = `
  SELECT id, max(status) AS status, max(category_id) AS category_id, max(presence) AS presence, min(kind) AS kind,
    coalesce(min(CASE kind WHEN 1 THEN known_origins.at_ms END), min(CASE kind WHEN 2 THEN known_origins.at_ms END), min(known_origins.at_ms)) AS at_ms,
    min(day) AS day, min(returned_ms) AS returned_ms, min(left_ms) AS left_ms
  FROM (${ANIMALS.map((animals, n) => {
    // Existing animals are looked up by range; for others, the range is looked up.
    const within = (ranges: string) => `${ranges} CROSS JOIN ${animals} WHERE id ${IN_RANGE}`
    const columns = 'id, status, category_id, presence'
    return `
    SELECT ${columns}, minute * ${MINUTE_MS} AS at_ms, 1 AS kind
    FROM ${n === 0 ? within('created_ranges') : ofKeys(animals)}
    UNION ALL SELECT ${columns}, at_ms, CASE WHEN journal.import_n IS NULL THEN 2 ELSE 3 END
    FROM journal CROSS JOIN ${animals} WHERE id = pet_id AND act = 'add'
    UNION ALL SELECT ${columns}, at_ms, 3
    FROM ${n === 0 ? within('imports JOIN import_ranges ON import_n = n') : ofImports(animals)}`
  }).join(' UNION ALL ')}
  ) AS known_origins LEFT JOIN arrivals ON pet_id = id GROUP BY id HAVING max(presence) <> 0 OR ${IS_REMOVED}`

const [WAS, NOW] = ['was', 'now'].map((when) => `nullif(status_${when}, 'unknown')`)

const STATE = `coalesce(nullif(status, 'none'), CASE WHEN left_ms IS NULL THEN 'none' ELSE 'left' END)`

/** Bound: the spans, the day on which records begin, and the offset in ms at which a day counts. */
function countsOf(spans: number, dayOf: DayOf): string {
  const spanOf = (atMs: string) =>
    `CASE ${Array.from({ length: spans }, (_, n) => `WHEN ${atMs} >= $${2 * n + 1} AND ${atMs} < $${2 * n + 2} THEN ${n}`).join(' ')} END`
  const [begun, noon] = [1, 2].map((n) => `$${2 * spans + n}`)
  return `FROM (
    WITH origins AS MATERIALIZED (${ORIGINS}),
    arrived AS (
      SELECT id, status, category_id, CASE WHEN has_day THEN day * ${DAY_MS} + ${noon} ELSE at_ms END AS at_ms,
        CASE WHEN kind = 3 AND NOT has_day THEN 'listed' ELSE 'gone' END AS was
      FROM (
        SELECT origins.*, day IS NOT NULL AND day >= ${begun} AND day * ${DAY_MS} < at_ms + ${DAY_MS} AS has_day
        FROM origins WHERE id NOT IN (SELECT pet_id FROM journal WHERE pet_id IS NOT NULL AND act = 'add' AND undone_by IS NOT NULL)
      ) AS dated
    ),
    moves AS (
      SELECT ${spanOf('at_ms')} AS span, CASE act WHEN 'restore' THEN 'gone' ELSE ${WAS} END AS was,
        CASE act WHEN 'remove' THEN 'gone' ELSE ${NOW} END AS became,
        CASE status_now WHEN 'sold' THEN category_was ELSE category_now END AS category_id
      FROM journal
      WHERE pet_id IS NOT NULL AND ${IN_EFFECT} AND ${spanOf('at_ms')} IS NOT NULL
        AND (act IN ('remove', 'restore') OR (act = 'edit' AND status_was <> status_now))
      UNION ALL
      SELECT ${spanOf('arrived.at_ms')}, was, CASE act WHEN 'add' THEN ${NOW} ELSE coalesce(${WAS}, status) END,
        coalesce(CASE act WHEN 'add' THEN category_now ELSE category_was END, category_id)
      FROM arrived LEFT JOIN journal ON n = (SELECT min(n) FROM journal WHERE pet_id = id AND ${IN_EFFECT})
      WHERE ${spanOf('arrived.at_ms')} IS NOT NULL AND coalesce(act, '') NOT IN ('restore', 'purge')
    )
    SELECT span, was, became, CASE WHEN rank <= ${MAX_CATEGORIES} THEN category_id END AS category_id,
      CASE WHEN rank > ${MAX_CATEGORIES} AND category_id IS NOT NULL THEN 1 ELSE 0 END AS is_other,
      NULL AS day, CAST(sum(animals) AS bigint) AS animals
    FROM (
      SELECT span, was, became, category_id, count(*) AS animals, dense_rank() OVER (ORDER BY category_id) AS rank
      FROM moves GROUP BY span, was, became, category_id
    ) AS alike GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT NULL, CASE WHEN presence = 0 THEN 'gone' WHEN kind = 3 THEN 'listed' END, ${STATE}, NULL, 0,
      ${waitDayIn(dayOf, `coalesce(day, CASE WHEN kind < 3 THEN ${dayOf('at_ms')} END)`)}, count(*)
    FROM origins WHERE presence >= 0 GROUP BY 2, 3, 6
    UNION ALL
    SELECT NULL, 'unknown', ${STATE}, NULL, 0, ${waitDayIn(dayOf, 'day')}, count(*)
    FROM arrivals JOIN pets ON id = pet_id
    WHERE coalesce(day, returned_ms) IS NOT NULL AND id NOT IN (SELECT id FROM origins) GROUP BY 3, 6
  ) AS counted`
}

const BEGUN = table({
  minute: ['int?', '(SELECT min(minute) FROM created_ranges)'],
  firstMs: ['int?', 'min(at_ms)'],
})
const NOTED = 'FROM (SELECT min(at_ms) AS at_ms FROM journal UNION ALL SELECT min(at_ms) FROM imports) AS noted'

const LEFT = 'SELECT count(*) FROM arrivals JOIN pets ON id = pet_id WHERE left_ms IS NOT NULL AND status IS NULL'

export class Report extends Repository {
  /** All figures at the instant `atMs`, and moves by span. Days are days of the shelter's time zone. */
  facts(spans: readonly [Span, ...Span[]], noonMs: number, zone: string, atMs: number) {
    const { dialect } = this.db
    return this.db.snapshot(async (ask) => {
      const { minute, firstMs } = await BEGUN.only(ask, NOTED)
      const notedFromMs = minute === undefined ? undefined : minute * MINUTE_MS
      const firstOf = [notedFromMs, firstMs].filter((ms) => ms !== undefined)
      const begunMs = firstOf.length === 0 ? undefined : Math.min(...firstOf)
      const bounds = spans.flatMap((span) => [span.fromMs, span.untilMs])
      const begunDay = Math.floor((begunMs ?? 0) / DAY_MS)
      const dayOf = daysIn(zone, Math.min(begunMs ?? atMs, atMs), atMs)
      const counts = await ask(dialect.countAll)
      return {
        counts: await COUNT.select(ask, countsOf(spans.length, dayOf), [...bounds, begunDay, noonMs]),
        byStatus: new Map(counts.map(([status, animals]) => [text(status), int(animals)])),
        left: await numberOf(ask, LEFT),
        removed: await numberOf(ask, `SELECT count(*) FROM removed_pets WHERE ${IS_REMOVED}`),
        notedFromMs,
        /** When the first entry, key or import was recorded. */
        begunMs,
      }
    })
  }
}
