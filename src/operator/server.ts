/**
 * The operator port: whether the process is alive and ready, its metrics, and the office. Never expose it to
 * clients. A request must name this machine as its Host: otherwise a web page whose own name points to this port (DNS
 * rebinding) could read everything here through an operator's browser.
 */
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../common/clock.ts'
import type { Access } from '../domain/access.ts'
import type { Metrics } from '../http/metrics.ts'
import type { RequestIds } from '../http/request-id.ts'
import type { Counters, Store } from '../store/store.ts'
import { addOffice } from './office/office.ts'
import type { OfficeOptions } from './office/routes.ts'
import { type BackupStatus, buildRegistry } from './prometheus.ts'
import { addRefusals, refusalOptions } from './refusals.ts'

export interface OperatorOptions {
  readonly store: Store
  readonly counters: Counters
  readonly access: Access
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Logger
  readonly requestIds: RequestIds
  /** The address or name that the port listens on. */
  readonly host: string
  readonly backups: BackupStatus | undefined
  readonly isDraining: () => boolean
  /** With a certificate the port speaks HTTPS. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  /** Undefined if the port answers probes and scrapers only. */
  readonly office: OfficeOptions | undefined
}

/** How long a request may take to arrive: its headers, and all of it, which may be a file to import. */
const HEADERS_MS = 10_000
const REQUEST_MS = 120_000

export function buildOperatorServer(options: OperatorOptions): FastifyInstance {
  const { store, counters, isDraining, tls, office, log, requestIds } = options
  const server: FastifyInstance = fastify({
    logger: false,
    // A number is no text: as JSON it may have lost digits.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    // The longest name of a person, in the percent-encoding of a path.
    routerOptions: { maxParamLength: 1_000 },
    requestTimeout: REQUEST_MS,
    ...refusalOptions(requestIds),
    ...(tls === undefined
      ? { http: { headersTimeout: HEADERS_MS } }
      : { https: { ...tls, headersTimeout: HEADERS_MS } }),
  })
  const registry = buildRegistry(options)
  // A client that has sent all it had to say may close its side at once, and still gets its answers. Not in node's types.
  Object.assign(server.server, { httpAllowHalfOpen: true })
  const names = new Set(['localhost', hostname().toLowerCase(), options.host.toLowerCase()])

  addRefusals(server, requestIds, log)
  server.addHook('onRequest', async (request, reply) => {
    if (isOwnHost(request.headers.host, names, office?.officeUrl)) return
    return reply.code(421).send({ status: 'the Host header must be an IP address or a name of this machine' })
  })

  server.get('/livez', () => ({ status: 'alive' }))

  /**
   * Ready while the store answers. Trouble with the counters is reported but does not matter here: other nodes have it
   * too.
   */
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

  if (office !== undefined) addOffice(server, office)
  else server.setNotFoundHandler((_request, reply) => reply.code(404).send({ status: 'there is nothing here' }))

  return server
}

/** An IP address cannot be rebound; a name must be one of ours. A client that sends no Host is not a browser. */
function isOwnHost(host: string | undefined, names: ReadonlySet<string>, officeUrl: string | undefined): boolean {
  if (host === undefined) return true
  const name = host.toLowerCase().replace(/:\d*$/, '')
  if (officeUrl !== undefined && name === new URL(officeUrl).hostname) return true
  return names.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
}
