/** Sends what a route throws as an OfficeError, whose message tells a person what to do. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { StoreFailures } from '../http/request-log.ts'
import { logFields } from '../operator/refusals.ts'
import { SessionEnded } from '../store/people.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { OfficeError } from './office-data.ts'
import { OfficeRefusal, signedOut } from './routes/routes.ts'

type Failure = FastifyError | OfficeRefusal | SessionEnded | StoreUnavailable

interface Told {
  readonly log: Logger
  readonly failures: StoreFailures
}

export function answerFailures(office: FastifyInstance, told: Told): void {
  office.setErrorHandler((error: Failure, request, reply) => answerFailure(error, request, reply, told))
}

function answerFailure(
  error: Failure,
  request: FastifyRequest,
  reply: FastifyReply,
  { log, failures }: Told,
): FastifyReply {
  if (error instanceof OfficeRefusal) {
    return reply
      .code(error.status)
      .headers(error.headers)
      .send({ ...errorOf(error.code, error.message), ...error.more })
  }
  if (error instanceof SessionEnded) {
    const { status, code, message } = signedOut()
    return reply.code(status).send(errorOf(code, message))
  }
  if (error instanceof StoreUnavailable) {
    failures.note(error, { ...logFields(request, reply), status: 503 })
    const outcome = error.outcome === 'unknown' ? ' What you did may have been done; look before you repeat it.' : ''
    const message = `The database does not answer at the moment; try again.${outcome}`
    return reply.code(503).header('Retry-After', error.retryAfterS).send(errorOf('unavailable', message))
  }
  // Fastify's own refusals, of the body or of parameters.
  const { statusCode } = error
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return reply.code(statusCode).send(errorOf('invalid', `The request is invalid: ${error.message}.`))
  }
  log.error({ ...logFields(request, reply), status: 500, err: error }, 'answered with an error')
  const message = `The office failed; when you report it, quote ${request.quotedId}, by which the log says why.`
  return reply.code(500).send(errorOf('internal_error', message))
}

export function errorOf(code: OfficeError['code'], message: string): OfficeError {
  return { code, message }
}
