/**
 * The ledger: what the requests of each lineage came to, by hour (UTC) and operation. A usage (../contract/limits.ts)
 * is what its windows hold now; the ledger is what they have admitted and refused over the years. Sums only ever grow,
 * and hours become days when they are 13 months old.
 */
import type { Eventual } from '../common/eventual.ts'
import type { Operation } from '../contract/operations.ts'

/** `other`: paths and methods that are no operation, and orders. */
export type LedgerOperation = Operation | 'other'

/**
 * Requests of one lineage, by what they came to. `answered4xx` and `answered5xx` are some of the admitted ones: a
 * request that was refused has 429 and is in neither.
 */
export interface Sums {
  admitted: number
  refusedByMinute: number
  refusedByDay: number
  refusedByBan: number
  answered4xx: number
  answered5xx: number
}

/** In the order of the table's columns. */
export const SUMS = [
  'admitted',
  'refusedByMinute',
  'refusedByDay',
  'refusedByBan',
  'answered4xx',
  'answered5xx',
] as const satisfies readonly (keyof Sums)[]

/** What is to be added to one row; `hour` is the number of hours since 1970. */
export interface LedgerRow {
  readonly hour: number
  readonly lineage: string
  readonly operation: LedgerOperation
  readonly sums: Readonly<Sums>
}

/** Sent again with the same number, a save is made once: its outcome may have been unknown. */
export interface LedgerSave {
  /** Names the process that saves. */
  readonly process: string
  /** Greater than that of the save before. */
  readonly n: number
  readonly atMs: number
}

export interface LedgerQuery {
  /** Without it all lineages in sum. */
  readonly lineage: string | undefined
  /** The first hour and the one after the last. */
  readonly fromHour: number
  readonly toHour: number
  readonly by: 'hour' | 'day'
}

export interface LedgerSum {
  /** The hour, or the first one of the day. */
  readonly hour: number
  readonly operation: LedgerOperation
  readonly sums: Readonly<Sums>
}

export interface LedgerStore {
  /** A process that is killed loses what it has counted for so long, and what was being saved. */
  readonly saveAfterMs: number
  /** Adds these, all or none; at most a thousand lineages. Throws StoreUnavailable. */
  save(rows: readonly LedgerRow[], save: LedgerSave): Eventual<void>
  /** Only those that are not zero, by hour and operation. An hour that has become a day is told as the day's first. */
  sums(query: LedgerQuery): Eventual<readonly LedgerSum[]>
  /** How many rows an hour has. */
  rowsIn(hour: number): Eventual<number>
  /** Makes days of the hours before `hour`, at most so many rows in one commit; returns how many rows it took. */
  rollUp(hour: number, limit: number): Eventual<number>
  /** Forgets processes that saved last before this time. */
  forgetSaves(beforeMs: number): Eventual<void>
}

/** The columns of an engine's row as sums. */
export function toSums(cells: readonly unknown[]): Sums {
  const [admitted, refusedByMinute, refusedByDay, refusedByBan, answered4xx, answered5xx] = cells.map(Number)
  return {
    admitted: admitted ?? 0,
    refusedByMinute: refusedByMinute ?? 0,
    refusedByDay: refusedByDay ?? 0,
    refusedByBan: refusedByBan ?? 0,
    answered4xx: answered4xx ?? 0,
    answered5xx: answered5xx ?? 0,
  }
}

/** SQL that both engines understand. */
export const SUM_COLUMNS = [
  'admitted',
  'refused_by_minute',
  'refused_by_day',
  'refused_by_ban',
  'answered_4xx',
  'answered_5xx',
] as const

export const ADDING = `ON CONFLICT (span, hour, lineage, operation) DO UPDATE SET ${SUM_COLUMNS.map(
  (column) => `${column} = ledger.${column} + excluded.${column}`,
)}`
