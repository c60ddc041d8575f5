/** The office in the test's own process, on a SQLite file, with a clock that the test sets. */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { BanPolicy } from '../../src/contract/limits.ts'
import type { Counters } from '../../src/counters/counters.ts'
import { Metrics } from '../../src/http/metrics.ts'
import { requestIds } from '../../src/http/request-id.ts'
import { StoreFailures } from '../../src/http/request-log.ts'
import { officeOnPort } from '../../src/office/office.ts'
import type { OfficeOptions } from '../../src/office/routes/routes.ts'
import type { Finding } from '../../src/operator/findings.ts'
import { buildOperatorServer } from '../../src/operator/server.ts'
import type { Role } from '../../src/rules/roles.ts'
import type { Key } from '../../src/store/rows.ts'
import { openSqlite } from '../../src/store/sqlite/store.ts'
import type { Store } from '../../src/store/store.ts'
import { workHere } from '../histories/in-this-thread.ts'
import { accessTo, START_MS } from './app.ts'
import { temporaryFolder } from './folder.ts'
import { keptLog } from './log.ts'
import { enterAtStore, type SignedInClient } from './office-client.ts'
import { ownCounters } from './own-counters.ts'
import { authorAt, keyOf } from './store.ts'
import { clockAt } from './time/clock.ts'
import type { VirtualClock } from './time/virtual-clock.ts'

export const BODY_LIMIT = 65_536

interface OfficeSettings {
  /** By default the system's, for the time that requests can take. */
  readonly clock?: VirtualClock
  readonly file?: string
  readonly ban?: BanPolicy
  readonly publishing?: OfficeOptions['publishing']
}

export type OfficeApp = Awaited<ReturnType<typeof startOfficeApp>>

export interface OfficeOfOperator extends OfficeApp {
  // biome-ignore lint/suspicious/noExplicitAny: a test compares the body with what it expects
  ask(method: 'GET' | 'POST', url: string, body?: object): Promise<{ readonly status: number; readonly body: any }>
}

const newFile = () => `${temporaryFolder()}/pets.db`

export async function startOfficeApp(settings: OfficeSettings = {}) {
  const { options, parts, close } = await openOffice(settings)
  const { store, clock } = options
  const routes: RouteOptions[] = []
  const office = officeOnPort({
    ...options,
    get officeUrl() {
      return server.listeningOrigin
    },
  })
  const { addTo } = office
  const server = buildOperatorServer({
    ...options,
    database: 'A',
    host: '127.0.0.1',
    isDraining: () => false,
    freeBytes: async () => undefined,
    tls: undefined,
    publishing: undefined,
    office: Object.assign(office, {
      addTo(port: FastifyInstance) {
        port.addHook('onRoute', (route) => void (route.method !== 'HEAD' && routes.push(route)))
        addTo(port)
      },
    }),
  })
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const operatorUrl = await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    ...parts,
    operatorUrl,
    routes,
    received: () => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    /** Signs in a new person in this role, or a known one again. */
    enter: (name: string, role: Role = 'manager'): Promise<SignedInClient> =>
      enterAtStore({ operatorUrl }, store, clock, name, role),
    async [Symbol.asyncDispose]() {
      server.server.closeAllConnections()
      await server.close()
      await close()
    },
  }
}

/** The same with Olga signed in, an operator who is not in the journal. */
export async function startWithOperator(settings: OfficeSettings = {}): Promise<OfficeOfOperator> {
  const path = newFile()
  const office = await startOfficeApp({ ...settings, file: path })
  const olga = await office.enter('Olga', 'operator')
  using file = new DatabaseSync(path)
  file.exec("DELETE FROM journal; DELETE FROM sqlite_sequence WHERE name = 'journal'")
  return Object.assign(office, {
    async ask(method: string, url: string, body?: object) {
      const { status, json } = await olga.ask(method, url, body)
      return { status, body: json }
    },
  })
}

export async function openOffice({ file = newFile(), ban, clock: time, publishing }: OfficeSettings = {}) {
  const clock = time ?? { nowMs: START_MS }
  const now = clockAt(() => clock.nowMs)
  const store: Store = await openSqlite(file, { serving: true, clock: now, startThread: workHere(now) })
  const findings: Finding[] = []
  // The wait has no bound, so that a busy machine does not make them local.
  const own = ownCounters(store, now)
  const counters: Counters = {
    consume: (subject, limits) => own.consume(subject, limits),
    peek: (subject, limits) => own.peek(subject, limits),
    unban: async (subject, untilMs) => (await own.unban(subject, untilMs)) ?? true,
    trouble: () => undefined,
    close: () => own.close(),
  }
  const access = accessTo(store, { counters, clock: now, ban, anonymousPerMinute: 60 })
  const metrics = new Metrics()
  const { log, text } = keptLog()
  return {
    options: {
      store,
      counters,
      access,
      metrics,
      clock: time ?? now,
      randomBytes,
      backups: undefined,
      bodyLimit: BODY_LIMIT,
      log,
      failures: new StoreFailures(log, now),
      findings: async () => findings,
      publishing,
      certificate: { endsMs: undefined },
      publicCertificates: { endsMs: new Map() },
      baseUrl: 'http://127.0.0.1:8080/v1',
      trustProxy: () => false,
      idOf: requestIds(
        () => 'req_made',
        () => false,
      ),
    },
    parts: { store, access, metrics, clock, take: counters.consume, findings, log: text },
    async close() {
      await access.close()
      await counters.close()
      await store.close()
    },
  }
}

/** Adds a key whose secret nobody knows. */
export async function addKey(store: Store, its: Partial<Key> & Pick<Key, 'id'>): Promise<void> {
  const terms = { plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 } as const
  const key = keyOf({ ...terms, createdAtMs: START_MS, ...its })
  await store.keys.add(key, `hash of ${its.id}`, authorAt(START_MS))
}

/** The uploads that this process has open. */
export function keptUploads(): string[] {
  if (!existsSync('/proc/self/fd')) return []
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return '' // the folder itself
    }
  })
  return targets.filter((target) => target.includes('pets-upload-'))
}
