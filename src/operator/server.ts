/** The operator port. Its Host header must name this machine: by DNS rebinding a web page could read everything. */
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import ajvCompiler from '@fastify/ajv-compiler'
import fastify, { type FastifyInstance, type FastifySchema, type FastifySchemaCompiler } from 'fastify'
import type { Logger } from 'pino'
import type { TrustProxy } from '../http/client-address.ts'
import type { IdOf } from '../http/request-id.ts'
import { limitConnections, noteRequest } from './connections.ts'
import {
  addErrorHandler,
  addNotFoundHandler,
  checkProtocol,
  errorOptions,
  failureLog,
  nameFailure,
} from './error-responses.ts'
import type { ReadFindings } from './findings.ts'
import { addPortHooks } from './hooks.ts'
import { buildRegistry, type RegistryOptions } from './prometheus.ts'

export interface OfficeOnPort {
  readonly officeUrl: string
  readonly trustProxy: TrustProxy
  readonly addTo: (server: FastifyInstance) => void
}

export interface OperatorOptions extends RegistryOptions {
  readonly log: Logger
  readonly idOf: IdOf
  readonly host: string
  /** Commands compare it with their own database. */
  readonly database: string
  readonly findings: ReadFindings
  readonly isDraining: () => boolean
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly office: OfficeOnPort | undefined
}

const HEADERS_MS = 10_000
/** Some routes of the office set a higher limit. */
const BODY_BYTES = 8_192

/** Types are not coerced: a number as text might have lost digits in JSON. */
const SCHEMA_RULES = { customOptions: { coerceTypes: false, removeAdditional: false } } as const

const compilers = ajvCompiler()

/** Compiles a schema when the first request needs it. All together would take 25 ms of a start and 4 MB. */
const compileLate: FastifySchemaCompiler<FastifySchema> = (route) => {
  let validate: ReturnType<typeof compileLate> | undefined
  return (data) => {
    validate ??= compilers({}, SCHEMA_RULES)(route) as ReturnType<typeof compileLate>
    return validate(data) || { error: validate.errors ?? [] }
  }
}

export function buildOperatorServer(options: OperatorOptions): FastifyInstance {
  const { database, findings, clock, isDraining, tls, office, log, idOf } = options
  const trustProxy = office?.trustProxy ?? (() => false)
  const server: FastifyInstance = fastify({
    logger: false,
    // The longest name of a person, percent-encoded.
    routerOptions: { maxParamLength: 1_000 },
    bodyLimit: BODY_BYTES,
    ...errorOptions(idOf, log, trustProxy, clock),
    ...(tls === undefined
      ? { http: { headersTimeout: HEADERS_MS } }
      : { https: { ...tls, headersTimeout: HEADERS_MS } }),
  })
  const registry = buildRegistry(options)
  // A client that closes its sending side still gets its responses. Not in Node's types.
  Object.assign(server.server, { httpAllowHalfOpen: true })
  const names = new Set(['localhost', hostname().toLowerCase(), options.host.toLowerCase()])

  server.setValidatorCompiler(compileLate)
  addErrorHandler(server, idOf, log)
  addPortHooks(server, {
    checkProtocol,
    ...limitConnections(server, clock),
    async checkHost(request, reply) {
      if (isOwnHost(request.headers.host, names, office?.officeUrl)) return
      const at = office === undefined ? '' : `; the office is at ${office.officeUrl}/`
      return reply.code(421).send({ status: `the Host header must be an IP address or a name of this machine${at}` })
    },
    noteRequest,
    nameFailure,
    logFailure: failureLog(log, trustProxy),
  })

  server.get('/livez', () => ({ status: 'alive' }))

  /** Fails only if this process cannot serve: other problems affect other nodes too. */
  server.get('/readyz', async (_request, reply) => {
    if (isDraining()) return reply.code(503).send({ status: 'shutting down', database, findings: [] })
    const all = await findings()
    const isReady = !all.some(({ kind }) => kind === 'cannot serve')
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', database, findings: all })
  })

  server.get('/metrics', async (_request, reply) => {
    reply.type(registry.contentType)
    return registry.metrics()
  })

  if (office !== undefined) office.addTo(server)
  else {
    const refuseUnknown = addNotFoundHandler(server, (reply) =>
      reply.code(404).send({ status: 'there is nothing here' }),
    )
    server.addHook('preParsing', refuseUnknown)
  }

  return server
}

/** An IP address cannot be rebound. A client without Host is not a browser. */
function isOwnHost(host: string | undefined, names: ReadonlySet<string>, officeUrl: string | undefined): boolean {
  if (host === undefined) return true
  const name = host.toLowerCase().replace(/:\d*$/, '')
  if (officeUrl !== undefined && name === new URL(officeUrl).hostname) return true
  return names.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
}
