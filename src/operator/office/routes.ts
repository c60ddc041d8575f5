/**
 * What the routes of the office share: what they are given, who is asking, and which role a route is for. Each screen has a
 * file of routes beside this one, which exports `add…Routes(server, options)`; ../office-data.ts lists them all.
 *
 * A route says in its `config` which role it is for, as in `server.get(path, { config: { role: 'manager' } }, handler)`;
 * without one it is for nobody, so a forgotten role shuts people out instead of letting them in. The guard has then
 * checked session, role, origin and token before the handler runs.
 */
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../../common/clock.ts'
import type { Access } from '../../domain/access.ts'
import type { RandomBytes } from '../../domain/keys.ts'
import type { OpenSession } from '../../domain/sign-in.ts'
import type { TrustProxy } from '../../http/client-address.ts'
import type { Metrics } from '../../http/metrics.ts'
import type { Author } from '../../store/records.ts'
import type { Counters, Store } from '../../store/store.ts'
import type { OfficeError, Role } from '../office-data.ts'
import type { BackupStatus } from '../prometheus.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role that may ask; `anyone` needs no session. */
    readonly role?: Role | 'anyone'
    /** A write that takes a file (multipart/form-data) instead of JSON. */
    readonly takesFile?: true
  }
  interface FastifyRequest {
    /** Who is signed in; undefined on routes for anyone. */
    person: SignedIn | undefined
    session: OpenSession | undefined
  }
}

export interface SignedIn {
  readonly name: string
  readonly role: Role
}

/** The two addresses may be known only when the ports listen: read them when asked, and do not copy this object. */
export interface OfficeOptions {
  readonly store: Store
  readonly access: Access
  readonly metrics: Metrics
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
  readonly counters: Counters
  /** Undefined where the service makes none by itself. */
  readonly backups: BackupStatus | undefined
}

/** A request that the office does not fulfil; sent as an OfficeError with this status. */
export class OfficeRefusal extends Error {
  readonly status: number
  readonly code: OfficeError['code']
  /** Further members of the body. */
  readonly more: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: OfficeError['code'],
    message: string,
    more: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.more = more
    this.headers = headers
  }
}

/**
 * Asks for the passphrase again, before an act of consequence. Wrong ones are delayed as at the sign-in. Throws OfficeRefusal.
 */
export function confirmPassphrase(request: FastifyRequest, passphrase: string): Promise<void> {
  return request.server.guard.confirm(request, passphrase)
}

/** The author of what this request changes. */
export function authorOf(request: FastifyRequest, clock: Clock): Author {
  if (request.person === undefined) throw new Error('a route for anyone changes nothing in a name')
  return { who: request.person.name, atMs: clock() }
}
