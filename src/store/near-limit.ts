/** Which keys are near the limit of their day, as a query of every SQL engine. */
import { DAY_MS } from '../common/clock.ts'

/** In parts of the limit. */
export const NEAR = 0.8
const MOST = 100

/** Rows of id, label, limit and use of the day of `nowMs`, the nearest first. */
export function nearLimitSql(nowMs: number): string {
  return `SELECT keys.id, label, per_day, day_count FROM keys JOIN counters ON subject = lineage
    WHERE day = ${Math.floor(nowMs / DAY_MS)} AND day_count >= ${NEAR} * per_day AND revoked_at_ms IS NULL
      AND coalesce(expires_at_ms > ${nowMs}, true)
    ORDER BY 1.0 * day_count / per_day DESC, keys.id LIMIT ${MOST}`
}
