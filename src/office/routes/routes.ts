/**
 * Shared by the office's routes: their options, the author of a request, and how one is added. Each screen has a file
 * of routes, which exports `add…Routes(server, options)`; ../office-data.ts declares them all, with their roles. When a
 * handler runs, the guard has checked session, role, origin and token.
 */
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
    /** Of the person signed in; undefined on public routes. */
    session: OpenSession | undefined
  }
}

/** The two addresses may be known only once the ports listen: read them when needed, and do not copy this object. */
export interface OfficeOptions {
  readonly store: Store
  readonly access: Access
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  /** The base address of the interface as clients see it. */
  readonly baseUrl: string
  /** The base address of the office as people see it, without a trailing slash. */
  readonly officeUrl: string
  /** The largest row of an imported file, in bytes. */
  readonly bodyLimit: number
  /** The proxies that may say from which address a request comes. */
  readonly trustProxy: TrustProxy
  readonly log: Logger
  readonly failures: StoreFailures
  /** What is wrong at the moment, as sentences. */
  readonly findings: ReadFindings
  /** The public page that the service keeps up to date; undefined if it keeps none. */
  readonly publishing: (Pick<PublishingStatus, 'failure' | 'lastSuccessMs'> & { readonly folder: string }) | undefined
}

/**
 * Throws the OfficeRefusal 401 if the request's session has ended. The guard calls it before the body is read and when
 * it has arrived; a route calls it after each wait of its own. A write checks once more in its transaction (Author).
 */
export function assertSessionValid(request: FastifyRequest): Promise<void> {
  return request.server.guard.assertSessionValid(request)
}

/**
 * After a wait before something long. Throws OfficeRefusal if the client has hung up, or the session has ended. A browser
 * that aborts a request closes the connection, which stays half open for others (operator/server.ts).
 */
export async function assertWanted(request: FastifyRequest): Promise<void> {
  const { destroyed, readableEnded } = request.raw.socket
  if (destroyed || readableEnded) throw overloaded()
  await assertSessionValid(request)
}

/** Yields the pieces of something long, and calls `mayGoOn` before each, which throws to end it. */
export async function* whileAllowed<T>(pieces: AsyncIterable<T>, mayGoOn: () => Promise<void>): AsyncIterable<T> {
  for await (const piece of pieces) {
    await mayGoOn()
    yield piece
  }
}

/** What issues a key or a link in the name of the author of the request. */
export function issuerOf(request: FastifyRequest, { store, clock, randomBytes }: OfficeOptions): Issuer {
  const { who, session } = authorOf(request, clock)
  return { store, clock, randomBytes, who, session }
}

/** Throws OfficeRefusal: a public route has none. */
export function sessionOf({ session }: FastifyRequest): OpenSession {
  if (session === undefined) throw unauthenticated()
  return session
}

/** The author of the request's changes: valid while its session holds. */
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

/** Adds a route that ../office-data.ts declares. */
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
    // Of a page of another version, which may call a member otherwise, nothing is done by halves.
    schema: { ...(query && { querystring: query }), ...(body && { body: { ...body, additionalProperties: false } }) },
    handler: handler as RouteHandlerMethod,
  })
}
