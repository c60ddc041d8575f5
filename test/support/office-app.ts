/**
 * The office in the test's own process, over a real store, with a clock that the test sets: all of it, with people who sign in, or
 * the routes of one screen alone, where nobody has left anything in the journal.
 */
import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import pino from 'pino'
import type { BanPolicy } from '../../src/contract/limits.ts'
import type { Plan } from '../../src/contract/plans.ts'
import { Access } from '../../src/domain/access.ts'
import { invitePerson } from '../../src/domain/people.ts'
import { Metrics } from '../../src/http/metrics.ts'
import { RequestIds } from '../../src/http/request-id.ts'
import type { Guard } from '../../src/operator/office/guard.ts'
import { type OfficeOptions, OfficeRefusal, type SignedIn } from '../../src/operator/office/routes.ts'
import { buildOperatorServer } from '../../src/operator/server.ts'
import { openStore } from '../../src/store/open.ts'
import type { Role } from '../../src/store/people.ts'
import type { Key } from '../../src/store/rows.ts'
import type { Counters, Store } from '../../src/store/store.ts'
import { START_MS } from './app.ts'
import { authorAt } from './author.ts'
import { accept, PASSPHRASE, type SignedInClient } from './office-client.ts'

export const BODY_LIMIT = 65_536

export interface OfficeSettings {
  readonly backups?: OfficeOptions['backups']
  /** A free one, unless told. */
  readonly port?: number
  readonly ban?: BanPolicy
  /** Where its clock starts. */
  readonly nowMs?: number
}

interface Parts extends AsyncDisposable {
  readonly operatorUrl: string
  readonly store: Store
  readonly access: Access
  readonly metrics: Metrics
  readonly clock: { nowMs: number }
  /** What the counters say of themselves. */
  readonly trouble: { counters: string | undefined }
  readonly log: () => string
}

export interface OfficeApp extends Parts {
  /** Somebody new, signed in. */
  enter(name: string, role?: Role): Promise<SignedInClient>
}

export interface OfficeRoutes extends Parts {
  /** Ended for whom the test says so. */
  readonly session: { goesOn: boolean }
  /** Asks as Olga, an operator. */
  ask(method: 'GET' | 'POST', url: string, body?: object): Promise<Told>
}

export interface Told {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by comparing it
  readonly body: any
}

/** All of the office on the operator port. The store of this database is opened and closed with it. */
export async function startOfficeApp(database: string, settings: OfficeSettings = {}): Promise<OfficeApp> {
  const { options, parts, close } = await open(database, settings)
  const { store, clock } = options
  const server = buildOperatorServer({
    ...{ ...options, host: '127.0.0.1', isDraining: () => false, tls: undefined },
    office: {
      ...options,
      get officeUrl() {
        return server.listeningOrigin
      },
    },
  })
  const operatorUrl = await server.listen({ host: '127.0.0.1', port: settings.port ?? 0 })
  return {
    ...{ ...parts, operatorUrl },
    async enter(name, role = 'manager') {
      const { invited } = await invitePerson({ store, clock, randomBytes, who: 'a test' }, { name, role })
      return accept({ operatorUrl }, invited.secret)
    },
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
  const { options, parts, close } = await open(database, settings)
  const session = { goesOn: true }
  const server = fastify()
  const person: SignedIn = { name: 'Olga', role: 'operator' }
  server.decorateRequest('person')
  const guard: Pick<Guard, 'confirm' | 'lasts'> = {
    async confirm(_request, passphrase) {
      if (passphrase !== PASSPHRASE) throw new OfficeRefusal(403, 'passphrase', 'The passphrase is wrong.')
    },
    lasts: async () => session.goesOn,
  }
  server.decorate('guard', guard as Guard)
  server.addHook('onRequest', async (request: FastifyRequest) => {
    request.person = person
  })
  server.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof OfficeRefusal)) throw error
    return reply.code(error.status).send({ code: error.code, message: error.message, ...error.more })
  })
  add(server, { ...options, officeUrl: 'http://127.0.0.1:8081' })
  const operatorUrl = await server.listen({ host: '127.0.0.1', port: settings.port ?? 0 })
  return {
    ...{ ...parts, operatorUrl, session },
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

async function open(database: string, { backups, nowMs = START_MS, ban }: OfficeSettings) {
  const clock = { nowMs }
  const now = () => clock.nowMs
  const store = await openStore(database, { serving: true })
  const trouble: Parts['trouble'] = { counters: undefined }
  // Without a bound on the wait: a machine that is busy does not make them local.
  const own = store.counters(now)
  const counters: Counters = {
    take: (subject, limits) => own.take(subject, limits),
    peek: (subject, limits) => own.peek(subject, limits),
    trouble: () => trouble.counters,
    close: () => own.close(),
  }
  const access = new Access({ keys: store.keys, counters, clock: now, ban, anonymousPerMinute: 60 })
  const metrics = new Metrics()
  let written = ''
  const into = new Writable({
    write(chunk, _encoding, done) {
      written += chunk
      done()
    },
  })
  return {
    options: {
      ...{ store, counters, access, metrics, clock: now, randomBytes, backups, bodyLimit: BODY_LIMIT, log: pino(into) },
      ...{ baseUrl: 'http://127.0.0.1:8080/v1', trustProxy: () => false },
      requestIds: new RequestIds(
        () => 'req_made',
        () => false,
      ),
    },
    parts: { store, access, metrics, clock, trouble, log: () => written },
    async close() {
      await access.close()
      await counters.close()
      await store.close()
    },
  }
}

/** Adds a key without a secret that anybody knows. */
export async function addKey(store: Store, its: Partial<Key> & Pick<Key, 'id'>): Promise<void> {
  const plan: Plan = 'enterprise'
  const key: Key = {
    ...{ lineage: its.id, plan, perMinute: 1_000_000, perDay: 1_000_000, label: '', createdAtMs: START_MS },
    ...{ expiresAtMs: undefined, revokedAtMs: undefined, lastUsedAtMs: undefined },
    ...its,
  }
  await store.keys.add(key, `hash of ${its.id}`, authorAt(START_MS))
}
