/**
 * Tells that keys have used a share of their limits (`--warn-at`): in the log, of which a minute gets a bounded part,
 * and in the metrics, from which the dashboard has whose they are.
 */
import type { Logger } from 'pino'
import { type Clock, MINUTE_MS } from '../common/clock.ts'
import type { Warnings } from '../domain/access.ts'
import type { Metrics } from '../http/metrics.ts'

const LOGGED_A_MINUTE = 100

export function limitWarnings(shares: readonly number[], metrics: Metrics, log: Logger, clock: Clock): Warnings {
  let minute = 0
  let told = 0
  return {
    shares,
    note({ id: keyId, label, perMinute, perDay }, window, share) {
      const atMs = clock.now()
      const limit = window === 'day' ? perDay : perMinute
      metrics.warned({ keyId, label, window, share, limit, atMs })
      const now = Math.floor(atMs / MINUTE_MS)
      if (now !== minute) {
        minute = now
        told = 0
      }
      told += 1
      if (told <= LOGGED_A_MINUTE) log.warn({ key: keyId, window, share, limit }, 'a key has used a share of a limit')
      if (told === LOGGED_A_MINUTE) log.warn('more such warnings of this minute are in the metrics only')
    },
  }
}
