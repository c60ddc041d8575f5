/** Routes for the dashboard: findings, use in the last 30 days, and keys near their limits. */
import type { WindowUse } from '../../operator/dashboard-data.ts'
import type { Finding } from '../../operator/findings.ts'
import type { KeyUse, OfficeKey } from './keys.ts'
import { json } from './route.ts'

export interface DashboardState extends Pick<KeyUse, 'days' | 'todayMs'> {
  /** Up to ten keys that are banned or have used most of a current window, the nearest to its limit first. */
  readonly nearLimits: readonly (Pick<OfficeKey, 'id' | 'label' | 'bannedUntilMs'> &
    WindowUse & { readonly window: 'minute' | 'day' })[]
}

export const DASHBOARD_ROUTES = {
  'GET /api/findings': { role: 'operator', response: json<readonly Finding[]>() },
  'GET /api/dashboard': { role: 'operator', response: json<DashboardState>() },
} as const
