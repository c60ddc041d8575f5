/**
 * Purges animals whose time to be restored is over, soon after the start of the service and then hourly. Afterwards the
 * ledger's rows by hour that are 13 months old, or above its size limit, are summed up by day, in small steps.
 */

import type { Logger } from 'pino'
import { type Clock, DAY_MS, HOUR_MS, sleep } from '../common/clock.ts'
import { HOURS_KEPT_MS, LEDGER_ROWS_BY_HOUR } from '../rules/bounds.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'

const EVERY_MS = HOUR_MS
/** The first requests of a service need not wait for its first purge. */
const FIRST_AFTER_MS = 1_000
/** One step takes some ms. */
const ROWS_AT_ONCE = 1_000
const PAUSE_MS = 50
/** How long saves are remembered to detect repeated ones; no process repeats one after that. */
const SAVES_KEPT_MS = 30 * DAY_MS

/** Returns what to wait for at the end, which `signal` brings about. */
export function startPurging(
  { records, ledger }: Pick<Store, 'records' | 'ledger'>,
  log: Logger,
  clock: Clock,
  signal: AbortSignal,
): () => Promise<void> {
  let purging: Promise<void> | undefined
  /** An unavailable database is not a bug, so no stack is logged. */
  const tell = (error: unknown, what: string) => {
    if (signal.aborted) return
    if (error instanceof StoreUnavailable)
      log.warn(`${what}, since ${error.reason} The service tries again in an hour.`)
    else log.error({ err: error }, `${what}; the service tries again in an hour`)
  }
  const purge = async () => {
    try {
      const n = await records.purge({ who: 'service', atMs: clock.now() })
      if (n > 0) log.info({ animals: n }, 'removed animals whose time was over are purged')
    } catch (error) {
      tell(error, 'removed animals could not be purged')
    }
    try {
      await rollUp(ledger, clock, signal)
    } catch (error) {
      tell(error, 'old hours of the ledger could not become days')
    }
  }
  const run = () => {
    purging = purge()
  }
  const timer = clock.every(EVERY_MS, run).unref()
  const first = clock.after(FIRST_AFTER_MS, run).unref()
  return async () => {
    clock.cancel(first)
    clock.cancel(timer)
    await purging
  }
}

/** Pauses between steps, so that others can write. A wrong clock only makes the ledger coarser. */
async function rollUp(ledger: Store['ledger'], clock: Clock, signal: AbortSignal): Promise<void> {
  await ledger.deleteOldSaves(clock.now() - SAVES_KEPT_MS)
  const nowHour = Math.floor(clock.now() / HOUR_MS)
  const beforeHour = Math.floor((nowHour - retentionHours(await ledger.rowsIn(nowHour - 1))) / 24) * 24
  while (!signal.aborted && (await ledger.rollUp(beforeHour, ROWS_AT_ONCE)) === ROWS_AT_ONCE)
    await sleep(clock, PAUSE_MS)
}

/** How many hours the ledger keeps by hour, from the number of rows of the last hour. */
export function retentionHours(rows: number): number {
  return Math.min(HOURS_KEPT_MS / HOUR_MS, Math.floor(LEDGER_ROWS_BY_HOUR / Math.max(1, rows)))
}
