/**
 * The office in the test's own process, over a real store, with a clock that the test sets: all of it, with people who
 * sign in, or the routes of one screen alone, where nobody has left anything in the journal.
 */

import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import pino from 'pino'
import { systemClock } from '../../src/common/system-clock.ts'
import type { BanPolicy } from '../../src/contract/limits.ts'
import type { Counters } from '../../src/counters/counters.ts'
import { Access } from '../../src/domain/access.ts'
import { LedgerBuffer } from '../../src/domain/ledger.ts'
import { Metrics } from '../../src/http/metrics.ts'
import { RequestIds } from '../../src/http/request-id.ts'
import { StoreFailures } from '../../src/http/request-log.ts'
import type { Guard } from '../../src/office/guard.ts'
import { officeOnPort, setErrorHandlers } from '../../src/office/office.ts'
import { ReadTurns } from '../../src/office/routes/limits.ts'
import { type OfficeOptions, OfficeRefusal, type SignedIn } from '../../src/office/routes/routes.ts'
import { buildOperatorServer, SCHEMA_RULES } from '../../src/operator/server.ts'
import { databaseFile, openStore } from '../../src/store/open.ts'
import type { Role } from '../../src/store/people.ts'
import type { Key } from '../../src/store/rows.ts'
import { openSqlite } from '../../src/store/sqlite/store.ts'
import type { Store } from '../../src/store/store.ts'
import { workHere } from '../histories/in-this-thread.ts'
import { keptLog, START_MS } from './app.ts'
import { enterAtStore, PASSPHRASE, type SignedInClient } from './office-client.ts'
import { ownCounters } from './own-counters.ts'
import { authorAt, keyOf } from './store.ts'
import { clockAt, withSlowTimeouts } from './time/clock.ts'
import type { VirtualClock } from './time/virtual-clock.ts'

export const BODY_LIMIT = 65_536

interface OfficeSettings {
  /** The time that requests may take; without it the system's. */
  readonly clock?: VirtualClock

  readonly backups?: OfficeOptions['backups']
  readonly ban?: BanPolicy
}

interface Parts extends AsyncDisposable {
  readonly operatorUrl: string
  readonly store: Store
  readonly access: Access
  readonly metrics: Metrics
  readonly clock: { nowMs: number }
  /** Counts a request as the public port does. */
  readonly take: Counters['consume']
  /** What is wrong with the service, as the test says. */
  readonly troubles: string[]
  readonly log: () => string
}

export interface OfficeApp extends Parts {
  /** Of its open connections, the bytes that have arrived. */
  received(): number
  /** Somebody signed in: somebody new in this role, or again by a new link. */
  enter(name: string, role?: Role): Promise<SignedInClient>
}

export interface OfficeRoutes extends Parts {
  /** Ended for whom the test says so. */
  readonly session: { goesOn: boolean }
  /** Asks as Olga, an operator. */
  ask(method: 'GET' | 'POST', url: string, body?: object): Promise<Told>
}

interface Told {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by comparing it
  readonly body: any
}

/** All of the office on the operator port. The store of this database is opened and closed with it. */
export async function startOfficeApp(database: string, settings: OfficeSettings = {}): Promise<OfficeApp> {
  const { options, parts, close } = await openOffice(database, settings)
  const { store, clock } = options
  const server = buildOperatorServer({
    ...options,
    database: 'A',
    host: '127.0.0.1',
    isDraining: () => false,
    freeBytes: async () => undefined,
    tls: undefined,
    publishing: undefined,
    office: officeOnPort({
      ...options,
      get officeUrl() {
        return server.listeningOrigin
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
    received: () => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    enter: (name, role = 'manager') => enterAtStore({ operatorUrl }, store, clock, name, role),
    async [Symbol.asyncDispose]() {
      server.server.closeAllConnections()
      await server.close()
      await close()
    },
  }
}

/** The routes that `add` adds, on a bare server where everybody is signed in. */
export async function startRoutes(
  database: string,
  add: (server: FastifyInstance, options: OfficeOptions) => void,
  settings: OfficeSettings = {},
): Promise<OfficeRoutes> {
  const { options, parts, close } = await openOffice(database, settings)
  const session = { goesOn: true }
  const server = fastify({ ajv: SCHEMA_RULES })
  const person: SignedIn = { name: 'Olga', role: 'operator' }
  server.decorateRequest('person')
  const guard: Pick<Guard, 'assertSessionValid' | 'reauthenticate' | 'isStillAllowed'> = {
    async assertSessionValid() {
      if (!session.goesOn) throw new OfficeRefusal(401, 'signed_out', 'You are signed out.')
    },
    async reauthenticate(_request, passphrase) {
      if (passphrase !== PASSPHRASE) throw new OfficeRefusal(403, 'passphrase', 'The passphrase is wrong.')
    },
    isStillAllowed: async () => session.goesOn,
  }
  server.decorate('guard', guard as Guard)
  server.decorate('reads', new ReadTurns())
  server.addHook('onRequest', async (request: FastifyRequest) => {
    request.person = person
  })
  setErrorHandlers(server, options)
  add(server, { ...options, officeUrl: 'http://127.0.0.1:8081' })
  const operatorUrl = await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    ...parts,
    operatorUrl,
    session,
    async ask(method, url, body) {
      const { statusCode, payload } = await server.inject({ method, url, ...(body && { payload: body }) })
      return { status: statusCode, body: payload === '' ? undefined : JSON.parse(payload) }
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await close()
    },
  }
}

/** What the office needs, over a store that `close` closes. */
export async function openOffice(database: string, { backups, ban, clock: time }: OfficeSettings = {}) {
  const clock = time ?? { nowMs: START_MS }
  const now = clockAt(() => clock.nowMs)
  const file = databaseFile(database)
  const serving = { serving: true, clock: withSlowTimeouts(now) }
  const store: Store = await (file === undefined
    ? openStore(database, serving)
    : openSqlite(file, { ...serving, startThread: workHere({ ...systemClock, now: now.now }) }))
  const troubles: string[] = []
  // Without a bound on the wait: a machine that is busy does not make them local.
  const own = ownCounters(store, now)
  const counters: Counters = {
    consume: (subject, limits) => own.consume(subject, limits),
    peek: (subject, limits) => own.peek(subject, limits),
    unban: async (subject, untilMs) => (await own.unban(subject, untilMs)) ?? true,
    trouble: () => undefined,
    close: () => own.close(),
  }
  const access = new Access({
    store,
    counters,
    ledger: new LedgerBuffer({ store, clock: now, process: randomUUID() }),
    clock: now,
    ban,
    anonymousPerMinute: 60,
  })
  const metrics = new Metrics()
  const kept = keptLog()
  const log = pino(kept.into)
  return {
    options: {
      store,
      counters,
      access,
      metrics,
      clock: time ?? now,
      randomBytes,
      backups,
      bodyLimit: BODY_LIMIT,
      log,
      failures: new StoreFailures(log, now),
      troubles: () => troubles,
      certificate: { endsMs: undefined },
      baseUrl: 'http://127.0.0.1:8080/v1',
      trustProxy: () => false,
      requestIds: new RequestIds(
        () => 'req_made',
        () => false,
      ),
    },
    parts: { store, access, metrics, clock, take: counters.consume, troubles, log: kept.text },
    async close() {
      await access.close()
      await counters.close()
      await store.close()
    },
  }
}

/** Adds a key without a secret that anybody knows. */
export async function addKey(store: Store, its: Partial<Key> & Pick<Key, 'id'>): Promise<void> {
  const terms = { plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 } as const
  const key = keyOf({ ...terms, createdAtMs: START_MS, ...its })
  await store.keys.add(key, `hash of ${its.id}`, authorAt(START_MS))
}

/** The files without a name that this process holds open in the folder for temporary files. */
export function keptUploads(): string[] {
  if (!existsSync('/proc/self/fd')) return []
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return '' // that of the folder itself
    }
  })
  return targets.filter((target) => target.includes('pets-upload-'))
}
