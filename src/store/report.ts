/**
 * What a report rests on (../domain/report.ts), as one instant has it, counted by the database: how animals moved in
 * some spans of time, and since when those wait that are there.
 *
 * An entry of the journal holds only the values that it changes. So what an animal was before an entry is what the next
 * entry that says so had before it, or what the animal is now; of one that was purged, it is what the last entry that
 * says so made it. Of entries that undo each other the last one decides. The undo of an import writes no entries: what
 * it removed is removed without a newest entry that says so, and where it comes back or ends, by its first entry.
 */
import { DAY_MS, MINUTE_MS } from '../common/clock.ts'
import { PetStatus } from '../contract/schemas.ts'
import { importPrefix } from '../rules/journal.ts'
import { ofImports, ofKeys } from './origins.ts'
import { type Dialect, IN_RANGE, int, numberOf, Repository, table, text } from './sql.ts'
import { type DayOf, daysIn, waitDayIn } from './waits.ts'

/** The instants from one up to another, in Unix ms. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** Categories that are counted each; the others, by number, are counted together. */
const MAX_CATEGORIES = 1_000

/** Animals that moved alike in one of the spans; without a span, animals of which it is known when they came. */
const COUNT = table({
  /** The place of the span. */
  span: 'int?',
  /**
   * A status, `none`, `gone`, or `listed` for what an import brings; undefined where nothing says it, as of some purged
   * animals. Without a span, `gone` is a removed animal, and `unknown` one of which only the wait is known.
   */
  before: ['text?', 'was'],
  after: ['text?', 'became'],
  /** Undefined where nothing says it, and where `isOther`. */
  categoryId: 'bigint?',
  isOther: 'int',
  /** Since 1970: on which its wait began (./waits.ts). */
  day: 'int?',
  animals: 'int',
})

export type Count = ReturnType<typeof COUNT.row>

export type ReportFacts = Awaited<ReturnType<Report['facts']>>

/** Of those that were purged nothing else is known. */
const ANIMALS = [
  "SELECT id, coalesce(status, 'none') AS status, category_id, 1 AS presence FROM pets",
  "SELECT id, coalesce(status, 'none') AS status, category_id, 0 AS presence FROM removed_pets",
  `SELECT pet_id AS id, CAST(NULL AS text) AS status, CAST(NULL AS bigint) AS category_id, -1 AS presence FROM journal
   WHERE act = 'purge' AND pet_id IS NOT NULL`,
].map((select) => `(${select}) AS animals`)
const IS_REMOVED = "(SELECT act FROM journal WHERE pet_id = id ORDER BY n DESC LIMIT 1) = 'remove'"

/** Each animal with what is known of its coming (./origins.ts): 1 by a key, 2 by a person, 3 by a file. */
const ORIGINS = `
  SELECT id, max(status) AS status, max(category_id) AS category_id, max(presence) AS presence, min(kind) AS kind,
    coalesce(min(CASE kind WHEN 1 THEN known_origins.at_ms END), min(CASE kind WHEN 2 THEN known_origins.at_ms END), min(known_origins.at_ms)) AS at_ms,
    min(day) AS day, min(returned_ms) AS returned_ms
  FROM (${ANIMALS.map((animals, n) => {
    // Of those that are there each range has its animals looked for; each of the others has its range looked for.
    const within = (ranges: string) => `${ranges} CROSS JOIN ${animals} WHERE id ${IN_RANGE}`
    const columns = 'id, status, category_id, presence'
    return `
    SELECT ${columns}, minute * ${MINUTE_MS} AS at_ms, 1 AS kind
    FROM ${n === 0 ? within('created_ranges') : ofKeys(animals)}
    UNION ALL SELECT ${columns}, at_ms, CASE WHEN to_values LIKE '${importPrefix()}%' THEN 3 ELSE 2 END
    FROM journal CROSS JOIN ${animals} WHERE id = pet_id AND act = 'add'
    UNION ALL SELECT ${columns}, at_ms, 3
    FROM ${n === 0 ? within('imports JOIN import_ranges ON import_n = n') : ofImports(animals)}`
  }).join(' UNION ALL ')}
  ) AS known_origins LEFT JOIN arrivals ON pet_id = id GROUP BY id HAVING max(presence) <> 0 OR ${IS_REMOVED}`

/** The status that values in the journal say; a quote in a name has a backslash before it. */
const statusIn = (values: string) =>
  `CASE ${PetStatus.enum.map((one) => `WHEN ${values} LIKE '%"status":"${one}"%' THEN '${one}'`).join(' ')}
   WHEN ${values} LIKE '%"status":null%' THEN 'none' END`
const BECAME = `CASE WHEN act = 'add' THEN coalesce(${statusIn('to_values')}, 'none') ELSE ${statusIn('to_values')} END`

/** What the animal of a row of `entries` was before it. */
const before = (member: 'status' | 'category_id', inPets: string, from: string, to: string) => `coalesce(
  (SELECT ${from} FROM journal WHERE n = next_${member}),
  (SELECT ${inPets} FROM pets WHERE id = entries.pet_id),
  (SELECT ${inPets} FROM removed_pets WHERE id = entries.pet_id),
  (SELECT ${to} FROM journal WHERE n = last_${member}))`

/** Bound: first and end of each span; the day on which records begin; how many ms after midnight (UTC) a day counts. */
function countsOf({ numberIn }: Dialect, spans: number, dayOf: DayOf): string {
  const spanOf = (atMs: string) =>
    `CASE ${Array.from({ length: spans }, (_, n) => `WHEN ${atMs} >= $${2 * n + 1} AND ${atMs} < $${2 * n + 2} THEN ${n}`).join(' ')} END`
  const [begun, noon] = [1, 2].map((n) => `$${2 * spans + n}`)
  const categoryIn = (values: string) => numberIn(values, 'categoryId')
  const status = before('status', "coalesce(status, 'none')", statusIn('from_values'), BECAME)
  const category = before('category_id', 'category_id', categoryIn('from_values'), categoryIn('to_values'))
  return `FROM (
    WITH RECURSIVE
    chains (n, undone, parity) AS (
      SELECT n, undoes, 1 FROM journal WHERE pet_id IS NOT NULL AND undoes IS NOT NULL
        AND n NOT IN (SELECT undoes FROM journal WHERE pet_id IS NOT NULL AND undoes IS NOT NULL)
      UNION ALL SELECT chains.n, undoes, 1 - parity FROM chains JOIN journal ON journal.n = undone WHERE undoes IS NOT NULL
    ),
    undone AS (SELECT undone FROM chains GROUP BY undone HAVING max(2 * n + parity) % 2 = 1),
    states AS (
      SELECT n, pet_id, at_ms, act, undoes, ${statusIn('from_values')} AS was, ${BECAME} AS became,
        ${categoryIn('from_values')} AS was_category, ${categoryIn('to_values')} AS became_category
      FROM journal WHERE pet_id IS NOT NULL
    ),
    entries AS MATERIALIZED (
      SELECT states.*, min(n) OVER whole AS first_n,
        min(CASE WHEN was IS NOT NULL THEN n END) OVER rest AS next_status,
        min(CASE WHEN was_category IS NOT NULL THEN n END) OVER rest AS next_category_id,
        max(CASE WHEN became IS NOT NULL THEN n END) OVER whole AS last_status,
        max(CASE WHEN became_category IS NOT NULL THEN n END) OVER whole AS last_category_id
      FROM states WINDOW rest AS (PARTITION BY pet_id ORDER BY n DESC), whole AS (PARTITION BY pet_id)
    ),
    origins AS MATERIALIZED (${ORIGINS}),
    arrived AS (
      SELECT id, status, category_id, CASE WHEN has_day THEN day * ${DAY_MS} + ${noon} ELSE at_ms END AS at_ms,
        CASE WHEN kind = 3 AND NOT has_day THEN 'listed' ELSE 'gone' END AS was
      FROM (
        SELECT origins.*, day IS NOT NULL AND day >= ${begun} AND day * ${DAY_MS} < at_ms + ${DAY_MS} AS has_day
        FROM origins
      ) AS dated
    ),
    moves AS (
      SELECT ${spanOf('at_ms')} AS span,
        CASE act WHEN 'restore' THEN 'gone' WHEN 'remove' THEN ${status} ELSE was END AS was,
        CASE act WHEN 'remove' THEN 'gone' WHEN 'restore' THEN coalesce(became, ${status}) ELSE became END AS became,
        coalesce(CASE WHEN became = 'sold' THEN was_category ELSE became_category END, ${category}) AS category_id
      FROM entries
      WHERE (act IN ('remove', 'restore') OR (act = 'edit' AND (was = 'sold') <> (became = 'sold')))
        AND ${spanOf('at_ms')} IS NOT NULL AND undoes IS NULL AND n NOT IN (SELECT undone FROM undone)
      UNION ALL
      SELECT ${spanOf('arrived.at_ms')}, arrived.was, coalesce(${status}, status), coalesce(${category}, category_id)
      FROM arrived LEFT JOIN entries ON pet_id = id AND n = first_n
      WHERE ${spanOf('arrived.at_ms')} IS NOT NULL AND coalesce(act, '') NOT IN ('restore', 'purge')
        AND NOT (coalesce(act, '') = 'add' AND n IN (SELECT undone FROM undone))
    )
    SELECT span, was, became, CASE WHEN rank <= ${MAX_CATEGORIES} THEN category_id END AS category_id,
      CASE WHEN rank > ${MAX_CATEGORIES} AND category_id IS NOT NULL THEN 1 ELSE 0 END AS is_other,
      NULL AS day, CAST(sum(animals) AS bigint) AS animals
    FROM (
      SELECT span, was, became, category_id, count(*) AS animals, dense_rank() OVER (ORDER BY category_id) AS rank
      FROM moves GROUP BY span, was, became, category_id
    ) AS alike GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT NULL, CASE WHEN presence = 0 THEN 'gone' WHEN kind = 3 THEN 'listed' END, status, NULL, 0,
      ${waitDayIn(dayOf, `coalesce(day, CASE WHEN kind < 3 THEN ${dayOf('at_ms')} END)`)}, count(*)
    FROM origins WHERE presence >= 0 GROUP BY 2, 3, 6
    UNION ALL
    SELECT NULL, 'unknown', coalesce(status, 'none'), NULL, 0, ${waitDayIn(dayOf, 'day')}, count(*)
    FROM arrivals JOIN pets ON id = pet_id
    WHERE coalesce(day, returned_ms) IS NOT NULL AND id NOT IN (SELECT id FROM origins) GROUP BY 3, 6
  ) AS counted`
}

const BEGUN = table({
  minute: ['int?', '(SELECT min(minute) FROM created_ranges)'],
  firstMs: ['int?', 'min(at_ms)'],
})
const NOTED = 'FROM (SELECT min(at_ms) AS at_ms FROM journal UNION ALL SELECT min(at_ms) FROM imports) AS noted'

export class Report extends Repository {
  /**
   * All of one instant, `atMs`; moves are told by span. A day of a list counts so many ms after its beginning in UTC,
   * which is within that day where the spans are. The day of an instant is that in this time zone.
   */
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
        counts: await COUNT.select(ask, countsOf(dialect, spans.length, dayOf), [...bounds, begunDay, noonMs]),
        /** All that are there by status, and all that are removed. */
        byStatus: new Map(counts.map(([status, animals]) => [text(status), int(animals)])),
        removed: await numberOf(ask, `SELECT count(*) FROM removed_pets WHERE ${IS_REMOVED}`),
        /** Since when keys are noted; undefined if none has created an animal since then. */
        notedFromMs,
        /** When the first entry, animal of a key or import was noted. */
        begunMs,
      }
    })
  }
}
