/**
 * Decides about each request of the office before its route does: whether it comes from the office's own page, whose session it
 * belongs to, and whether the role allows it. A page of another origin cannot write (Origin, the kind of the body, a token that it
 * cannot know) and cannot read (the cookie is not sent with its requests, and its answers would be kept from it).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayActAs } from '../../domain/people.ts'
import { type BegunSession, isTokenOf, type SignIn, type Wait } from '../../domain/sign-in.ts'
import { clientAddress } from '../../http/client-address.ts'
import { type OfficeOptions, OfficeRefusal } from './routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly guard: Guard
  }
}

/** A request that the page makes by itself carries this header, and does not count as use of the session. */
const UNATTENDED = 'x-unattended'

export class Guard {
  readonly #options: OfficeOptions
  readonly #signIn: SignIn

  constructor(options: OfficeOptions, signIn: SignIn) {
    this.#options = options
    this.#signIn = signIn
  }

  /** Throws OfficeRefusal. */
  readonly check = async (request: FastifyRequest): Promise<void> => {
    if (request.is404) return
    const { role } = request.routeOptions.config
    if (role === undefined) throw new OfficeRefusal(403, 'forbidden', 'This is for nobody.')
    const writes = request.method !== 'GET' && request.method !== 'HEAD'
    if (writes) this.#assertOwnPage(request)
    if (role === 'anyone') return
    if (!isFromHere(request)) throw foreign()
    const session = await this.#signIn.session(this.#secretOf(request), request.headers[UNATTENDED] !== undefined)
    if (session === undefined) throw new OfficeRefusal(401, 'signed_out', 'You are signed out; sign in again.')
    if (!mayActAs(session.person.role, role)) {
      throw new OfficeRefusal(403, 'forbidden', `Your role does not allow this; it is for a ${role}.`)
    }
    if (writes && !isTokenOf(session, request.headers['x-session-token'])) throw foreign()
    request.session = session
    request.person = { name: session.person.name, role: session.person.role }
  }

  /** Whether the session of this request still lasts: for answers that go on for long. It does not count as use. */
  async lasts({ session, routeOptions }: FastifyRequest): Promise<boolean> {
    const { role } = routeOptions.config
    const now = await this.#signIn.session(session?.secret, true)
    return now !== undefined && role !== undefined && role !== 'anyone' && mayActAs(now.person.role, role)
  }

  /** Throws OfficeRefusal. */
  async confirm(request: FastifyRequest, passphrase: string): Promise<void> {
    if (request.person === undefined) throw new Error('nobody is signed in')
    const found = await this.#signIn.confirm(request.person.name, passphrase, this.addressOf(request))
    if (found === 'refused') {
      throw new OfficeRefusal(403, 'passphrase', 'The passphrase is wrong; nothing was changed.')
    }
    if (found !== true) throw toWait(found)
  }

  addressOf(request: FastifyRequest): string {
    return clientAddress(request.raw, this.#options.trustProxy)
  }

  setCookie(reply: FastifyReply, session: BegunSession): void {
    reply.setCookie(this.#cookie, session.secret, this.#attributes)
  }

  clearCookie(reply: FastifyReply): void {
    reply.clearCookie(this.#cookie, this.#attributes)
  }

  /** A browser that has two cookies of this name got one of them from somebody else: neither is believed. */
  #secretOf(request: FastifyRequest): string | undefined {
    const name = this.#cookie
    const named = (request.headers.cookie ?? '').split(';').filter((part) => part.split('=')[0]?.trim() === name)
    return named.length === 1 ? request.cookies[name] : undefined
  }

  get #isSecure(): boolean {
    return this.#options.officeUrl.startsWith('https:')
  }

  /** Browsers take a cookie of the name `__Host-…` only over TLS, and only from the host itself. */
  get #cookie(): string {
    return this.#isSecure ? '__Host-pets-office' : 'pets-office'
  }

  get #attributes() {
    return { path: '/', httpOnly: true, sameSite: 'strict', secure: this.#isSecure } as const
  }

  #assertOwnPage(request: FastifyRequest): void {
    const { origin, host } = request.headers
    const { officeUrl } = this.#options
    const own = `${this.#isSecure ? 'https' : 'http'}://${host}`.toLowerCase()
    const isOwn = origin !== undefined && (origin.toLowerCase() === own || origin === new URL(officeUrl).origin)
    if (!isOwn || !isFromHere(request)) throw foreign()
    const { takesFile } = request.routeOptions.config
    const kind = request.headers['content-type']
    const mayLackBody = request.method === 'DELETE' && kind === undefined
    const expected = takesFile ? /^multipart\/form-data\s*;/i : /^application\/json\s*(?:;|$)/i
    if (!mayLackBody && !expected.test(kind ?? '')) throw foreign()
  }
}

/** What the browser says of where a request comes from; older ones say nothing. `none` is an address that somebody typed. */
function isFromHere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}

function foreign(): OfficeRefusal {
  return new OfficeRefusal(403, 'foreign', 'The request does not come from this page of the office; load it again.')
}

export function toWait({ waitMs }: Wait): OfficeRefusal {
  const seconds = Math.ceil(waitMs / 1_000)
  const message = `Too many attempts; wait ${seconds === 1 ? 'a second' : `${seconds} seconds`} and try again.`
  return new OfficeRefusal(429, 'wait', message, {}, { 'retry-after': String(seconds) })
}
