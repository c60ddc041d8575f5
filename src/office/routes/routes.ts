/**
 * What the routes of the office share: what they are given, who is asking, and which role a route is for. Each screen
 * has a file of routes beside this one, which exports `add…Routes(server, options)`; ../office-data.ts lists them all.
 *
 * A route says in its `config` which role it is for, as in
 * `server.get(path, { config: { role: 'manager' } }, handler)`; without one it is for nobody, so a forgotten role shuts
 * people out instead of letting them in. The guard has then checked session, role, origin and token before the handler
 * runs.
 */
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../../common/clock.ts'
import { PetStatus } from '../../contract/schemas.ts'
import type { Access } from '../../domain/access.ts'
import type { RandomBytes } from '../../domain/keys.ts'
import type { OpenSession, Wait } from '../../domain/sign-in.ts'
import type { TrustProxy } from '../../http/client-address.ts'
import type { Metrics } from '../../http/metrics.ts'
import type { BackupStatus } from '../../operator/prometheus.ts'
import type { Author } from '../../store/records.ts'
import type { Counters, Store } from '../../store/store.ts'
import type { OfficeError, Role } from '../office-data.ts'

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

export interface BodyTimes {
  /** The time in ms in which a body other than a file has to arrive. */
  readonly bodyMs: number
  /** The period in ms over which the rate of a file is measured. */
  readonly progressMs: number
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
  /** How long what is sent may take to arrive, where it is not as usual. */
  readonly bodyTimes?: BodyTimes
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

export function invalid(message: string): OfficeRefusal {
  return new OfficeRefusal(400, 'invalid', message)
}

export function notFound(message: string): OfficeRefusal {
  return new OfficeRefusal(404, 'not_found', message)
}

export function signedOut(): OfficeRefusal {
  return new OfficeRefusal(401, 'signed_out', 'You are signed out; sign in again.')
}

/** There is no room for what clients send slowly, or do not read. */
export function tooMuchHeld(): OfficeRefusal {
  const message = 'Too much is waiting to be sent or read at the moment; try again in a moment.'
  return new OfficeRefusal(503, 'unavailable', message, {}, { 'retry-after': '1' })
}

/**
 * Asks for the passphrase again, before an act of consequence. Wrong ones are delayed as at the sign-in. Throws
 * OfficeRefusal.
 */
export function confirmPassphrase(request: FastifyRequest, passphrase: string): Promise<void> {
  return request.server.guard.confirm(request, passphrase)
}

/**
 * Throws the OfficeRefusal 401 if the session of the request has ended. The guard asks it before the request is read
 * and when it has arrived whole; a route asks it after each wait of its own. What a route writes is asked once more in
 * the transaction (Author).
 */
export function assertSession(request: FastifyRequest): Promise<void> {
  return request.server.guard.assertSession(request)
}

/** The pieces of what goes on for long, each after asking `mayGoOn`, which throws if not. */
export async function* whileAllowed<T>(pieces: AsyncIterable<T>, mayGoOn: () => Promise<void>): AsyncIterable<T> {
  for await (const piece of pieces) {
    await mayGoOn()
    yield piece
  }
}

/** The author of what this request changes, as long as its session holds, and at the time of the commit. */
export function authorOf({ person, session }: FastifyRequest, clock: Clock): Author {
  if (person === undefined) throw new Error('a route for anyone changes nothing in a name')
  return {
    who: person.name,
    session: session?.hash,
    get atMs() {
      return clock.now()
    },
  }
}

export function toWait({ waitMs }: Wait): OfficeRefusal {
  const seconds = Math.ceil(waitMs / 1_000)
  const message = `Too many attempts; wait ${seconds === 1 ? 'a second' : `${seconds} seconds`} and try again.`
  return new OfficeRefusal(429, 'wait', message, {}, { 'retry-after': String(seconds) })
}

/** What the JSON Schemas of the routes are made of. An int64 is text, because a number in JSON may have lost digits. */
export const TEXT = { type: 'string' } as const
export const INT64 = { type: 'string', maxLength: 20 } as const
export const STATUS = { enum: [...PetStatus.enum, null] } as const
/** In UTF-16 units; longer than any label, name or id. PostgreSQL cannot be asked for U+0000. */
export const FILTER = { type: 'string', maxLength: 400, pattern: '^[^\\0]*$' } as const

/** An object that has all of these members. */
export function required<P extends Readonly<Record<string, object>>>(properties: P) {
  return { type: 'object', required: Object.keys(properties), properties } as const
}
