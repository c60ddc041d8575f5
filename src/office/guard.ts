/**
 * Admits or refuses each request of the office before its route: does it come from the office's own page, whose session
 * does it carry, does the role allow it? A page of another origin can neither write (Origin, the media type of the
 * body, a token that it does not know) nor read (the cookie is not sent with its requests, and the browser withholds
 * responses from it).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayActAs } from '../domain/people.ts'
import { type BegunSession, isTokenOf, type SignIn } from '../domain/sign-in.ts'
import { clientAddress } from '../http/client-address.ts'
import { type OfficeOptions, OfficeRefusal, signedOut, tooManyAttempts } from './routes/routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly guard: Guard
  }
}

/** Marks a request made by a timer, which does not keep the session alive. */
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
    if (role === undefined) throw new OfficeRefusal(403, 'forbidden', 'No role may do this.')
    const writes = request.method !== 'GET' && request.method !== 'HEAD'
    if (writes) this.#assertOwnPage(request)
    if (role === 'anyone') return
    if (!isSameOrigin(request)) throw foreign()
    const session = await this.#signIn.session(this.#secretOf(request), request.headers[UNATTENDED] !== undefined)
    if (session === undefined) throw signedOut()
    if (!mayActAs(session.person.role, role)) {
      throw new OfficeRefusal(403, 'forbidden', `Your role does not allow this; it is for ${role}s.`)
    }
    if (writes && !isTokenOf(session, request.headers['x-session-token'])) throw foreign()
    request.session = session
    request.person = { name: session.person.name, role: session.person.role }
  }

  /**
   * Checks after a wait that the session still holds. This counts as use, so that a long request such as an upload does
   * not let its own session expire. Throws OfficeRefusal.
   */
  async assertSession({ session }: FastifyRequest): Promise<void> {
    if (session !== undefined && !(await this.#signIn.holds(session))) throw signedOut()
  }

  /** Whether the session of a long response still holds. Counts as use only with `isUse`. */
  async lasts({ session, routeOptions }: FastifyRequest, { isUse = false } = {}): Promise<boolean> {
    const { role } = routeOptions.config
    const now = await this.#signIn.session(session?.secret, !isUse)
    return now !== undefined && role !== undefined && role !== 'anyone' && mayActAs(now.person.role, role)
  }

  /** Throws OfficeRefusal. */
  async confirm(request: FastifyRequest, passphrase: string): Promise<void> {
    if (request.person === undefined) throw new Error('nobody is signed in')
    const found = await this.#signIn.confirm(request.person.name, passphrase, this.addressOf(request))
    await this.assertSession(request)
    if (found === 'refused') {
      throw new OfficeRefusal(403, 'passphrase', 'The passphrase is wrong; nothing was changed.')
    }
    if (found !== true) throw tooManyAttempts(found)
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

  /** The secret of the session that a person signs out of, which may have ended. Throws OfficeRefusal. */
  endingSecret(request: FastifyRequest): string | undefined {
    const secret = this.#secretOf(request)
    if (secret !== undefined && !isTokenOf({ secret }, request.headers['x-session-token'])) throw foreign()
    return secret
  }

  /** With two cookies of this name, at least one was planted by another party: neither is trusted. */
  #secretOf(request: FastifyRequest): string | undefined {
    const name = this.#cookie
    const named = (request.headers.cookie ?? '').split(';').filter((part) => part.split('=')[0]?.trim() === name)
    return named.length === 1 ? request.cookies[name] : undefined
  }

  get #isSecure(): boolean {
    return this.#options.officeUrl.startsWith('https:')
  }

  /** Browsers accept `__Host-…` only over TLS and only from the host itself. */
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
    if (!isOwn || !isSameOrigin(request)) throw foreign()
    const { takesFile } = request.routeOptions.config
    const mediaType = request.headers['content-type']
    const mayLackBody = request.method === 'DELETE' && mediaType === undefined
    const expected = takesFile ? /^multipart\/form-data\s*;/i : /^application\/json\s*(?:;|$)/i
    if (!mayLackBody && !expected.test(mediaType ?? '')) throw foreign()
  }
}

/** By `Sec-Fetch-Site`, which older browsers do not send; `none` means that a person typed the address. */
function isSameOrigin({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}

function foreign(): OfficeRefusal {
  return new OfficeRefusal(403, 'foreign', 'The request does not come from this page of the office; load it again.')
}
