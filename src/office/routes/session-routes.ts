/** Signing in and out, and one's own account. A name that nobody has is not logged: it may be a passphrase. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { isPassphrase, PASSPHRASE_RULE } from '../../domain/passphrases.ts'
import { renamePerson, signOutEverywhere } from '../../domain/people.ts'
import type { NewSession, SignIn } from '../../domain/sign-in.ts'
import { machineZone } from '../../domain/zone.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { Session, Shelter } from '../office-data.ts'
import { SHELTER } from '../payloads/settings.ts'
import { notFound, OfficeRefusal, tooManyAttempts, unauthenticated, wrongMember } from './refusals.ts'
import { addRoute, authorOf, type OfficeOptions, sessionOf } from './routes.ts'
import type { WriteLine } from './throttled-log.ts'

const OTHER_PASSPHRASE = `Choose another passphrase: ${PASSPHRASE_RULE}.`
const SIGNED_OUT_HERE =
  'This browser is signed out. The database is not responding, so the sign-out will be stored once it responds.'

export function addSessionRoutes(server: FastifyInstance, options: OfficeOptions, signIn: SignIn): void {
  const { guard } = server
  const toSession = async ({ person, token, endsAtMs }: NewSession): Promise<Session> => ({
    person: String(person.n),
    name: person.name,
    role: person.role,
    token,
    endsAtMs,
    baseUrl: options.baseUrl,
    words: await options.store.words.ofStatuses(),
    shelter: await shelterOf(options),
    machineZone: machineZone(),
  })
  const begin = (reply: FastifyReply, session: NewSession): Promise<Session> => {
    guard.setCookie(reply, session)
    return toSession(session)
  }

  addRoute(server, 'POST /api/session', async (request, reply) => {
    const { name, passphrase } = request.body
    const outcome = await signIn.signIn(name, passphrase, guard.addressOf(request))
    if (outcome === 'refused') throw wrongMember('passphrase', 'The name or the passphrase is wrong.', [401, 'refused'])
    if ('waitMs' in outcome) throw tooManyAttempts(outcome)
    return begin(reply, outcome)
  })

  addRoute(server, 'GET /api/session', async (request) => toSession(sessionOf(request)))

  addAccountRoutes(server, options, signIn)

  addRoute(server, 'DELETE /api/session', async (request, reply) => {
    const secret = guard.secretToRevoke(request)
    guard.clearCookie(reply)
    try {
      if (secret !== undefined) await signIn.end(secret)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      reply.code(202)
      return { message: SIGNED_OUT_HERE }
    }
    return reply.code(204).send()
  })

  addRoute(server, 'POST /api/invitation/look', async ({ body }) => {
    const person = await signIn.invitedPerson(body.invitation)
    if (person === undefined) throw noInvitation()
    return { name: person.name, role: person.role }
  })

  addRoute(server, 'POST /api/invitation', async ({ body: { invitation, passphrase } }, reply) => {
    if (!isPassphrase(passphrase)) throw wrongMember('passphrase', OTHER_PASSPHRASE)
    const outcome = await signIn.accept(invitation, passphrase)
    if (outcome === undefined) throw noInvitation()
    if ('waitMs' in outcome) throw tooManyAttempts(outcome)
    return begin(reply, outcome)
  })
}

function addAccountRoutes(server: FastifyInstance, options: OfficeOptions, signIn: SignIn): void {
  addRoute(server, 'POST /api/account/name', async (request) => {
    const by = authorOf(request, options.clock)
    const name = await renamePerson(options.store, by.who, request.body.name, by)
    // Another tab has changed it in the meantime.
    if (name === undefined)
      throw new OfficeRefusal(409, 'conflict', 'Your name was changed in another tab. Nothing was changed.')
    return { name }
  })

  addRoute(server, 'POST /api/account/passphrase', async (request, reply) => {
    const { passphrase, next } = request.body
    if (!isPassphrase(next)) throw wrongMember('next', OTHER_PASSPHRASE)
    await server.guard.confirmPassphrase(request, passphrase)
    const session = await signIn.setPassphrase(sessionOf(request), next, authorOf(request, options.clock))
    if (session === undefined) throw unauthenticated()
    if ('waitMs' in session) throw tooManyAttempts(session)
    server.guard.setCookie(reply, session)
    return reply.code(204).send()
  })

  addRoute(server, 'POST /api/account/sign-out', async (request, reply) => {
    const by = authorOf(request, options.clock)
    await signOutEverywhere(options.store, by.who, by)
    return reply.code(204).send()
  })
}

export async function shelterOf({ store }: OfficeOptions): Promise<Shelter> {
  const set = await store.words.shelter()
  return Object.fromEntries(Object.keys(SHELTER).map((member) => [member, set[member] ?? ''])) as Shelter
}

function noInvitation(): OfficeRefusal {
  return notFound('This invite link was used, was replaced or has expired. Ask for a new one.')
}

export function wrongPassphrases(write: WriteLine): (name: string | undefined, client: string) => void {
  return (name, client) => {
    if (name === undefined) write('warn', { client }, 'office sign-in with an unknown name')
    else write('warn', { client, name }, 'wrong passphrase in the office')
  }
}
