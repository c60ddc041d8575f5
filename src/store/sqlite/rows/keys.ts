/** How a row of the table of keys is read, by the service and by its writer. */
import { isPlan } from '../../../contract/plans.ts'
import type { Ban, Key } from '../../rows.ts'

export const KEY =
  'id, lineage, plan, per_minute, per_day, label, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms, ban, lifted_until_ms'

/** The newest of a lineage, which is bound. */
export const NEWEST = `SELECT ${KEY} FROM keys WHERE lineage = ? ORDER BY created_at_ms DESC, id DESC LIMIT 1`

type Time = bigint | null
type KeyRow = [string, string, string, bigint, bigint, string, bigint, Time, Time, Time, string | null, Time]

/** `row` begins with the columns of KEY. */
export function toKey(row: unknown): Key {
  const [id, lineage, plan, perMinute, perDay, label, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs, ...more] =
    row as KeyRow
  const [ban, liftedUntilMs] = more
  if (!isPlan(plan)) throw new Error(`key ${id} is on a plan that this version does not know: ${plan}`)
  return {
    id,
    lineage,
    plan,
    perMinute: Number(perMinute),
    perDay: Number(perDay),
    label,
    createdAtMs: Number(createdAtMs),
    expiresAtMs: expiresAtMs === null ? undefined : Number(expiresAtMs),
    revokedAtMs: revokedAtMs === null ? undefined : Number(revokedAtMs),
    lastUsedAtMs: lastUsedAtMs === null ? undefined : Number(lastUsedAtMs),
    ...(ban !== null && { ban: JSON.parse(ban) as Ban }),
    ...(liftedUntilMs !== null && { liftedUntilMs: Number(liftedUntilMs) }),
  }
}
