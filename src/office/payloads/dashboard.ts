/** How the service does, and what needs attention. */
import type { Sample, WindowUse } from '../../operator/dashboard-data.ts'
import type { BackupStatus } from '../../operator/prometheus.ts'
import type { PetCounts } from '../../store/rows.ts'
import type { OfficeKey } from './keys.ts'
import { json, object, type Sent } from './route.ts'

export interface DashboardState {
  readonly atMs: number
  /** What needs attention: a sentence, the address that it links to, and when it ends by itself. */
  readonly needs: readonly { readonly sentence: string; readonly href: string; readonly untilMs: number | null }[]
  /** Null while the database does not answer. */
  readonly animals: PetCounts | null
  /** Requests with a key, hour by hour since the time asked for. */
  readonly today: readonly { readonly hourMs: number; readonly admitted: number; readonly refused: number }[]
  /** Requests without a valid key that this process has refused. */
  readonly refusedAnonymous: number
  /** Keys that are banned or have used most of a window as it is now, the nearest to its limit first; at most ten. */
  readonly nearLimits: readonly (Pick<OfficeKey, 'id' | 'label' | 'bannedUntilMs'> &
    WindowUse & { readonly window: 'minute' | 'day' })[]
  /** Null if the service makes no backups by itself. */
  readonly backups: Sent<Pick<BackupStatus, 'lastSuccessMs' | 'failures' | 'everyMs'>> | null
  /** How the process did in the last seconds; null at the start. */
  readonly latest: Sample | null
  readonly version: string
  readonly startedAtMs: number
}

export const DASHBOARD_ROUTES = {
  /** With the requests from this time on. */
  'GET /api/dashboard': {
    role: 'operator',
    query: object({}, { since: { type: 'string', pattern: '^\\d{1,16}$' } }),
    response: json<DashboardState>(),
  },
} as const
