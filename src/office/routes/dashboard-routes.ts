/** Routes for the dashboard: findings, use of all keys, and keys near their limits. */
import type { FastifyInstance } from 'fastify'
import { printable } from '../../common/printable.ts'
import type { WindowUse } from '../../operator/dashboard-data.ts'
import { keysUsedToday } from '../../operator/key-use.ts'
import { isInForce, NEAR_LIMIT } from '../../rules/keys.ts'
import type { DashboardState } from '../office-data.ts'
import { useOf } from './key-routes.ts'
import { addRoute, type OfficeOptions } from './routes.ts'

const SHOWN_NEAR = 10

export function addDashboardRoutes(server: FastifyInstance, options: OfficeOptions): void {
  addRoute(server, 'GET /api/findings', () => options.findings())

  addRoute(server, 'GET /api/dashboard', async () => {
    return { ...(await useOf(undefined, options)), nearLimits: await nearLimitsOf(options) }
  })
}

/** The most recently used key of each lineage, with the window nearer to its limit. */
async function nearLimitsOf(options: OfficeOptions): Promise<DashboardState['nearLimits']> {
  const ofLineage = new Map((await keysUsedToday(options)).toReversed().map((use) => [use.key.lineage, use]))
  return [...ofLineage.values()]
    .filter(({ key }) => isInForce(key, options.clock.now()))
    .map(({ key, banned, bannedUntilMs = null, minuteUsed, dayUsed }) => {
      const minute = { window: 'minute', limit: key.perMinute, used: minuteUsed } as const
      const day = { window: 'day', limit: key.perDay, used: dayUsed } as const
      const { id, label } = key
      return { id, label: printable(label), banned, bannedUntilMs, ...(shareOf(minute) > shareOf(day) ? minute : day) }
    })
    .filter((use) => use.banned || shareOf(use) >= NEAR_LIMIT)
    .sort((a, b) => Number(b.banned) - Number(a.banned) || shareOf(b) - shareOf(a))
    .slice(0, SHOWN_NEAR)
    .map(({ banned, ...use }) => use)
}

function shareOf({ used, limit }: WindowUse): number {
  return used / limit
}
