/** Admits or refuses each request before its route by origin, session and role, which no page of another origin has. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isCsrfTokenOf, type NewSession, type OpenSession, type SignIn } from '../domain/sign-in.ts'
import { clientAddress } from '../http/client-address.ts'
import { hasRole, roleWords } from '../rules/roles.ts'
import type { ReadTurns } from './routes/limits.ts'
import { OfficeRefusal, tooManyAttempts, unauthenticated, wrongMember } from './routes/refusals.ts'
import { type OfficeOptions, sessionOf } from './routes/routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly guard: Guard
    readonly reads: ReadTurns
  }
}

/** Marks a timer's request, which does not keep the session alive. */
const UNATTENDED = 'x-unattended'

export class Guard {
  readonly #options: OfficeOptions
  readonly #signIn: SignIn

  constructor(options: OfficeOptions, signIn: SignIn) {
    this.#options = options
    this.#signIn = signIn
  }

  readonly check = async (request: FastifyRequest): Promise<void> => {
    if (request.is404) return
    const { role } = request.routeOptions.config
    if (role === undefined) throw new OfficeRefusal(403, 'forbidden', 'No role can do this.')
    const isUnsafe = request.method !== 'GET' && request.method !== 'HEAD'
    if (isUnsafe) this.#assertOwnPage(request)
    if (role === 'public') return
    if (!mayBeSameOrigin(request)) throw crossOrigin(this.#options.officeUrl)
    const session = await this.#signIn.session(this.#secretOf(request), request.headers[UNATTENDED] !== undefined)
    if (session === undefined) throw unauthenticated()
    if (!hasRole(session.person.role, role))
      throw new OfficeRefusal(403, 'forbidden', `Your role does not allow this. It is for ${roleWords(role)}.`)
    if (isUnsafe && !isCsrfTokenOf(session, request.headers['x-session-token']))
      throw crossOrigin(this.#options.officeUrl)
    request.session = session
  }

  /** Checks the session after a wait and renews it, so that it outlasts a long upload. Throws OfficeRefusal. */
  async assertSessionValid({ session }: FastifyRequest): Promise<void> {
    if (session !== undefined && !(await this.isSessionValid(session))) throw unauthenticated()
  }

  readonly isSessionValid = (session: OpenSession): Promise<boolean> => this.#signIn.holds(session)

  /** Whether session and role of a long request still allow it. Renews the session only with `renews`. */
  async isStillAllowed({ session, routeOptions }: FastifyRequest, { renews = false } = {}): Promise<boolean> {
    const { role } = routeOptions.config
    const now = await this.#signIn.session(session?.secret, !renews)
    return now !== undefined && role !== undefined && role !== 'public' && hasRole(now.person.role, role)
  }

  async confirmPassphrase(request: FastifyRequest, passphrase: string): Promise<void> {
    const result = await this.#signIn.confirm(sessionOf(request).person.name, passphrase, this.addressOf(request))
    await this.assertSessionValid(request)
    if (result === 'refused')
      throw wrongMember('passphrase', 'The passphrase is wrong. Nothing was changed.', [403, 'passphrase'])
    if (result !== true) throw tooManyAttempts(result)
  }

  addressOf(request: FastifyRequest): string {
    return clientAddress(request.raw, this.#options.trustProxy)
  }

  setCookie(reply: FastifyReply, session: NewSession): void {
    reply.setCookie(this.#cookie, session.secret, this.#attributes)
  }

  clearCookie(reply: FastifyReply): void {
    reply.clearCookie(this.#cookie, this.#attributes)
  }

  /** The secret of the session to sign out of, which might have ended already. Throws OfficeRefusal. */
  secretToRevoke(request: FastifyRequest): string | undefined {
    const secret = this.#secretOf(request)
    if (secret !== undefined && !isCsrfTokenOf({ secret }, request.headers['x-session-token']))
      throw crossOrigin(this.#options.officeUrl)
    return secret
  }

  /** If two cookies have this name, someone else planted at least one: neither is trusted. */
  #secretOf(request: FastifyRequest): string | undefined {
    const name = this.#cookie
    const cookies = (request.headers.cookie ?? '').split(';').filter((part) => part.split('=')[0]?.trim() === name)
    return cookies.length === 1 ? request.cookies[name] : undefined
  }

  get #isSecure(): boolean {
    return this.#options.officeUrl.startsWith('https:')
  }

  /**
   * Browsers accept `__Host-…` only over TLS from the host itself. They send a cookie to all ports of a host, so the
   * name contains the port if the address has one.
   */
  get #cookie(): string {
    const { port } = new URL(this.#options.officeUrl)
    return `${this.#isSecure ? '__Host-' : ''}pets-office${port === '' ? '' : `-${port}`}`
  }

  get #attributes() {
    return { path: '/', httpOnly: true, sameSite: 'strict', secure: this.#isSecure } as const
  }

  #assertOwnPage(request: FastifyRequest): void {
    const { origin, host } = request.headers
    const { officeUrl } = this.#options
    const own = `${this.#isSecure ? 'https' : 'http'}://${host}`.toLowerCase()
    const isOwn = origin !== undefined && (origin.toLowerCase() === own || origin === new URL(officeUrl).origin)
    if (!isOwn || !mayBeSameOrigin(request)) throw crossOrigin(officeUrl)
    const { expectsUpload } = request.routeOptions.config
    const mediaType = request.headers['content-type']
    const mayLackBody = request.method === 'DELETE' && mediaType === undefined
    const expected = expectsUpload ? /^multipart\/form-data\s*;/i : /^application\/json\s*(?:;|$)/i
    if (!mayLackBody && !expected.test(mediaType ?? '')) throw crossOrigin(officeUrl)
  }
}

/** By `Sec-Fetch-Site`, which older browsers do not send; `none` means a typed address. */
function mayBeSameOrigin({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}

function crossOrigin(officeUrl: string): OfficeRefusal {
  const message = `The request does not come from the page of the office. Reload it at ${officeUrl}/.`
  return new OfficeRefusal(403, 'foreign', message)
}
