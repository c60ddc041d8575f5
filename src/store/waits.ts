/** Since when an animal waits. `arrivals` contains what origins do not (./origins.ts). Days are the shelter's. */
import { DAY_MS, MINUTE_MS } from '../common/clock.ts'
import { lastMoves } from '../rules/returns.ts'
import { ENTRY, IN_EFFECT, JOURNAL_BATCH_SIZE } from './journal.ts'
import type { Provenance } from './origins.ts'
import { type Database, type Sql, table } from './sql.ts'

/** The first day of a wait as UTC midnight, Unix ms, and whether it was a return. */
export interface Wait {
  readonly sinceMs: number
  readonly isAgain: boolean
}

/** Undefined if it has left, or if this is unknown: an import is not an arrival. */
export function waitOf(provenance: Partial<Provenance> = {}, zone: string): Wait | undefined {
  const { origin, cameOnMs, returnedMs, leftMs } = provenance
  if (leftMs !== undefined) return undefined
  const dayOf = (atMs: number | undefined) => (atMs === undefined ? undefined : dayIn(zone, atMs))
  const arrivedMs = cameOnMs ?? (origin?.kind === 'import' ? undefined : dayOf(origin?.atMs))
  const returnedOnMs = dayOf(returnedMs)
  if (returnedOnMs !== undefined && returnedOnMs >= (arrivedMs ?? 0)) return { sinceMs: returnedOnMs, isAgain: true }
  return arrivedMs === undefined ? undefined : { sinceMs: arrivedMs, isAgain: false }
}

export function dayIn(zone: string, atMs: number): number {
  const day = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone).toPlainDate()
  return day.toZonedDateTime('UTC').epochMilliseconds
}

export type DayOf = (atMs: string) => string

/** The days of a time zone, with its changes of the clock, between two times. */
export function daysIn(zone: string, fromMs: number, untilMs: number): DayOf {
  const offsets: (readonly [sinceMs: number, aheadMs: number])[] = []
  let at: Temporal.ZonedDateTime | null = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(zone)
  for (; at !== null && at.epochMilliseconds <= untilMs; at = at.getTimeZoneTransition('next'))
    offsets.unshift([at.epochMilliseconds, at.offsetNanoseconds / 1e6])
  const [, earliest = 0] = offsets.pop() ?? []
  return (atMs) => {
    const later = offsets.map(([sinceMs, aheadMs]) => `WHEN ${atMs} >= ${sinceMs} THEN ${aheadMs}`).join(' ')
    return `((${atMs} + ${later === '' ? earliest : `CASE ${later} ELSE ${earliest} END`}) / ${DAY_MS})`
  }
}

/** The day of `waitOf` since 1970, from a row of `arrivals`. */
export function waitDayIn(dayOf: DayOf, arrivedOn: string): string {
  const returnedOn = dayOf('returned_ms')
  return `CASE WHEN ${returnedOn} >= coalesce(${arrivedOn}, 0) THEN ${returnedOn} ELSE ${arrivedOn} END`
}

/** The same for the animal with this id; NULL if unknown. */
export function waitDayOf(id: string, dayOf: DayOf): string {
  const ofArrival = waitDayIn(dayOf, `coalesce(day, ${dayOf('at_ms')})`)
  return `coalesce((SELECT ${ofArrival} FROM arrivals WHERE pet_id = ${id}),
    (SELECT ${dayOf(`(minute * ${MINUTE_MS})`)} FROM created_ranges
     WHERE first_id = (SELECT max(first_id) FROM created_ranges WHERE first_id <= ${id}) AND last_id >= ${id}))`
}

const MOVES = table({ petId: 'bigint', returnedMs: 'int?', leftMs: 'int?' })

/** Records from the journal when these animals returned or left. Call it after a change of status. */
export async function noteReturns({ dialect }: Database, sql: Sql, ids: readonly bigint[]): Promise<void> {
  const { isIn, inputTable } = dialect
  for (let first = 0; first < ids.length; first += JOURNAL_BATCH_SIZE) {
    const batch = ids.slice(first, first + JOURNAL_BATCH_SIZE)
    const entries = await ENTRY.select(sql, `FROM journal WHERE ${isIn('pet_id', 1)} AND ${IN_EFFECT} ORDER BY n`, [
      batch,
    ])
    const entriesOf = Map.groupBy(entries, ({ petId = '' }) => petId)
    const moves = batch.map((petId) => MOVES.cells({ petId, ...lastMoves(entriesOf.get(String(petId)) ?? []) }))
    const input = inputTable(MOVES.types, moves)
    await sql(
      `INSERT INTO arrivals (${MOVES.columns}) SELECT ${MOVES.columns} FROM ${input.from}
       WHERE coalesce(returned_ms, left_ms) IS NOT NULL OR pet_id IN (SELECT pet_id FROM arrivals)
       ON CONFLICT (pet_id) DO UPDATE SET returned_ms = excluded.returned_ms, left_ms = excluded.left_ms`,
      input.values,
    )
  }
}
