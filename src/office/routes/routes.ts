/** Shared by the office's routes: options, authors, and adding a route of ../office-data.ts, which the guard checks. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../../common/clock.ts'
import type { Access } from '../../domain/access.ts'
import type { Issuer, RandomBytes } from '../../domain/keys.ts'
import type { OpenSession } from '../../domain/sign-in.ts'
import type { TrustProxy } from '../../http/client-address.ts'
import type { StoreFailures } from '../../http/request-log.ts'
import type { ReadFindings } from '../../operator/findings.ts'
import type { PublishingStatus } from '../../operator/prometheus.ts'
import type { Author } from '../../store/author.ts'
import type { Store } from '../../store/store.ts'
import {
  type BodyOf,
  type ParametersOf,
  type QueryOf,
  type ResponseOf,
  ROUTES,
  type RouteName,
} from '../office-data.ts'
import type { Route, Sent } from '../payloads/route.ts'
import { overloaded, unauthenticated } from './refusals.ts'

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<Pick<Route, 'role' | 'expectsUpload'>> {}
  interface FastifyRequest {
    session: OpenSession | undefined
  }
}

/** Both addresses might be known only once the ports listen: read them when needed, and do not copy this object. */
export interface OfficeOptions {
  readonly store: Store
  readonly access: Access
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  /** The API's base address as clients see it. */
  readonly baseUrl: string
  /** The office's base address as people see it, without a trailing slash. */
  readonly officeUrl: string
  readonly bodyLimit: number
  readonly trustProxy: TrustProxy
  readonly log: Logger
  readonly failures: StoreFailures
  readonly findings: ReadFindings
  /** The published public page; undefined if there is none. */
  readonly publishing: (Pick<PublishingStatus, 'failure' | 'lastSuccessMs'> & { readonly folder: string }) | undefined
}

/** Throws OfficeRefusal 401 if the session has ended. A route calls it after a wait of its own. */
export function assertSessionValid(request: FastifyRequest): Promise<void> {
  return request.server.guard.assertSessionValid(request)
}

/** Throws OfficeRefusal if the client has gone or the session has ended. */
export async function assertWanted(request: FastifyRequest): Promise<void> {
  const { destroyed, readableEnded } = request.raw.socket
  if (destroyed || readableEnded) throw overloaded()
  await assertSessionValid(request)
}

/** Yields the pieces of long output. `mayGoOn` runs before each and throws to stop. */
export async function* whileAllowed<T>(pieces: AsyncIterable<T>, mayGoOn: () => Promise<void>): AsyncIterable<T> {
  for await (const piece of pieces) {
    await mayGoOn()
    yield piece
  }
}

export function issuerOf(request: FastifyRequest, { store, clock, randomBytes }: OfficeOptions): Issuer {
  const { who, session } = authorOf(request, clock)
  return { store, clock, randomBytes, who, session }
}

/** Throws OfficeRefusal on a public route. */
export function sessionOf({ session }: FastifyRequest): OpenSession {
  if (session === undefined) throw unauthenticated()
  return session
}

export function authorOf(request: FastifyRequest, clock: Clock): Author {
  const { person, hash } = sessionOf(request)
  return { who: person.name, session: hash, atMs: clock.now() }
}

export function toSent<T extends object>(record: T): Sent<T> {
  const wireValue = (value: unknown) => (typeof value === 'bigint' ? value.toString() : (value ?? null))
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, wireValue(value)])) as Sent<T>
}

type Handler<Name extends RouteName> = (
  request: FastifyRequest<{ Params: ParametersOf<Name>; Querystring: QueryOf<Name>; Body: BodyOf<Name> }>,
  reply: FastifyReply,
) => Promise<ResponseOf<Name> | FastifyReply>

export function addRoute<Name extends RouteName>(
  server: FastifyInstance,
  name: Name,
  ...rest: [Handler<Name>] | [Pick<RouteOptions, 'bodyLimit' | 'exposeHeadRoute'>, Handler<Name>]
): void {
  const [options, handler] = rest.length === 2 ? rest : [{}, ...rest]
  const { role, query, body, expectsUpload }: Route = ROUTES[name]
  const [method = '', url = ''] = name.split(' ')
  server.route({
    ...options,
    method,
    url,
    config: { role, ...(expectsUpload && { expectsUpload }) },
    // A page of another version might send other members: refuse it as a whole.
    schema: { ...(query && { querystring: query }), ...(body && { body: { ...body, additionalProperties: false } }) },
    handler: handler as RouteHandlerMethod,
  })
}
