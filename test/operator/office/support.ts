/** The office's routes on a bare server over a real store: everybody is signed in as the person whom the test names. */
import { randomBytes } from 'node:crypto'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import pino from 'pino'
import type { BanPolicy } from '../../../src/contract/limits.ts'
import type { Plan } from '../../../src/contract/plans.ts'
import { Access } from '../../../src/domain/access.ts'
import { Metrics } from '../../../src/http/metrics.ts'
import type { Guard } from '../../../src/operator/office/guard.ts'
import { type OfficeOptions, OfficeRefusal, type SignedIn } from '../../../src/operator/office/routes.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Key } from '../../../src/store/rows.ts'
import type { Counters, Store } from '../../../src/store/store.ts'
import { START_MS } from '../../support/app.ts'
import { authorAt } from '../../support/author.ts'

export const PASSPHRASE = 'correct horse battery'

export interface Office extends AsyncDisposable {
  readonly server: FastifyInstance
  readonly store: Store
  readonly access: Access
  readonly metrics: Metrics
  readonly clock: { nowMs: number }
  /** Ended for whom the test says so. */
  readonly session: { goesOn: boolean }
  /** What the counters say of themselves. */
  readonly trouble: { counters: string | undefined }
  ask(method: 'GET' | 'POST', url: string, body?: object): Promise<Told>
}

export interface Told {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by comparing it
  readonly body: any
}

export interface OfficeSettings {
  readonly backups?: OfficeOptions['backups']
  readonly port?: number
  readonly ban?: BanPolicy
  /** Where its clock starts. */
  readonly nowMs?: number
}

/** `add` adds the routes. The office listens on a free port, or on `port`. */
export async function startOffice(
  database: string,
  add: (server: FastifyInstance, options: OfficeOptions) => void,
  { backups, port = 0, nowMs = START_MS, ban }: OfficeSettings = {},
): Promise<Office> {
  const clock = { nowMs }
  const now = () => clock.nowMs
  const session = { goesOn: true }
  const store = await openStore(database, { serving: true })
  const trouble: Office['trouble'] = { counters: undefined }
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
  add(server, {
    ...{ store, counters, access, metrics, clock: now, randomBytes, backups, bodyLimit: 65_536 },
    baseUrl: 'http://127.0.0.1:8080/v1',
    officeUrl: 'http://127.0.0.1:8081',
    trustProxy: () => false,
    log: pino({ level: 'silent' }),
  })
  await server.listen({ host: '127.0.0.1', port })
  return {
    ...{ server, store, access, metrics, clock, session, trouble },
    async ask(method, url, body) {
      const { statusCode, payload } = await server.inject({ method, url, ...(body && { payload: body }) })
      return { status: statusCode, body: payload === '' ? undefined : JSON.parse(payload) }
    },
    async [Symbol.asyncDispose]() {
      await server.close()
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
