/**
 * The office: the operator's side in a browser. Puts the guard before the routes, sends failures as OfficeError, and
 * adds the page. The operator port's other routes are outside of it and open.
 */
import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { STRICT_TRANSPORT } from '../assets/assets.ts'
import { Turns } from '../common/turns.ts'
import { SignIn } from '../domain/sign-in.ts'
import { answerUnknown } from '../operator/refusals.ts'
import type { OfficeOnPort } from '../operator/server.ts'
import { answerFailures, errorOf } from './failures.ts'
import { Guard } from './guard.ts'
import { addPageRoutes } from './page.ts'
import { addAnimalRoutes } from './routes/animal-routes.ts'
import { boundResponses, compressLists } from './routes/answers.ts'
import { boundBodies } from './routes/bodies.ts'
import { addCategoryRoutes, addWordRoutes } from './routes/category-routes.ts'
import { addDashboardRoutes } from './routes/dashboard-routes.ts'
import { addExportRoutes } from './routes/export-routes.ts'
import { addImportRoutes } from './routes/import-routes.ts'
import { addJournalRoutes } from './routes/journal-routes.ts'
import { addKeyRoutes } from './routes/key-routes.ts'
import { addPeopleRoutes } from './routes/people-routes.ts'
import { addReportRoutes } from './routes/report-routes.ts'
import type { OfficeOptions } from './routes/routes.ts'
import { addSessionRoutes } from './routes/session-routes.ts'
import { wrongPassphrases } from './routes/wrong-passphrases.ts'

/** In UTF-16 units. Parsing this much takes less than 0.1 ms. */
const SHORT_BODY = 8_192

/** The office as the operator port takes it. */
export function officeOnPort(options: OfficeOptions): OfficeOnPort {
  return {
    get officeUrl() {
      return options.officeUrl
    },
    trustProxy: options.trustProxy,
    addTo: (server) => addOffice(server, options),
  }
}

/** Adds the office to the operator port. Longer work of a request gets a turn of the event loop of its own. */
export function addOffice(server: FastifyInstance, options: OfficeOptions): void {
  server.register(async (office) => {
    await office.register(cookie)
    const { store, clock, randomBytes, log } = options
    const signIn = new SignIn({ store, clock, randomBytes, onWrong: wrongPassphrases(clock, log) })
    const guard = new Guard(options, signIn)
    office.decorate('guard', guard)
    office.decorateRequest('person', undefined)
    office.decorateRequest('session', undefined)
    office.addHook('onRequest', async (request, reply) => {
      reply.header('Cache-Control', 'no-store').header('X-Content-Type-Options', 'nosniff')
      if (options.officeUrl.startsWith('https:')) reply.header(...STRICT_TRANSPORT)
      await guard.check(request)
    })
    // The body may arrive long after the head: check the session again.
    office.addHook('preValidation', async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') await guard.assertSession(request)
    })
    answerFailures(office, options)
    answerUnknown(office, (reply) => reply.code(404).send(errorOf('not_found', 'There is nothing here.')))
    boundBodies(office, clock, options.bodyTimes)
    // A request may declare JSON and have no body.
    const parse = office.getDefaultJsonParser('error', 'error')
    const turns = new Turns()
    office.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
      if (body === '') done(null, undefined)
      else if (body.length < SHORT_BODY) parse(request, body, done)
      else turns.add(() => parse(request, body, done))
    })
    office.addHook('preHandler', (_request, _reply, done) => turns.add(done))
    compressLists(office)
    boundResponses(office)
    addPageRoutes(office)
    addSessionRoutes(office, options, signIn)
    addAnimalRoutes(office, options)
    addCategoryRoutes(office, options)
    addWordRoutes(office, options)
    addImportRoutes(office, options)
    addExportRoutes(office, options)
    addPeopleRoutes(office, options)
    addKeyRoutes(office, options)
    addJournalRoutes(office, options)
    addReportRoutes(office, options)
    addDashboardRoutes(office, options)
  })
}
