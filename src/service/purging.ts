/**
 * Removed animals whose time is over are forgotten, soon after the service has started and each hour. A purge notes the
 * day that it sees, and no animal goes before enough days have been seen (store/rules/bounds.ts); undos that were cut
 * off end as well.
 */

import type { Logger } from 'pino'
import { type Clock, HOUR_MS } from '../common/clock.ts'
import type { PetRecords } from '../store/records.ts'
import { RESTORABLE_MS } from '../store/rules/bounds.ts'

const EVERY_MS = HOUR_MS
/** The first requests of a service need not wait for its first purge. */
const FIRST_AFTER_MS = 1_000

/** Returns what ends it. */
export function startPurging(records: PetRecords, log: Logger, clock: Clock): () => Promise<void> {
  let purging: Promise<void> | undefined
  const purge = async () => {
    try {
      const n = await records.purge(clock.now() - RESTORABLE_MS, { who: 'service', atMs: clock.now() })
      if (n > 0) log.info({ animals: n }, 'removed animals whose time was over are purged')
    } catch (error) {
      log.error({ err: error }, 'removed animals could not be purged; the service tries again in an hour')
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
