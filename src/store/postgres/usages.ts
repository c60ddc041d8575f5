/** The counts of requests in PostgreSQL as `pets copy` reads and replaces them; ./counters.ts keeps them. */
import type { Usage } from '../../contract/limits.ts'
import type { StoredUsages } from '../archive.ts'
import { toUsages } from '../rows.ts'
import type { Database } from './connection/database.ts'

const COLUMNS = 'subject, minute, minute_count, day, day_count, refused_at_ms, banned_until_ms, ban_limit'

export function storedUsages({ longQuery }: Pick<Database, 'longQuery'>): StoredUsages {
  return {
    async usages() {
      const select = `SELECT ${COLUMNS.replace('refused_at_ms', 'array_to_json(refused_at_ms)')} FROM counters`
      return toUsages(await longQuery(select))
    },
    async putUsages(usages) {
      const list = [...usages.values()]
      const columnOf = (name: Exclude<keyof Usage, 'refusedAtMs'>) => list.map((usage) => usage[name])
      await longQuery(
        `INSERT INTO counters (${COLUMNS})
         SELECT subject, minute, minute_count, day, day_count, refused_at_ms::bigint[], banned_until_ms, ban_limit
         FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[])
           AS usage (${COLUMNS})
         ORDER BY subject
         ON CONFLICT (subject) DO UPDATE SET (${COLUMNS}) = ROW (${COLUMNS.replace(/\w+/g, 'excluded.$&')})`,
        [
          ...[[...usages.keys()], columnOf('minute'), columnOf('minuteCount'), columnOf('day'), columnOf('dayCount')],
          list.map(({ refusedAtMs }) => `{${refusedAtMs.join(',')}}`),
          ...[columnOf('bannedUntilMs'), columnOf('banLimit')],
        ],
      )
    },
  }
}
