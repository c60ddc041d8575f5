/** The running service: opens the store, wires domain and ports together, and takes everything down in order again. */
import { randomBytes } from 'node:crypto'
import { Server } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from './common/clock.ts'
import type { BanPolicy } from './contract/limits.ts'
import { Access } from './domain/access.ts'
import { issueKey } from './domain/keys.ts'
import { buildApp } from './http/app.ts'
import { Metrics } from './http/metrics.ts'
import { startPurging } from './purging.ts'
import { fileFor, openCounters, openStore } from './store/open.ts'
import type { BackupPlan } from './store/sqlite/scheduled-backups.ts'
import { warmUpTicks } from './warm-up.ts'

export interface ServiceConfig {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly counters: string | undefined
  readonly countersDown: 'local' | 'refuse'
  readonly operatorPort: number | undefined
  readonly anonymousPerMinute: number
  readonly bodyLimit: number
  readonly trustProxy: readonly string[]
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly publicUrl: string | undefined
  /** Shows the first key, which is then stored; without it none is issued. `baseUrl` is where it can be used. */
  readonly showFirstKey: ((secret: string, baseUrl: string) => Promise<void>) | undefined
  readonly pages: boolean
  readonly pageLinks: boolean
  readonly corsOrigins: readonly string[]
  readonly ban: BanPolicy | undefined
  /** Makes backups of a SQLite file by itself. */
  readonly backups: BackupPlan | undefined
  readonly timeouts: { readonly headersMs: number; readonly requestMs: number }
}

export interface Service {
  /** Base address of the interface, ending in /v1. */
  readonly baseUrl: string
  readonly operatorUrl: string | undefined
  /** How many animals and keys the database holds. */
  count(): Promise<{ readonly animals: number; readonly keys: number }>
  /** Uses another certificate for connections from now on. Throws when it cannot be used, and goes on with the old one. */
  setCertificate(tls: { readonly cert: Buffer; readonly key: Buffer }): void
  /** Stops accepting, finishes what is in flight, saves the counters, lets the store go. */
  stop(): Promise<void>
}

/** Connections that are still busy this long after `stop` are cut. */
const DRAIN_MS = 7_000

/** Throws StoreUnusable, or the system's error when a port cannot be had; nothing is left open then. */
export async function startService(config: ServiceConfig, log: Logger, clock: Clock): Promise<Service> {
  const closers: (() => Promise<void> | void)[] = []
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  await warmUpTicks()
  try {
    const store = await openStore(config.database, { serving: true, report: (trouble) => log.error(trouble) })
    closers.push(() => store.close())
    closers.push(startPurging(store.records, log, clock))
    const backups = config.backups && (await startBackups(config.backups, config.database, log, clock))
    if (backups !== undefined) closers.push(() => backups.close())
    const counters = await openCounters(store, {
      url: config.counters,
      whenDown: config.countersDown,
      clock,
      onChange: (trouble) =>
        trouble === undefined
          ? log.info('counters are shared again')
          : log.warn({ trouble }, 'counters are in trouble'),
    })
    closers.push(() => counters.close())
    const { ban, anonymousPerMinute } = config
    const access = new Access({ keys: store.keys, counters, clock, ban, anonymousPerMinute })
    closers.push(() => access.close())
    const metrics = new Metrics()
    let draining = false
    const pages = config.pages ? (await import('./pages/pages.ts')).loadPages(config) : undefined
    const app = buildApp({ ...config, pages, pets: store.pets, access, clock, metrics, log, makeRequestId })

    let operatorUrl: string | undefined
    if (config.operatorPort !== undefined) {
      const { buildOperatorServer } = await import('./operator/server.ts')
      const operator = buildOperatorServer({
        ...{ store, counters, access, metrics, clock, backups },
        isDraining: () => draining,
      })
      await operator.listen({ host: config.host, port: config.operatorPort })
      closers.push(() => operator.close())
      operatorUrl = urlOf(operator, 'http')
    }
    const { showFirstKey } = config
    const isFirst = showFirstKey !== undefined && (await store.keys.list({ limit: 1 })).length === 0
    await app.server.listen({ host: config.host, port: config.port })
    closers.push(async () => {
      draining = true
      app.drain()
      const cut = setTimeout(() => app.server.server.closeAllConnections(), DRAIN_MS)
      await app.server.close()
      clearTimeout(cut)
    })
    const baseUrl = config.publicUrl ?? `${urlOf(app.server, config.tls === undefined ? 'http' : 'https')}/v1`
    if (isFirst) {
      await issueKey(
        { store, clock, randomBytes, who: 'service', show: ({ secret }) => showFirstKey(secret, baseUrl) },
        { plan: 'free', custom: undefined, label: 'first key', expiresAtMs: undefined },
      )
    }
    return {
      baseUrl,
      operatorUrl,
      async count() {
        const animals = Object.values(await store.pets.count()).reduce((sum, n) => sum + n, 0)
        return { animals, keys: await store.keys.count() }
      },
      setCertificate(tls) {
        if (app.server.server instanceof Server) app.server.server.setSecureContext(tls)
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startBackups(plan: BackupPlan, database: string, log: Logger, clock: Clock) {
  const path = await fileFor('backup', database)
  const { ScheduledBackups } = await import('./store/sqlite/scheduled-backups.ts')
  const backups = new ScheduledBackups({
    ...{ ...plan, path, clock },
    onMade: (file, animals) => log.info({ file, animals }, 'backup made and checked'),
    onFailed: (error) => log.error({ err: error }, 'no backup was made'),
  })
  backups.start()
  return backups
}

function makeRequestId(): string {
  return `req_${randomBytes(6).toString('hex')}`
}

function urlOf(server: FastifyInstance, scheme: string): string {
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `${scheme}://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
