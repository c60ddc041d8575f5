/** Removed animals whose time is over are forgotten once a day, and soon after the service has started. */
import type { Logger } from 'pino'
import type { Clock } from './common/clock.ts'
import { type PetRecords, RESTORABLE_MS } from './store/records.ts'

const EVERY_MS = 86_400_000
/** The first requests of a service need not wait for its first purge. */
const FIRST_AFTER_MS = 1_000

/** Returns what ends it. */
export function startPurging(records: PetRecords, log: Logger, clock: Clock): () => Promise<void> {
  let purging: Promise<void> | undefined
  const purge = async () => {
    try {
      const n = await records.purge(clock() - RESTORABLE_MS, { who: 'service', atMs: clock() })
      if (n > 0) log.info({ animals: n }, 'removed animals whose time was over are purged')
    } catch (error) {
      log.error({ err: error }, 'removed animals could not be purged; the service tries again tomorrow')
    }
  }
  const run = () => {
    purging = purge()
  }
  const timer = setInterval(run, EVERY_MS).unref()
  const first = setTimeout(run, FIRST_AFTER_MS).unref()
  return async () => {
    clearTimeout(first)
    clearInterval(timer)
    await purging
  }
}
