/**
 * Signing in and out, accepting invitations, and one's own account. A failed sign-in is logged with its address, and
 * the name if a person has it; one that nobody has may be a passphrase in the wrong field.
 */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { isPassphrase, PASSPHRASE_RULE } from '../../domain/passphrases.ts'
import { renamePerson, signOutEverywhere } from '../../domain/people.ts'
import type { NewSession, SignIn } from '../../domain/sign-in.ts'
import { machineZone } from '../../domain/zone.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { Session, Shelter } from '../office-data.ts'
import { SHELTER } from '../payloads/settings.ts'
import { invalid, notFound, OfficeRefusal, tooManyAttempts, unauthenticated } from './refusals.ts'
import { addRoute, authorOf, type OfficeOptions, sessionOf } from './routes.ts'
import type { WriteLine } from './throttled-log.ts'

const SIGNED_OUT_HERE =
  'This browser is signed out. The database does not answer, so the end of the session is stored as soon as it does.'

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
    if (outcome === 'refused') throw new OfficeRefusal(401, 'refused', 'The name or the passphrase is wrong.')
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
    if (!isPassphrase(passphrase)) throw invalid(`Choose another: ${PASSPHRASE_RULE}.`)
    const outcome = await signIn.accept(invitation, passphrase)
    if (outcome === undefined) throw noInvitation()
    if ('waitMs' in outcome) throw tooManyAttempts(outcome)
    return begin(reply, outcome)
  })
}

/** One's own name and passphrase, and one's other sessions. */
function addAccountRoutes(server: FastifyInstance, options: OfficeOptions, signIn: SignIn): void {
  addRoute(server, 'POST /api/account/name', async (request) => {
    const by = authorOf(request, options.clock)
    const name = await renamePerson(options.store, by.who, request.body.name, by)
    // Another tab has changed it since the request began.
    if (name === undefined) throw new OfficeRefusal(409, 'conflict', 'Your name has changed. Nothing was changed now.')
    return { name }
  })

  addRoute(server, 'POST /api/account/passphrase', async (request, reply) => {
    const { passphrase, next } = request.body
    if (!isPassphrase(next)) throw invalid(`Choose another: ${PASSPHRASE_RULE}.`)
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

/** What the shelter is called, and how it is reached. */
export async function shelterOf({ store }: OfficeOptions): Promise<Shelter> {
  const set = await store.words.shelter()
  return Object.fromEntries(Object.keys(SHELTER).map((member) => [member, set[member] ?? ''])) as Shelter
}

function noInvitation(): OfficeRefusal {
  return notFound('The invitation was used, replaced or is too old; ask for another one.')
}

export function wrongPassphrases(write: WriteLine): (name: string | undefined, client: string) => void {
  return (name, client) => {
    if (name === undefined) write('warn', { client }, 'a sign-in to the office with a name that nobody has')
    else write('warn', { client, name }, 'a wrong passphrase in the office')
  }
}
