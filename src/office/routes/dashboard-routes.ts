/**
 * The office's route for the dashboard: problems, animals by status, the requests of 30 days from the ledger, and figures
 * of the process in the last seconds, which are sampled while the server listens.
 */
import type { FastifyInstance } from 'fastify'
import { DAY_MS } from '../../common/clock.ts'
import { printable } from '../../common/printable.ts'
import { VERSION } from '../../common/version.ts'
import type { WindowUse } from '../../operator/dashboard-data.ts'
import { keysUsedToday } from '../../operator/key-use.ts'
import type { BackupStatus } from '../../operator/prometheus.ts'
import { Sampler } from '../../operator/samples.ts'
import { banOf, isInForce, NEAR_LIMIT } from '../../rules/keys.ts'
import type { DashboardState } from '../office-data.ts'
import { addRoute, type OfficeOptions } from './routes.ts'

const SHOWN_DAYS = 30
const SHOWN_NEAR = 10
const WRONG = '#guide/when-something-is-wrong'

export function addDashboardRoutes(server: FastifyInstance, options: OfficeOptions): void {
  const { store, clock, metrics, backups } = options
  const startedAtMs = clock.now()
  const sampler = new Sampler({ store, clock, metrics })
  server.addHook('onListen', async () => sampler.start())
  server.addHook('preClose', async () => sampler.stop())

  addRoute(server, 'GET /api/dashboard', async () => {
    const atMs = clock.now()
    return {
      atMs,
      needs: await alertsOf(options),
      animals: await Promise.resolve(store.pets.count()).catch(() => null),
      days: await daysOf(options, atMs),
      refusedAnonymous: metrics.plans.get('anonymous')?.refused ?? 0,
      nearLimits: await nearLimitsOf(options),
      backups: backups === undefined ? null : backupsOf(backups),
      latest: sampler.latest ?? null,
      version: VERSION,
      startedAtMs,
    }
  })
}

/** The problems of the service, and the keys banned now. */
async function alertsOf(options: OfficeOptions): Promise<DashboardState['needs']> {
  const { findings, store, clock } = options
  const nowMs = clock.now()
  const banned = await store.keys.banned(nowMs)
  return [
    ...(await findings()).map(({ sentence }) => ({ sentence, href: WRONG, untilMs: null })),
    ...banned.map((key) => ({
      sentence: `The key of ${printable(key.label) || key.id} is banned`,
      href: `#key/${key.id}`,
      untilMs: banOf(key, nowMs)?.untilMs ?? null,
    })),
  ]
}

/** Of each lineage the key used last; of its windows the one that is nearer to its limit. */
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

/** The last 30 days (UTC), also those without a request. */
async function daysOf({ store }: OfficeOptions, atMs: number): Promise<DashboardState['days']> {
  const toDay = Math.floor(atMs / DAY_MS) + 1
  const fromDay = toDay - SHOWN_DAYS
  const ledgerSums = await store.ledger.sums({ lineage: undefined, fromDay, toDay })
  return Array.from({ length: SHOWN_DAYS }, (_, n) => {
    const day = { dayMs: (fromDay + n) * DAY_MS, admitted: 0, refused: 0 }
    for (const { sums } of ledgerSums.filter((sum) => sum.day === fromDay + n)) {
      day.admitted += sums.admitted
      day.refused += sums.refusedByMinute + sums.refusedByDay + sums.refusedByBan
    }
    return day
  })
}

function backupsOf({ lastSuccessMs, failures, everyMs }: BackupStatus): DashboardState['backups'] {
  return { lastSuccessMs: lastSuccessMs ?? null, failures, everyMs }
}
