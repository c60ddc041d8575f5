/** Deletes removed animals permanently when they can no longer be restored: soon after the start, then hourly. */
import type { Logger } from 'pino'
import { type Clock, HOUR_MS } from '../common/clock.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'

/** The first requests do not have to wait for the first purge. */
const FIRST_AFTER_MS = 1_000

/** Returns a function that resolves when the work has ended after `signal`. */
export function startPurging(
  { records }: Pick<Store, 'records'>,
  log: Logger,
  clock: Clock,
  signal: AbortSignal,
): () => Promise<void> {
  let purging: Promise<void> | undefined
  const purge = async () => {
    try {
      const n = await records.purge({ who: 'service', atMs: clock.now() })
      if (n > 0) log.info({ animals: n }, 'removed animals were purged after 30 days')
    } catch (error) {
      if (signal.aborted) return
      const what = 'removed animals could not be purged'
      // An unavailable database is not a bug, so no stack is logged.
      if (error instanceof StoreUnavailable) log.warn(`${what}: ${error.reason} The service will try again in an hour.`)
      else log.error({ err: error }, `${what}; the service will try again in an hour`)
    }
  }
  const run = () => {
    purging = purge()
  }
  const timer = clock.every(HOUR_MS, run).unref()
  const first = clock.after(FIRST_AFTER_MS, run).unref()
  return async () => {
    clock.cancel(first)
    clock.cancel(timer)
    await purging
  }
}
