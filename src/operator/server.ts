/** The operator port: whether the process lives, whether it can answer, and its numbers, also as a page. Never exposed to clients. */
import fastify, { type FastifyInstance } from 'fastify'
import type { Clock } from '../common/clock.ts'
import type { Access } from '../domain/access.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Counters, Store } from '../store/store.ts'
import { addDashboard } from './dashboard.ts'
import { type BackupStatus, buildRegistry } from './prometheus.ts'

export interface OperatorOptions {
  readonly store: Store
  readonly counters: Counters
  readonly access: Access
  readonly metrics: Metrics
  readonly clock: Clock
  readonly backups: BackupStatus | undefined
  readonly isDraining: () => boolean
}

export function buildOperatorServer(options: OperatorOptions): FastifyInstance {
  const { store, counters, isDraining } = options
  const server = fastify({ logger: false })
  const registry = buildRegistry(options)

  server.get('/livez', () => ({ status: 'alive' }))

  /** Ready while the store answers; trouble with counters is told, but other nodes would fare no better. */
  server.get('/readyz', async (_request, reply) => {
    if (isDraining()) return reply.code(503).send({ status: 'shutting down' })
    try {
      await store.ping()
    } catch {
      return reply.code(503).send({ status: 'the database does not answer' })
    }
    const trouble = counters.trouble()
    return trouble === undefined ? { status: 'ready' } : { status: 'ready', trouble }
  })

  server.get('/metrics', async (_request, reply) => {
    reply.type(registry.contentType)
    return registry.metrics()
  })

  addDashboard(server, options)

  return server
}
