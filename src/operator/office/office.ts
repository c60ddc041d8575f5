/**
 * The office: the operator's side in a browser. Puts the guard before its routes, turns failures into OfficeError, and adds the
 * page. The other routes of the operator port are outside of it and stay open.
 */
import cookie from '@fastify/cookie'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SignIn } from '../../domain/sign-in.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { OfficeError } from '../office-data.ts'
import { describe } from '../refusals.ts'
import { addAnimalRoutes } from './animal-routes.ts'
import { addCategoryRoutes } from './category-routes.ts'
import { compressLists } from './compress.ts'
import { addDashboardRoutes } from './dashboard-routes.ts'
import { addExportRoutes } from './export-routes.ts'
import { Guard } from './guard.ts'
import { addImportRoutes } from './import-routes.ts'
import { addJournalRoutes } from './journal-routes.ts'
import { addKeyRoutes } from './key-routes.ts'
import { addPageRoutes } from './page.ts'
import { addPeopleRoutes } from './people-routes.ts'
import { type OfficeOptions, OfficeRefusal } from './routes.ts'
import { addSessionRoutes } from './session-routes.ts'

/** Adds the office to the operator port. */
export function addOffice(server: FastifyInstance, options: OfficeOptions): void {
  server.register(async (office) => {
    await office.register(cookie)
    const signIn = new SignIn(options)
    const guard = new Guard(options, signIn)
    office.decorate('guard', guard)
    office.decorateRequest('person', undefined)
    office.decorateRequest('session', undefined)
    office.addHook('onRequest', async (request, reply) => {
      reply.header('Cache-Control', 'no-store').header('X-Content-Type-Options', 'nosniff')
      await guard.check(request)
    })
    office.setErrorHandler((error: Failure, request, reply) => answerFailure(error, request, reply, options))
    office.setNotFoundHandler((_request, reply) => reply.code(404).send(errorOf('not_found', 'There is nothing here.')))
    // A request whose body is declared as JSON may have none.
    const parse = office.getDefaultJsonParser('error', 'error')
    office.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
      if (body === '') done(null, undefined)
      else parse(request, body, done)
    })
    compressLists(office)
    addPageRoutes(office)
    addSessionRoutes(office, options, signIn)
    addAnimalRoutes(office, options)
    addCategoryRoutes(office, options)
    addImportRoutes(office, options)
    addExportRoutes(office, options)
    addPeopleRoutes(office, options)
    addKeyRoutes(office, options)
    addJournalRoutes(office, options)
    addDashboardRoutes(office, options)
  })
}

type Failure = FastifyError | OfficeRefusal | StoreUnavailable

function answerFailure(
  error: Failure,
  request: FastifyRequest,
  reply: FastifyReply,
  { log }: OfficeOptions,
): FastifyReply {
  if (error instanceof OfficeRefusal) {
    return reply
      .code(error.status)
      .headers(error.headers)
      .send({ ...errorOf(error.code, error.message), ...error.more })
  }
  if (error instanceof StoreUnavailable) {
    const outcome = error.outcome === 'unknown' ? ' What you did may have been done; look before you repeat it.' : ''
    const message = `The database does not answer at the moment; try again.${outcome}`
    return reply.code(503).header('Retry-After', error.retryAfterS).send(errorOf('unavailable', message))
  }
  // What Fastify found wrong with the request: its body, its parameters.
  const { statusCode } = error
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return reply.code(statusCode).send(errorOf('invalid', `The request is invalid: ${error.message}.`))
  }
  log.error({ ...describe(request), status: 500, err: error }, 'answered with an error')
  const message = `The office failed; when you report it, quote ${request.quotedId}, by which the log says why.`
  return reply.code(500).send(errorOf('internal_error', message))
}

function errorOf(code: OfficeError['code'], message: string): OfficeError {
  return { code, message }
}
