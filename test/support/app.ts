/** The public port in the test's own process, on a SQLite file, with a clock that the test sets. */
import { randomBytes } from 'node:crypto'
import type { BanPolicy } from '../../src/contract/limits.ts'
import type { Plan, Quota } from '../../src/contract/plans.ts'
import { MemoryCounters } from '../../src/counters/memory-counters.ts'
import { Access } from '../../src/domain/access.ts'
import { issueKey } from '../../src/domain/keys.ts'
import { LedgerBuffer } from '../../src/domain/ledger.ts'
import { Metrics } from '../../src/http/metrics.ts'
import { PublicPort, type PublicPortOptions } from '../../src/http/public-port.ts'
import { StoreFailures } from '../../src/http/request-log.ts'
import { openSqlite } from '../../src/store/sqlite/store.ts'
import type { Store } from '../../src/store/store.ts'
import { workHere } from '../histories/in-this-thread.ts'
import { memoryFolder, removeFolder } from './folder.ts'
import { type Call, call, createBytes } from './http.ts'
import { keptLog } from './log.ts'
import { clockAt } from './time/clock.ts'

/** Ten seconds into a minute, in the middle of a day. */
export const START_MS = Date.UTC(2026, 10, 21, 12, 0, 10)

export interface AppSettings extends Partial<PublicPortOptions> {
  readonly anonymousPerMinute?: number
  readonly ban?: BanPolicy
  readonly path?: string
  /** By default it stands at START_MS. */
  readonly time?: { nowMs: number }
  readonly savesCounters?: boolean
  /** Writes in a thread of its own, as the service does. */
  readonly writesApart?: boolean
}

export type TestApp = Awaited<ReturnType<typeof startApp>>

export async function startApp(settings: AppSettings = {}) {
  const folder = settings.path === undefined ? memoryFolder() : undefined
  const {
    path = `${folder}/pets.db`,
    time: clock = { nowMs: START_MS },
    savesCounters = false,
    writesApart = false,
    ...rest
  } = settings
  const now = settings.clock ?? clockAt(() => clock.nowMs)
  const store = await openSqlite(path, {
    serving: true,
    clock: now,
    startThread: writesApart ? undefined : workHere(clockAt(now.now)),
  })
  const counters = new MemoryCounters(now, savesCounters ? store.counters() : undefined)
  const { anonymousPerMinute = 1_000_000, ban, ...options } = rest
  const access = accessTo(store, { counters, clock: now, ban, anonymousPerMinute })
  const metrics = new Metrics()
  const { log, text } = keptLog({ level: 'debug' })
  const publicPort = new PublicPort({
    store,
    access,
    clock: now,
    metrics,
    log,
    failures: new StoreFailures(log, now),
    makeRequestId: () => 'req_test',
    bodyLimit: 65_536,
    bufferBytes: 67_108_864,
    pageLinks: false,
    corsOrigins: [],
    trustProxy: [],
    publicUrl: undefined,
    tls: undefined,
    pages: undefined,
    timeouts: { headersMs: 10_000, requestMs: 30_000, sendMs: 30_000 },
    ...options,
  })
  await publicPort.listen('127.0.0.1', 0)
  const address = publicPort.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address
  return {
    port,
    publicPort,
    store,
    path,
    clock,
    metrics,
    log: text,
    async issue(plan: Plan = 'enterprise', custom?: Quota) {
      const quota = custom ?? (plan === 'enterprise' ? { perMinute: 1e6, perDay: 1e6 } : undefined)
      const request = { plan, custom: quota, label: undefined, expiresAtMs: undefined }
      return (await issueKey({ store, clock: now, randomBytes, who: 'a test' }, request)).secret
    },
    call: (request: Call) => call(port, request),
    async [Symbol.asyncDispose]() {
      publicPort.server.closeAllConnections()
      await publicPort.close()
      await access.close()
      await counters.close()
      await store.close()
      if (folder !== undefined) removeFolder(folder)
    },
  }
}

export type KeyedApp = Awaited<ReturnType<typeof startKeyed>>

/** An app with a key, the header lines of its requests, and a list and a create as bytes. */
export async function startKeyed(settings: AppSettings = {}) {
  const app = await startApp(settings)
  const key = await app.issue()
  const auth = `Host: x\r\nAuthorization: Bearer ${key}\r\n`
  return Object.assign(app, { key, auth, list: `GET /v1/pets HTTP/1.1\r\n${auth}\r\n`, create: createBytes(auth) })
}

export function accessTo(
  store: Store,
  parts: Pick<ConstructorParameters<typeof Access>[0], 'counters' | 'clock' | 'ban' | 'anonymousPerMinute'>,
): Access {
  const ledger = new LedgerBuffer({ store, clock: parts.clock })
  return new Access({ store, ledger, ...parts })
}
