/** How the service does, and what needs attention. */
import type { Sample, WindowUse } from '../../operator/dashboard-data.ts'
import type { BackupStatus } from '../../operator/prometheus.ts'
import type { PetCounts } from '../../store/rows.ts'
import type { OfficeKey } from './keys.ts'
import { json, type Sent } from './route.ts'

export interface DashboardState {
  readonly atMs: number
  /** What needs attention: a sentence, the address that it links to, and when it ends by itself. */
  readonly needs: readonly { readonly sentence: string; readonly href: string; readonly untilMs: number | null }[]
  /** Null while the database does not answer. */
  readonly animals: PetCounts | null
  /** Requests with a key in the last 30 days (UTC), today the last. */
  readonly days: readonly { readonly dayMs: number; readonly admitted: number; readonly refused: number }[]
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
  'GET /api/dashboard': {
    role: 'operator',
    response: json<DashboardState>(),
  },
} as const
