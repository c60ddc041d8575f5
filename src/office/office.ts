/** The office in a browser: the guard, the routes, the page, and refusals as OfficeError. Its files are public. */
import cookie from '@fastify/cookie'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Assets, contentSecurityPolicy, STRICT_TRANSPORT_SECURITY } from '../assets/assets.ts'
import { turnQueue } from '../common/turn-queue.ts'
import { NameRefused } from '../domain/people.ts'
import { SignIn } from '../domain/sign-in.ts'
import type { StoreFailures } from '../http/request-log.ts'
import { addNotFoundHandler, logFields } from '../operator/error-responses.ts'
import { addOfficeHooks } from '../operator/hooks.ts'
import type { OfficeOnPort } from '../operator/server.ts'
import { SessionEnded } from '../store/people.ts'
import { StoreUnavailable } from '../store/store.ts'
import { Guard } from './guard.ts'
import type { OfficeError } from './office-data.ts'
import { addActRoutes } from './routes/act-routes.ts'
import { addAnimalRoutes } from './routes/animal-routes.ts'
import { addCategoryRoutes } from './routes/category-routes.ts'
import { addDashboardRoutes } from './routes/dashboard-routes.ts'
import { addExportRoutes } from './routes/export-routes.ts'
import { addImportRoutes } from './routes/import-routes.ts'
import { addJournalRoutes, addReportRoutes } from './routes/journal-routes.ts'
import { addKeyRoutes } from './routes/key-routes.ts'
import { compressLists, limitBodies, limitResponses, ReadTurns } from './routes/limits.ts'
import { addPeopleRoutes } from './routes/people-routes.ts'
import { OfficeRefusal, unauthenticated, wrongMember } from './routes/refusals.ts'
import { addRoute, type OfficeOptions, sessionOf } from './routes/routes.ts'
import { addSessionRoutes, wrongPassphrases } from './routes/session-routes.ts'
import { addSettingsRoutes } from './routes/settings-routes.ts'
import { throttledLog, type WriteLine } from './routes/throttled-log.ts'

/** In UTF-16 units. Parsing this much takes less than 0.1 ms. */
const SHORT_BODY = 8_192

/** Characters logged of an error in the page. */
const STACK_LENGTH = 4_000

const RELOAD = 'Reload the page: it might be from another version of the service.'

export function officeOnPort(options: OfficeOptions): OfficeOnPort {
  return {
    get officeUrl() {
      return options.officeUrl
    },
    trustProxy: options.trustProxy,
    addTo: (server) => addOffice(server, options),
  }
}

/** Adds the office to the operator port. Long work of a request waits for its own turn of the event loop. */
export function addOffice(server: FastifyInstance, options: OfficeOptions): void {
  server.register(async (office) => {
    await office.register(cookie)
    const { store, clock, randomBytes, log } = options
    const signIn = new SignIn({ store, clock, randomBytes, onWrong: wrongPassphrases(throttledLog(clock, log)) })
    const guard = new Guard(options, signIn)
    office.decorate('guard', guard)
    office.decorate('reads', new ReadTurns())
    office.decorateRequest('session', undefined)
    office.setErrorHandler((error: Failure, request, reply) => answerFailure(error, request, reply, options))
    // A request can declare JSON without a body.
    const parse = office.getDefaultJsonParser('error', 'error')
    const inTurn = turnQueue()
    office.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
      if (body === '') done(null, undefined)
      else if (body.length < SHORT_BODY) parse(request, body, done)
      else inTurn(() => parse(request, body, done))
    })
    addOfficeHooks(office, {
      async checkSession(request, reply) {
        reply.header('Cache-Control', 'no-store').header('X-Content-Type-Options', 'nosniff')
        if (options.officeUrl.startsWith('https:')) reply.header(...STRICT_TRANSPORT_SECURITY)
        await guard.check(request)
      },
      refuseUnknown: addNotFoundHandler(office, (reply) =>
        reply.code(404).send(errorOf('not_found', `There is nothing here. ${RELOAD}`)),
      ),
      limitBody: limitBodies(clock),
      async checkSessionAgain(request) {
        if (request.method !== 'GET' && request.method !== 'HEAD') await guard.assertSessionValid(request)
      },
      awaitTurn: (_request, _reply, done) => inTurn(done),
      compress: compressLists,
      limitMemory: limitResponses(),
    })
    addPageRoutes(office, throttledLog(clock, log))
    addSessionRoutes(office, options, signIn)
    for (const addRoutes of ROUTES) addRoutes(office, options)
  })
}

const ROUTES = [
  ...[addActRoutes, addAnimalRoutes, addCategoryRoutes, addSettingsRoutes, addImportRoutes, addExportRoutes],
  ...[addPeopleRoutes, addKeyRoutes, addJournalRoutes, addReportRoutes, addDashboardRoutes],
]

type Failure = FastifyError | OfficeRefusal | NameRefused | SessionEnded | StoreUnavailable

interface ErrorReporting {
  readonly log: Logger
  readonly failures: StoreFailures
}

function answerFailure(
  error: Failure,
  request: FastifyRequest,
  reply: FastifyReply,
  { log, failures }: ErrorReporting,
): FastifyReply {
  if (error instanceof SessionEnded) return answerFailure(unauthenticated(), request, reply, { log, failures })
  if (error instanceof OfficeRefusal) {
    return reply
      .code(error.status)
      .headers(error.headers)
      .send({ ...errorOf(error.code, error.message), ...error.more })
  }
  if (error instanceof NameRefused) {
    const refusal = wrongMember('name', error.message, error.isTaken ? [409, 'conflict'] : undefined)
    return answerFailure(refusal, request, reply, { log, failures })
  }
  if (error instanceof StoreUnavailable) {
    failures.record(error, { ...logFields(request, reply), status: 503 })
    const advice =
      error.outcome === 'unknown'
        ? ' What you did might or might not have been done. Check before you try again.'
        : ' Try again.'
    const message = `The database is not responding.${advice}`
    return reply.code(503).header('Retry-After', error.retryAfterS).send(errorOf('unavailable', message))
  }
  // Fastify's own refusals of the body or of parameters.
  const { statusCode } = error
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    const advice = 'validation' in error ? ` ${RELOAD}` : ''
    return reply.code(statusCode).send(errorOf('invalid', `The request is invalid: ${error.message}.${advice}`))
  }
  log.error({ ...logFields(request, reply), status: 500, err: error }, 'office request failed')
  const message = `Something went wrong. If you report this, quote ${request.quotedId}: the log says why under that ID.`
  return reply.code(500).send(errorOf('internal_error', message))
}

function errorOf(code: OfficeError['code'], message: string): OfficeError {
  return { code, message }
}

function addPageRoutes(server: FastifyInstance, write: WriteLine): void {
  const assets = new Assets(
    { '/': { page: 'src/office/page', at: 'office/' }, '/office/icon.svg': { file: 'src/assets/icon.svg' } },
    contentSecurityPolicy(),
  )
  for (const path of ['/', '/office/:name']) {
    server.get(path, { config: { role: 'public' } }, async (request, reply) => {
      const [path = ''] = request.url.split('?')
      const file = assets.has(path) ? await assets.get(path, request.headers) : undefined
      if (file === undefined) return reply.callNotFound()
      const { status, body, contentType, headers } = file
      for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] ?? '', headers[i + 1])
      return status === 304 ? reply.code(304).send() : reply.type(contentType).send(body)
    })
  }
  addRoute(server, 'POST /api/failure', async (request, reply) => {
    const { screen, stack } = request.body
    const { name } = sessionOf(request).person
    write('error', { name, screen, stack: stack.slice(0, STACK_LENGTH) }, 'office page failed in the browser')
    return reply.code(204).send()
  })
}
